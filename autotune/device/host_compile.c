/* host_compile: finds the compiler, writes the units, runs it, reads the library back. The
 * compiler's own temporary files go to the same folder, so nothing is left behind even when it
 * dies; its messages go to memory. */
#include "autotune/device/host_compile.h"

#include "autotune/device/child.h"
#include "autotune/device/fiber.h"
#include "autotune/device/host_source.h"
#include "autotune/device/temporary.h"
#include "cache/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    LIBRARY_MAX = 256 << 20, /* bytes of a compiled image */
    MESSAGE_LINES = 12,      /* of a failed compile, in its error */
    MESSAGE_CHARS = 1500,
};

#if defined(FIBER_ASAN) || defined(FIBER_TSAN)
/* The sanitizer's run-time library in the program must be the one that the kernel expects. */
#ifdef __clang__
static const char *const programs[] = {"clang"};
#else
static const char *const programs[] = {"gcc"};
#endif
#else
static const char *const programs[] = {"cc", "gcc", "clang"};
#endif
enum { PROGRAM_COUNT = sizeof programs / sizeof *programs };

static const char *const common_flags[] = {
    "-std=gnu11",
    "-fwrapv",              /* integers wrap around on a GPU */
    "-fno-strict-aliasing", /* kernels look at memory as elements and as vectors */
    "-ffp-contract=off",    /* the same result on every host */
    "-w",                   /* pragmas and parts not used are no fault of the kernel */
    "-fPIC",
    "-shared",
    "-pipe",
    NULL,
};
/* A misaligned access, which a GPU refuses, ends the process, and so does an index past an array
 * whose size is known: of a thread's own, whose value may not be used, or in shared memory. */
static const char *const run_flags[] = {
    "-O1",
    "-fsanitize=alignment,bounds",
    "-fsanitize-undefined-trap-on-error",
#ifdef FIBER_ASAN
    "-fsanitize=address",
    "-g1",
#endif
#ifdef FIBER_TSAN
    "-fsanitize=thread",
    "-g1",
#endif
    NULL,
};
/* Compiles every access as it is in the source, each with a call of a function of
 * templates/host/host_tsan.h, in place of ThreadSanitizer's library. */
static const char *const trace_flags[] =
    {"-O0", "-fsanitize=thread", "-nodefaultlibs",
     "-DHOST_SELF=__attribute__((weak, visibility(\"hidden\")))", NULL};

/* Has a function of templates/host/host_late.h called before each store, in place of AddressSanitizer's
 * check. A real sanitizer leaves no room for it. */
#if defined(FIBER_ASAN) || defined(FIBER_TSAN)
enum { CAN_BE_LATE = false };
#else
enum { CAN_BE_LATE = true };
#endif
static const char *const late_gcc[] = {
    "-fsanitize=kernel-address",
    "--param=asan-instrumentation-with-call-threshold=0",
    "--param=asan-instrument-reads=0",
    "--param=asan-stack=0",
    "--param=asan-globals=0",
    "-DHOST_SELF=__attribute__((weak, visibility(\"hidden\")))",
    NULL,
};
static const char *const late_clang[] = {
    "-fsanitize=kernel-address",
    "-mllvm",
    "-asan-instrumentation-with-call-threshold=0",
    "-mllvm",
    "-asan-instrument-reads=0",
    "-mllvm",
    "-asan-stack=0",
    "-mllvm",
    "-asan-globals=0",
    "-DHOST_SELF=__attribute__((weak, visibility(\"hidden\")))",
    NULL,
};
static const char *const no_flags[] = {NULL};

static const char *const *late_flags(const struct host_compiler *compiler)
{
    const bool can = CAN_BE_LATE && !compiler->is_tracing;
    return can && strncmp(compiler->version, "gcc ", 4) == 0     ? late_gcc
           : can && strncmp(compiler->version, "clang ", 6) == 0 ? late_clang
                                                                 : no_flags;
}

