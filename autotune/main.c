/* main: finds the verb, runs it, prints what went wrong, exits. The only place that exits. */
#include "autotune/cli/interrupt.h"
#include "autotune/cli/output.h"
#include "autotune/cli/verbs.h"
#include "generator/error.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    PROGRAM_CHARS = 32,
    SIGNAL_EXIT = 128,
    STACK_LEAST =
        256 << 10, /* all that was tried, NVRTC too, fits 128 KiB by gcc, 160 by clang */
    STACK_USUAL = 8 << 20,
    FILES_USUAL = 4096, /* the emulator has one for each block under way of each kernel */
};

static bool is_one_of(const char *word, const char *name, const char *letter)
{
    return strcmp(word, name) == 0 || strcmp(word, letter) == 0;
}

/* `program` becomes what messages call us: "autotune show". */
static int run_verb(char program[PROGRAM_CHARS], int argc, char **argv, struct error *error)
{
    const struct verb_row *verb = verbs_find(argv[1]);
    if (!verb)
        return verbs_refuse(argv[1], error);
    snprintf(program, PROGRAM_CHARS, "autotune %s", verb->name);
    argv[1] = program;
    return verbs_run(verb, argc - 1, argv + 1, error);
}

static int run_command_line(int argc, char **argv, struct error *error)
{
    char program[PROGRAM_CHARS] = "autotune";
    char *const first = argc > 1 ? argv[1] : program;
    if (argc > 1 && *first != '-')
        return run_verb(program, argc, argv, error);
    if (is_one_of(first, "--help", "-h"))
        return verbs_run(&verb_help, 1, argv, error);
    if (is_one_of(first, "--version", "-V"))
        return verbs_run(&verb_version, 1, argv, error);
    snprintf(program, sizeof program, "autotune tune");
    if (argc > 0)
        argv[0] = program;
    return verbs_run(&verb_tune, argc, argv, error);
}

/* A file opened later must not get the number of a stream that the caller closed: results would
 * be written into it. To write them to what can only be read fails, as it should. */
static int open_streams(struct error *error)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        const int flags = stream == STDERR_FILENO ? O_WRONLY : O_RDONLY;
        if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", flags) != stream)
            return error_set(error, ERROR_IO,
                             "cannot open /dev/null in place of the closed stream %d: %s; "
                             "leave the stream open",
                             stream, strerror(errno));
    }
    return 0;
}

/* To `usual`, or as far as this process may. */
static void raise_limit(struct rlimit *limit, rlim_t usual)
{
    if (limit->rlim_cur < usual)
        limit->rlim_cur = limit->rlim_max < usual ? limit->rlim_max : usual;
}

/* A shell may have lowered what the user may have. Threads begin with the limit of the stack that
 * was found when the program began. */
static int take_limits(struct error *error)
{
    struct rlimit stack = {STACK_USUAL, STACK_USUAL}, files;
    pthread_attr_t threads;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        raise_limit(&files, FILES_USUAL);
        setrlimit(RLIMIT_NOFILE, &files);
    }
    if (getrlimit(RLIMIT_STACK, &stack) == 0) {
        raise_limit(&stack, STACK_USUAL);
        setrlimit(RLIMIT_STACK, &stack);
    }
    if (stack.rlim_cur < STACK_LEAST) {
        error->code = ERROR_FAILED;
        snprintf(error->text, sizeof error->text,
                 "the stack is limited to %llu KiB, and %d are needed: raise what "
                 "`ulimit -Hs` shows",
                 (unsigned long long)stack.rlim_cur / 1024, STACK_LEAST / 1024);
        return -1;
    }
    if (pthread_attr_init(&threads) == 0) {
        pthread_attr_setstacksize(&threads,
                                  stack.rlim_cur < STACK_USUAL ? stack.rlim_cur : STACK_USUAL);
        pthread_setattr_default_np(&threads);
        pthread_attr_destroy(&threads);
    }
    return 0;
}

/* 16 KiB of stack must do to say that they are too few: so neither of these is on it, nor a copy as
 * error_set makes one, nor the buffer that fprintf has there for standard error. */
static struct error error = {.code = ERROR_FAILED};
static char message[sizeof error.text + 64];

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write, which has an exit code */
    signal(SIGXFSZ, SIG_IGN); /* so is a file above the limit of its size */
    signal(SIGCHLD, SIG_DFL); /* who started us may ignore it; we ask how children ended */
    const int failed =
        open_streams(&error) || take_limits(&error) || run_command_line(argc, argv, &error);
    if (!failed || error.code == ERROR_NONE)
        return 0;
    const int number = interrupt_signal();
    if (!*error.text) /* nobody reads any more: said by the exit status alone */
        return error_status(error.code);
    snprintf(message, sizeof message, "autotune: %s%s\n",
             number && error.code != ERROR_INTERRUPTED ? "interrupted: " : "", error.text);
    output_error(message);
    return number ? SIGNAL_EXIT + number : error_status(error.code);
}
