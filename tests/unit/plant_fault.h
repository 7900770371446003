/* A variant on the host device, checked as a tuning checks it, in a process of its own: a kernel
 * with a fault may do there what it likes. The variants of a test are named by letters. */
#ifndef AUTOTUNE_TESTS_FAULT_PROCESS_H
#define AUTOTUNE_TESTS_FAULT_PROCESS_H

#include "autotune/verify/compiler.h"
#include "generator/text.h"
#include "tests/unit/reduce_files.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The exit status of a process that checks kernels; any other status is a crash. */
enum outcome { RIGHT = 40, WRONG, FAILED };
enum { NOTE_CHARS = 400, GRIDS = 2, CPU_SECONDS = 100 };

/* GRIDS candidates of one variant, compiled and loaded on a host device of their own. */
struct loaded_variant {
    struct device *device;
    struct device_module *module;
    struct compiled_unit unit;
    struct point_variant only;
    struct points points;
    struct device_kernel loaded[COMPILER_KERNELS];
    const struct device_kernel *of_passes[SPACE_PASSES_MAX];
};

/* False, with a note, where it does not compile. */
static bool load_variant(struct loaded_variant *out, const struct point_context *context,
                         const struct emit_sources *sources, int64_t *rows, uint64_t seed,
                         char note[NOTE_CHARS])
{
    const struct device_options options = {.spec = "host", .seed = seed};
    const size_t first = 0;
    struct error error;
    out->only = (struct point_variant){0, GRIDS};
    out->points = (struct points){.width = context->space->param_count,
                                  .configs = rows,
                                  .count = GRIDS,
                                  .variants = &out->only,
                                  .variant_count = 1};
    if (host_open(&out->device, &options, &error) ||
        compiler_compile(&out->unit, out->device, context, sources, &out->points, &first, 1,
                         &error) ||
        out->unit.variants[0].is_failed ||
        out->device->ops->load(out->device, &out->unit.image, &out->module, out->loaded,
                               &error)) {
        snprintf(note, NOTE_CHARS, "does not compile");
        return false;
    }
    compiler_kernels(&out->unit.variants[0], out->loaded, out->of_passes);
    return true;
}

static void unload_variant(struct loaded_variant *variant)
{
    variant->device->ops->unload(variant->device, variant->module);
    compiler_dispose(&variant->unit);
    device_close(variant->device);
}

/* Checks the variant of this letter. */
typedef enum outcome letter_check(const void *fixture, const struct emit_sources *sources,
                                  char letter, uint64_t seed, char note[NOTE_CHARS]);

/* The status of a process that checks variants until one is not right. */
static int run_child(letter_check *check, const void *fixture,
                     const struct emit_sources *sources, const char *legend, unsigned seeds,
                     char note[NOTE_CHARS])
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit no_core = {0, 0}, cpu = {CPU_SECONDS, CPU_SECONDS};
        enum outcome outcome = RIGHT;
        setrlimit(RLIMIT_CORE, &no_core);
        setrlimit(RLIMIT_CPU, &cpu);
        signal(SIGSEGV, SIG_DFL); /* cmocka's handlers would go on with the tests */
        signal(SIGBUS, SIG_DFL);
        signal(SIGILL, SIG_DFL); /* the end of a misaligned access */
        *note = '\0';
        for (; outcome == RIGHT && *legend; legend++)
            for (unsigned seed = 0; outcome == RIGHT && seed < seeds; seed++)
                outcome = check(fixture, sources, *legend, seed, note);
        if (write(ends[1], note, strlen(note)) < 0)
            outcome = FAILED;
        _exit((int)outcome);
    }
    close(ends[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    const ssize_t got = read(ends[0], note, NOTE_CHARS - 1);
    note[got > 0 ? got : 0] = '\0';
    close(ends[0]);
    return status;
}

static bool is_right(int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == RIGHT;
}

/* A sanitizer ends the process with a status of its own where a fault writes past an array. */
static bool is_found(int status)
{
    return WIFSIGNALED(status) ? WTERMSIG(status) != SIGXCPU
                               : WEXITSTATUS(status) != FAILED && WEXITSTATUS(status) != RIGHT;
}

/* `length` characters of the text at `at` replaced; owned by the caller. */
static char *replace(const char *text, const char *at, size_t length, const char *to)
{
    struct text out = {0};
    text_add(&out, text, (size_t)(at - text));
    text_adds(&out, to);
    text_adds(&out, at + length);
    return out.at;
}

/* Does each of the variants show it? Else says which does not. */
static bool each_shows(letter_check *check, const void *fixture,
                       const struct emit_sources *sources, const char *legend, unsigned seeds,
                       const char *what)
{
    bool is_shown = true;
    for (; *legend; legend++) {
        const char alone[] = {*legend, '\0'};
        char note[NOTE_CHARS];
        if (is_found(run_child(check, fixture, sources, alone, seeds, note)))
            continue;
        print_error("not caught by %s: %s: %s\n", alone, what, note);
        is_shown = false;
    }
    return is_shown;
}

/* Of the variants that show a fault another one each time; EVERY=1: all. */
static const char *choose_letters(const char *legend, char one[2])
{
    static size_t turn;
    if (getenv("EVERY"))
        return legend;
    one[0] = legend[turn++ % strlen(legend)];
    one[1] = '\0';
    return one;
}

/* Seeds of what is right: one; EVERY=1: `most`. */
static unsigned choose_seeds(unsigned most)
{
    return getenv("EVERY") ? most : 1;
}

/* Does each variant that is tried show it when `from` becomes `to` in one of the texts of `sources`, a
 * copy? Else says so. */
static bool is_caught(letter_check *check, const void *fixture, struct emit_sources *sources,
                      const char **text, const char *from, const char *to, const char *legend)
{
    const char *at = strstr(*text, from);
    char what[400], one[2];
    if (!at)
        fail_msg("there is no '%s': change it with the template", from);
    char *changed = replace(*text, at, strlen(from), to);
    *text = changed;
    snprintf(what, sizeof what, "'%.180s' for '%.180s'", to, from);
    const bool is_shown =
        each_shows(check, fixture, sources, choose_letters(legend, one), 1, what);
    free(changed);
    return is_shown;
}

#endif