static const char *hooks_of(const struct host_compiler *compiler)
{
    return compiler->is_tracing    ? "templates/host/host_tsan.h"
           : *late_flags(compiler) ? "templates/host/host_late.h"
                                   : NULL;
}

/* --- Running it --------------------------------------------------------------------------- */

/* The environment, with `language` and `temporary` in place of its own. The caller frees the
 * array, not its strings. NULL is out of memory. */
static char **make_environment(char *language, char *temporary)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **list = malloc((count + 3) * sizeof *list);
    if (!list)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "LC_ALL=", 7) != 0 && strncmp(environ[i], "TMPDIR=", 7) != 0)
            list[kept++] = environ[i];
    list[kept++] = language;
    list[kept++] = temporary;
    list[kept] = NULL;
    return list;
}

/* Runs argv to its end; `message` gets the first MESSAGE_CHARS of what it wrote. Returns as
 * child_run does. */
static int run_child(const char *const *argv, const char *folder, char message[MESSAGE_CHARS])
{
    char language[] = "LC_ALL=C", temporary[PATH_MAX];
    message[0] = '\0';
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", folder);
    char **environment = make_environment(language, temporary);
    const int log = environment ? memfd_create("messages", MFD_CLOEXEC) : -1;
    int reason = environment ? errno : ENOMEM;
    int status = CHILD_NOT_RUN;
    if (log >= 0) {
        status = child_run(argv, environment, log, true);
        reason = errno;
        const ssize_t length = pread(log, message, MESSAGE_CHARS - 1, 0);
        message[length > 0 ? length : 0] = '\0';
        close(log);
    }
    free(environment);
    errno = reason;
    return status > CHILD_SIGNAL ? status - CHILD_SIGNAL + 128
                                 : status; /* as a shell says it */
}

/* Cuts a message after its first lines. */
static void cut(char *message)
{
    char *at = message;
    for (int line = 0; line < MESSAGE_LINES && *at; line++)
        at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n');
    *at = '\0';
    while (at > message && at[-1] == '\n')
        *--at = '\0';
}

/* --- What is lacking ---------------------------------------------------------------------- */

/* What a compile may lack that is no fault of its kernel: as errno has it, as the compiler, the
 * assembler and the linker write it in the C locale, and what to do. */
static const struct lack {
    int reason;
    const char *text, *remedy;
} lacks[] = {
    {ENOSPC, "No space left on device", "make room there, or name another folder in TMPDIR"},
    {EDQUOT, "Disk quota exceeded", "make room there, or name another folder in TMPDIR"},
    {EROFS, "Read-only file system", "name another folder in TMPDIR"},
    {EIO, "Input/output error", "name another folder in TMPDIR"},
    {EFBIG, "File too large", "raise what `ulimit -f` shows"},
    {EFBIG, "File size limit exceeded", "raise what `ulimit -f` shows"},
    {EMFILE, "Too many open files", "raise what `ulimit -n` shows"},
    {ENFILE, "Too many open files in system", "end what has so many open"},
    {ENOMEM, "Cannot allocate memory", "free some, or raise what `ulimit -v` shows"},
    {ENOMEM, "virtual memory exhausted", "free some, or raise what `ulimit -v` shows"},
    {ENOMEM, "memory exhausted", "free some, or raise what `ulimit -v` shows"},
    {EAGAIN, "Resource temporarily unavailable", "raise what `ulimit -u` shows"},
    {EINTR, "Killed", "free memory, which most often is why the system ends one"},
};
enum { LACKS = sizeof lacks / sizeof *lacks };

static const char *remedy_of(int reason)
{
    for (size_t i = 0; i < LACKS; i++)
        if (lacks[i].reason == reason)
            return lacks[i].remedy;
    return "name another folder in TMPDIR";
}

