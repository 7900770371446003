/* tune_share: loops over what ranks say and files that are done, until all is over; then tells all to
 * end, and waits a little for the last lines. */
#include "autotune/tune/tune_share.h"

#include "autotune/cli/interrupt.h"
#include "autotune/cli/output.h"
#include "autotune/cli/output_rows.h"
#include "autotune/cli/problem_file.h"
#include "autotune/device/monotonic.h"
#include "autotune/share/share.h"
#include "autotune/tune/tune_list_line.h"
#include "autotune/tune/tune_share_files.h"

#include <inttypes.h>
#include <stdlib.h>

static const double TICK_S = 0.25, END_S = 5, INTERRUPTED_S = 0.6;

struct running {
    const struct request *request;
    const struct tune_share_transport *transport;
    struct problem_file file;
    struct text folder;
    struct tune_share_files *files;
    struct share *share;
    struct table table;
    struct output_rows csv;
    double last_tick;
    struct error first;  /* of the problems that failed */
    struct error output; /* of the lines */
};

/* --- What share asks for ------------------------------------------------------------------ */

static void send_to(void *context, uint32_t rank, const struct wire *message)
{
    const struct running *running = context;
    running->transport->send(running->transport->context, rank, message);
}

static void begin(void *context, struct share_io *io)
{
    const struct running *running = context;
    tune_share_files_begin(running->files, io);
}

static void add_done(void *context, const struct share_done *done)
{
    struct running *running = context;
    struct text line = {0};
    struct error ignored;
    struct error *error = running->output.code == ERROR_NONE ? &running->output : &ignored;
    text_addf(&line, "%s on %s\n", *done->line ? done->line : "a problem", done->host);
    for (size_t i = 0; i < running->table.column_count; i++)
        table_add(&running->table, i < done->cell_count ? done->cells[i] : NULL);
    if (done->outcome == SHARE_FAILED && running->first.code == ERROR_NONE)
        running->first = *done->error;
    if (!*done->line)
        output_warn("problem %" PRIu32 ": %s", done->problem + 1, done->error->text);
    else if (!output_is_taken(running->request) && output_text(&line, error))
        error = &ignored;
    output_rows_write(&running->csv, &running->table, error);
    text_dispose(&line);
}

static void warn(void *context, const char *text)
{
    (void)context;
    output_warn("%s", text);
}

static const struct share_ops ops = {send_to, begin, add_done, warn};

/* --- The loop ----------------------------------------------------------------------------- */

static int receive(struct running *running, struct error *error)
{
    const struct tune_share_transport *transport = running->transport;
    uint32_t rank;
    struct wire message;
    int got;
    while ((got = transport->receive(transport->context, &rank, &message, error)) > 0) {
        share_take(running->share, rank, &message, monotonic_s());
        wire_dispose(&message);
    }
    return got;
}

static int step(struct running *running, struct error *error)
{
    struct share_io *io;
    const double now = monotonic_s();
    if (receive(running, error))
        return -1;
    while ((io = tune_share_files_take(running->files)) != NULL)
        share_io_done(running->share, io, now);
    if (now - running->last_tick > TICK_S) {
        running->last_tick = now;
        share_tick(running->share, now);
    }
    running->transport->wait(running->transport->context,
                             tune_share_files_event(running->files));
    return 0;
}

static int run(struct running *running, struct error *error)
{
    while (!share_is_over(running->share)) {
        if (interrupt_came())
            share_stop(running->share);
        if (step(running, error))
            return -1;
    }
    return 0;
}

/* The last lines of those who were interrupted come now. */
static bool end_ranks(struct running *running)
{
    struct error ignored;
    const double until = monotonic_s() + (interrupt_came() ? INTERRUPTED_S : END_S);
    int failed = 0;
    share_end(running->share);
    while (!share_is_closed(running->share) && monotonic_s() < until && !failed)
        failed = step(running, &ignored);
    const bool is_clean =
        share_is_closed(running->share) && share_sum(running->share).lost == 0;
    while (!share_is_written(running->share) && !failed)
        failed = step(running, &ignored);
    return is_clean;
}

/* --- Before and after --------------------------------------------------------------------- */

static int open_running(struct running *running, bool is_broadcast, struct error *error)
{
    const struct request *request = running->request;
    if (problem_file_read(&running->file, request, error) ||
        store_folder(&running->folder, request->cache, error))
        return -1;
    running->files = tune_share_files_open(running->folder.at, request->replay, error);
    if (!running->files)
        return -1;
    const struct share_options options = {.ranks = running->transport->ranks,
                                          .problems = (uint32_t)running->file.count,
                                          .version = VERSION,
                                          .is_broadcast = is_broadcast,
                                          .ops = &ops,
                                          .context = running};
    running->share = share_open(&options, error);
    return running->share ? 0 : -1;
}

static void note_sum(const struct running *running, double seconds)
{
    const struct share_sum sum = share_sum(running->share);
    output_note(running->request,
                "list      %zu tuned, %zu known, %zu failed by %" PRIu32
                " ranks in %.2f s; %zu slices; records in %s\n",
                sum.outcomes[SHARE_TUNED] + sum.outcomes[SHARE_RECORDED],
                sum.outcomes[SHARE_KNOWN], sum.outcomes[SHARE_FAILED],
                running->transport->ranks, seconds, sum.slices, running->folder.at);
}

/* What ended the list before its end. */
static int find_end(const struct running *running, struct error *error)
{
    const struct error *failure = share_error(running->share);
    if (failure->code != ERROR_NONE)
        return error_set_lines(error, failure->code, "%s", failure->text);
    if (interrupt_came())
        return error_set(error, ERROR_INTERRUPTED,
                         "interrupted: what was measured is kept, and the same command goes on "
                         "from there");
    return 0;
}

static int judge(const struct running *running, struct error *error)
{
    const struct share_sum sum = share_sum(running->share);
    if (sum.outcomes[SHARE_FAILED])
        return error_set_lines(error, running->first.code,
                               "%zu of %zu problems failed, the first because: %s",
                               sum.outcomes[SHARE_FAILED], running->table.row_count,
                               running->first.text);
    if (running->output.code != ERROR_NONE)
        return error_set_lines(error, running->output.code, "%s", running->output.text);
    return 0;
}

int tune_share(bool *is_clean, const struct request *request, bool is_broadcast,
               const struct tune_share_transport *transport, struct error *error)
{
    struct running running = {.request = request,
                              .transport = transport,
                              .table = tune_list_line_table(),
                              .csv = {.path = request->csv}};
    struct interrupt_guard guard;
    const double start = monotonic_s();
    *is_clean = false;
    interrupt_begin(&guard, NULL);
    int failed = open_running(&running, is_broadcast, error) || run(&running, error);
    if (running.share) {
        *is_clean = end_ranks(&running);
        note_sum(&running, monotonic_s() - start);
    }
    failed = failed || find_end(&running, error);
    failed = output_rows_end(&running.csv, request, &running.table, failed, error);
    failed = failed || judge(&running, error);
    interrupt_end(&guard);
    tune_share_files_close(running.files);
    share_close(running.share);
    problem_file_dispose(&running.file);
    text_dispose(&running.folder);
    table_dispose(&running.table);
    return failed ? -1 : 0;
}
