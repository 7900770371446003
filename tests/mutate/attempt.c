/* attempt: forks, limits, compiles and proves; how the process ended is the outcome. */
#include "tests/mutate/attempt.h"

#include "autotune/verify/proof.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    WALL_SECONDS = 90,     /* of one attempt on a busy machine */
    COMMAND_SECONDS = 600, /* likewise of a command, which runs many tests */
};

void attempt_die(const char *why)
{
    fprintf(stderr, "mutate: %s\n", why);
    exit(2);
}

void attempt_open_space(struct builtin_files *out, const char *name)
{
    const char *slash = strrchr(name, '/');
    struct error error;
    char folder[60] = "configs";
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - name), name);
    if (builtin_files_open(out, folder, slash ? slash + 1 : name, &error) || !out->space)
        attempt_die(error.text);
}

struct emit_file *attempt_find_source(struct emit_sources *sources, const char *name)
{
    struct emit_file *const files[] = {&sources->template, &sources->types,
                                       &sources->intrinsics};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(files[i]->name, name) == 0)
            return files[i];
    return NULL;
}

static uint64_t hash_image(const struct device_image *image)
{
    const unsigned char *bytes = image->bytes;
    uint64_t hash = 1469598103934665603u; /* FNV-1a */
    for (size_t i = 0; i < image->size; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

/* In the process of the attempt. */
static enum attempt_outcome prove(const struct attempt_variant *variant,
                                  const struct emit_sources *sources, uint64_t seed,
                                  struct attempt *out)
{
    const struct device_options options = {.spec = "host", .seed = seed};
    const struct point_context context = {variant->space, variant->problem, &variant->target};
    struct proof_result result = {.variants = 0};
    struct proof proof = {.sources = sources,
                          .result = &result,
                          .seed = seed,
                          .positions = variant->has_all_positions ? UINT64_MAX : 0,
                          .is_drawn = variant->is_drawn};
    struct point_variant only = {0, variant->config_count};
    const struct points points = {.width = variant->space->param_count,
                                  .configs = variant->configs,
                                  .count = variant->config_count,
                                  .variants = &only,
                                  .variant_count = 1};
    const size_t first = 0;
    struct compiled_unit unit;
    struct error error = {0};
    if (host_open(&proof.device, &options, &error) ||
        compiler_compile(&unit, proof.device, &context, sources, &points, &first, 1, &error) ||
        unit.variants[0].is_failed) {
        snprintf(out->note, ATTEMPT_NOTE_CHARS, "%.230s",
                 *error.text ? error.text : unit.variants[0].reason.text);
        return NOT_COMPILED;
    }
    out->code_hash = hash_image(&unit.image);
    if (variant->code_hash == out->code_hash && seed == 1)
        return SAME_CODE;
    if (proof_unit(&proof, &context, &points, &unit, &error)) {
        snprintf(out->note, ATTEMPT_NOTE_CHARS, "%.230s", error.text);
        return WRONG;
    }
    snprintf(out->note, ATTEMPT_NOTE_CHARS, "%.230s", result.failures[0].reason);
    return result.wrong ? WRONG : RIGHT;
}

/* In the process of the attempt, which becomes the command's. */
static enum attempt_outcome run_command(const char *command)
{
    static const enum attempt_outcome outcomes[] = {RIGHT, WRONG, NOT_COMPILED, SAME_CODE};
    const int status = system(command);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    return code < 4 ? outcomes[code] : WRONG;
}

static double cpu_of(const struct rusage *usage)
{
    return (double)usage->ru_utime.tv_sec + 1e-6 * (double)usage->ru_utime.tv_usec +
           (double)usage->ru_stime.tv_sec + 1e-6 * (double)usage->ru_stime.tv_usec;
}

/* What a kernel may take that has no fault takes a tenth of it, and a compile. A command is given
 * as much for each of its processes. */
static rlim_t find_limit(const struct attempt_variant *variant)
{
    const double seconds = variant ? 3 + 10 * variant->seconds : ATTEMPT_CPU_SECONDS;
    return variant && variant->seconds > 0 && seconds < ATTEMPT_CPU_SECONDS
               ? (rlim_t)seconds
               : ATTEMPT_CPU_SECONDS;
}

static void set_limits(const struct attempt_variant *variant)
{
    const rlim_t seconds = find_limit(variant);
    const struct rlimit no_core = {0, 0}, cpu = {seconds, seconds + 1};
    const struct rlimit memory = {(rlim_t)8 << 30, (rlim_t)8 << 30};
    setpgid(0, 0);
    setrlimit(RLIMIT_CORE, &no_core);
    setrlimit(RLIMIT_CPU, &cpu);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    if (variant) /* a command limits its own: AddressSanitizer maps more */
        setrlimit(RLIMIT_AS, &memory);
#else
    (void)memory;
#endif
    alarm(variant ? WALL_SECONDS : COMMAND_SECONDS);
}

static enum attempt_outcome outcome_of(int status)
{
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGALRM ? NOT_TRIED : WRONG;
    const int code = WEXITSTATUS(status);
    return code >= RIGHT && code <= NOT_TRIED ? (enum attempt_outcome)code : WRONG;
}

/* The command's where there is no variant. */
static void start(struct attempt *out, const struct attempt_variant *variant,
                  const struct emit_sources *sources, uint64_t seed, const char *command)
{
    struct rusage usage;
    int ends[2];
    memset(out, 0, sizeof *out);
    fflush(NULL);
    if (pipe(ends))
        attempt_die("no pipe");
    const pid_t child = fork();
    if (child < 0)
        attempt_die("no process");
    if (child == 0) {
        set_limits(variant);
        const enum attempt_outcome outcome =
            variant ? prove(variant, sources, seed, out) : run_command(command);
        const ssize_t done = write(ends[1], out, sizeof *out);
        _exit(done == sizeof *out ? (int)outcome : NOT_TRIED);
    }
    close(ends[1]);
    struct attempt got;
    const ssize_t size = read(ends[0], &got, sizeof got);
    close(ends[0]);
    if (size == (ssize_t)sizeof got)
        *out = got;
    if (wait4(child, &out->status, 0, &usage) != child)
        attempt_die("a process is lost");
    if (!variant) /* what an alarm leaves of a command */
        kill(-child, SIGKILL);
    out->seconds = cpu_of(&usage);
    out->outcome = outcome_of(out->status);
}

void attempt_run(struct attempt *out, const struct attempt_variant *variant,
                 const struct emit_sources *sources, uint64_t seed)
{
    start(out, variant, sources, seed, NULL);
}

void attempt_command(struct attempt *out, const char *command)
{
    start(out, NULL, NULL, 1, command);
}

void attempt_print_variant(const struct attempt_variant *variant)
{
    struct text params = {0};
    char problem[PROBLEM_CHARS];
    point_format(&params, variant->space, variant->configs, true);
    printf("    %s: %s\n", problem_format(problem, variant->problem), params.at);
    text_dispose(&params);
}

bool attempt_is_fit(struct attempt_variant *variant)
{
    struct attempt attempt;
    if (variant->seconds > 0)
        return !variant->is_unfit;
    attempt_run(&attempt, variant, variant->sources, 1);
    variant->seconds = attempt.seconds;
    variant->code_hash = attempt.code_hash;
    variant->is_unfit = attempt.outcome != RIGHT;
    if (variant->is_unfit) {
        printf("left out, for it is not right as it is, or slow: status %d: %s\n",
               attempt.status, attempt.note);
        attempt_print_variant(variant);
    }
    return !variant->is_unfit;
}