/* NULL: the kernel is at fault. */
static const struct lack *find_lack(const char *message, int status)
{
    for (size_t i = 0; i < LACKS; i++)
        if (strstr(message, lacks[i].text) ||
            (status == 128 + SIGXFSZ && lacks[i].reason == EFBIG) ||
            (status == 128 + SIGKILL && lacks[i].reason == EINTR))
            return &lacks[i];
    return NULL;
}

/* --- The compiler ------------------------------------------------------------------------- */

/* "gcc (Debian 12.2.0-14) 12.2.0" to "12.2.0": the first number outside parentheses. */
static const char *find_version(char *line)
{
    line[strcspn(line, "\n")] = '\0';
    int depth = 0;
    for (char *at = line; *at; at++) {
        depth += (*at == '(') - (*at == ')');
        if (depth == 0 && at > line && at[-1] == ' ' && isdigit((unsigned char)*at)) {
            at[strcspn(at, " ")] = '\0';
            return at;
        }
    }
    return "of an unknown version";
}

int host_compile_find(struct host_compiler *out, struct error *error)
{
    char message[MESSAGE_CHARS];
    for (int i = 0; i < PROGRAM_COUNT; i++) {
        const char *const argv[] = {programs[i], "--version", NULL};
        const int status = run_child(argv, temporary_folder(), message);
        if (status == CHILD_NOT_RUN && errno != ENOENT && errno != EACCES)
            return error_set(error, ERROR_IO, "cannot run %s: %s; %s", programs[i],
                             strerror(errno), remedy_of(errno));
        if (status != 0 && !(status == CHILD_ENDED_UNSEEN && *message)) {
            const struct lack *lack =
                status == CHILD_NOT_RUN ? NULL : find_lack(message, status);
            if (lack)
                return error_set(error, ERROR_IO, "cannot run %s: %s; %s", programs[i],
                                 lack->text, lack->remedy);
            continue;
        }
        const char *family = strstr(message, "clang")                      ? "clang"
                             : strstr(message, "Free Software Foundation") ? "gcc"
                                                                           : programs[i];
        out->program = programs[i];
        snprintf(out->version, sizeof out->version, "%s %.40s", family, find_version(message));
        return 0;
    }
    return error_set(error, ERROR_NO_DEVICE,
                     "the host device needs a C compiler and found none in PATH: install %s%s",
                     programs[PROGRAM_COUNT - 1], PROGRAM_COUNT > 1 ? " or gcc" : "");
}

/* --- The folder --------------------------------------------------------------------------- */

static int write_error(const char *path, struct error *error)
{
    return error_set(error, ERROR_IO, "cannot write %s: %s; %s", path, strerror(errno),
                     remedy_of(errno));
}

static int write_file(const char *path, const struct text *text, struct error *error)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return write_error(path, error);
    if (file_write(file, text->at, text->length)) {
        write_error(path, error);
        close(file);
        return -1;
    }
    return close(file) ? write_error(path, error) : 0;
}

static int write_units(const char *folder, const struct device_source *sources, size_t count,
                       const char *hooks, struct error *error)
{
    struct text unit = {0};
    int status = 0;
    for (size_t i = 0; i < count && status == 0; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/unit%zu.c", folder, i);
        text_clear(&unit);
        status = host_source_write(&unit, &sources[i], i, hooks, error);
        if (status == 0)
            status = write_file(path, &unit, error);
    }
    text_dispose(&unit);
    return status;
}

/* --- A compile ---------------------------------------------------------------------------- */

static void add_word(struct text *words, size_t *count, const char *word)
{
    text_add(words, word, strlen(word) + 1);
    ++*count;
}

/* Program, flags, -o, the library, the units, NULL, in memory of `words`. NULL is out of memory;
 * free the array. */
