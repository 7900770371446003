/* session: joins the small proofs, the inputs and the bench. */
#include "autotune/measure/session.h"

#include "generator/random.h"

#include <assert.h>

enum { MARKS = 3 }; /* more places of the deciding element at full n */

int session_open(struct session *out, struct device *device,
                 const struct point_context *context, const struct session_options *options,
                 struct error *error)
{
    const struct problem *problem = context->problem;
    const bool is_host = device->info.target.is_host;
    *out = (struct session){.device = device, .context = context, .seed = options->seed};
    return input_open_offset(&out->input, device, problem, input_count(problem, &device->info),
                             options->seed, options->offset, error) ||
                   check_open(&out->check, device, problem, options->sources,
                              is_host ? options->positions : UINT64_MAX, options->seed, error)
               ? -1
               : 0;
}

int session_open_bench(struct session *session, const struct session_kernel *flush,
                       struct error *error)
{
    assert(flush->is_right_small);
    return bench_open(&session->bench, session->device, &session->input, flush->context,
                      flush->config, flush->kernels, error);
}

void session_close(struct session *session)
{
    if (session->bench.device)
        bench_close(&session->bench);
    if (session->check)
        check_close(session->check);
    if (session->input.device)
        input_close(&session->input);
}

int session_prove_small(struct session *session, struct session_kernel *kernel,
                        const int64_t *configs, size_t count, uint64_t draw,
                        struct check_outcome *out, struct error *error)
{
    struct check_configs chosen = {configs, configs};
    if ((count > 1 && check_choose(&chosen, kernel->context, configs, count, error)) ||
        check_small(session->check, kernel->context, chosen, kernel->kernels, draw, out, error))
        return -1;
    kernel->is_right_small = out->is_right;
    return 0;
}

int session_prepare(struct session *session, struct session_kernel *kernel, size_t calls,
                    struct error *error)
{
    if (kernel->entry.graph && !bench_is_lost(&session->bench, &kernel->entry) &&
        kernel->entry.calls >= calls)
        return 0;
    session_release(session, kernel);
    return bench_prepare(&kernel->entry, &session->bench, kernel->context, kernel->config,
                         kernel->kernels, calls, error);
}

void session_release(struct session *session, struct session_kernel *kernel)
{
    bench_release(&session->bench, &kernel->entry);
}

static bool has_mark(const struct session *session)
{
    return input_has_mark(&session->input) && dims_n(&session->input.problem.dims) >= 2;
}

/* Proves with the deciding element elsewhere, and puts it back whatever comes of it: others are proven
 * with the same input. */
static int prove_mark(struct session *session, const struct bench_entry *entry,
                      uint64_t position, uint64_t *out_ps, struct bench_outcome *out,
                      struct error *error)
{
    const uint64_t last = input_last(&session->input);
    struct error second;
    const int failed = input_mark(&session->input, last, position, error) ||
                       bench_prove(&session->bench, entry, out_ps, out, error);
    return input_mark(&session->input, position, last, failed ? &second : error) || failed ? -1
                                                                                           : 0;
}

/* An element that is not read is found by some of the marks. */
int session_prove(struct session *session, struct session_kernel *kernel, uint64_t draw,
                  uint64_t *out_ps, struct bench_outcome *out, struct error *error)
{
    const uint64_t n = dims_n(&session->input.problem.dims);
    uint64_t random = session->seed ^ draw << 32, ignored_ps;
    assert(kernel->is_right_small);
    if (bench_prove(&session->bench, &kernel->entry, out_ps, out, error))
        return -1;
    for (int i = 0; has_mark(session) && i < MARKS && out->is_right; i++)
        if (prove_mark(session, &kernel->entry, i == 0 ? 0 : random_next(&random) % n,
                       &ignored_ps, out, error))
            return -1;
    kernel->is_right = out->is_right;
    return 0;
}

/* One in four has it first and one in four last, where faults are likely. */
int session_prove_once(struct session *session, struct session_kernel *kernel, uint64_t draw,
                       uint64_t *out_ps, struct bench_outcome *out, struct error *error)
{
    const uint64_t n = dims_n(&session->input.problem.dims);
    uint64_t random = session->seed ^ draw << 32;
    const uint64_t edge = random_next(&random) % 4, any = random_next(&random);
    assert(kernel->is_right_small);
    if (has_mark(session) && edge != 1
            ? prove_mark(session, &kernel->entry, edge == 0 ? 0 : any % n, out_ps, out, error)
            : bench_prove(&session->bench, &kernel->entry, out_ps, out, error))
        return -1;
    kernel->is_right = out->is_right;
    return 0;
}

int session_time(struct session *session, const struct session_kernel *kernel, bool is_queued,
                 uint64_t *out_ps, struct error *error)
{
    assert(kernel->is_right);
    return (is_queued ? bench_time_queued : bench_time)(&session->bench, &kernel->entry, out_ps,
                                                        error);
}