static const char **make_argv(struct text *words, const struct host_compiler *compiler,
                              const char *folder, size_t count)
{
    const char *const *const lists[] = {common_flags,
                                        compiler->is_tracing ? trace_flags : run_flags,
                                        late_flags(compiler)};
    char path[sizeof((struct temporary *)0)->path + 40];
    size_t word_count = 0;
    add_word(words, &word_count, compiler->program);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const char *const *flag = lists[i]; *flag; flag++)
            add_word(words, &word_count, *flag);
    snprintf(path, sizeof path, "-o%s/kernel.so", folder);
    add_word(words, &word_count, path);
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/unit%zu.c", folder, i);
        add_word(words, &word_count, path);
    }
    const char **argv = words->failed ? NULL : calloc(word_count + 1, sizeof *argv);
    const char *at = words->at;
    for (size_t i = 0; argv && i < word_count; i++, at += strlen(at) + 1)
        argv[i] = at;
    return argv;
}

/* Compiles to `library`. Where nobody saw how the compiler ended, the library tells: a compiler that
 * fails leaves none. */
static int run_compiler(const struct host_compiler *compiler, const char *folder,
                        const char *library, const struct device_source *sources, size_t count,
                        struct error *error)
{
    char message[MESSAGE_CHARS];
    struct text words = {0};
    const char **argv = make_argv(&words, compiler, folder, count);
    const int status = argv ? run_child(argv, folder, message) : CHILD_NOT_RUN;
    const int reason = argv ? errno : ENOMEM;
    free(argv);
    text_dispose(&words);
    if (status == CHILD_NOT_RUN)
        return error_set(error, ERROR_IO, "cannot run %s: %s; %s", compiler->program,
                         strerror(reason), remedy_of(reason));
    if (status == CHILD_ENDED_UNSEEN ? access(library, F_OK) == 0 : status == 0)
        return 0;
    const struct lack *lack = find_lack(message, status);
    if (lack)
        return error_set(error, ERROR_IO, "%s cannot compile in %s: %s; %s", compiler->program,
                         temporary_folder(), lack->text, lack->remedy);
    cut(message);
    if (!*message &&
        status < 128) /* of a kernel it would have said what is wrong, or crashed */
        return error_set(error, ERROR_IO,
                         "%s cannot compile in %s: it ended with status %d and said nothing",
                         compiler->program, temporary_folder(), status);
    return error_set_lines(error, ERROR_FAILED,
                           "%s does not compile kernel '%s'%s (status %d):\n%s",
                           compiler->program, sources[0].kernel, count > 1 ? " and others" : "",
                           status, message);
}

/* Takes over the library's bytes and names its units. */
static int fill_image(struct device_image *out, struct text *library, size_t count,
                      struct error *error)
{
    char **names = calloc(count ? count : 1, sizeof *names);
    for (size_t i = 0; names && i < count; i++) {
        if (asprintf(&names[i], "host_unit_%zu", i) >= 0)
            continue;
        while (i > 0)
            free(names[--i]);
        free(names);
        names = NULL;
    }
    if (!names)
        return error_memory(error, count * sizeof *names);
    *out = (struct device_image){.bytes = library->at,
                                 .size = library->length,
                                 .names = names,
                                 .count = count};
    *library = (struct text){0};
    return 0;
}

int host_compile_image(const struct host_compiler *compiler,
                       const struct device_source *sources, size_t count,
                       struct device_image *out, struct error *error)
{
    struct temporary folder;
    struct text library = {0};
    char path[PATH_MAX];
    if (temporary_open(&folder, error))
        return -1;
    snprintf(path, sizeof path, "%s/kernel.so", folder.path);
    int status = write_units(folder.path, sources, count, hooks_of(compiler), error);
    if (status == 0)
        status = run_compiler(compiler, folder.path, path, sources, count, error);
    if (status == 0)
        status = text_read(&library, path, LIBRARY_MAX, error);
    if (status == 0)
        status = fill_image(out, &library, count, error);
    temporary_close(&folder);
    text_dispose(&library);
    return status;
}
