/* supervise: forks the process, gives it the signals that come, and reads how it ended. A pipe that
 * it holds open says that it is there. */
#include "autotune/cli/supervise.h"

#include "autotune/cli/interrupt.h"
#include "autotune/search/worker_process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GRACE_MS = 5000, LOOK_MS = 100 };

/* How the run ended, in memory of both. */
struct ending {
    int failed, is_over;
    struct error error;
};

void *supervise_alloc(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void supervise_free(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, bytes);
}

static _Noreturn void run_child(supervised *run, void *context, struct ending *ending,
                                pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    if (getppid() != parent)
        _exit(1);
    ending->failed = run(context, &ending->error);
    ending->is_over = 1;
    fflush(NULL);
    _exit(0);
}

/* Waits until the process has ended; after a signal that it gets too, not for ever. */
static void wait_for(pid_t child, int alive)
{
    struct pollfd look = {.fd = alive, .events = POLLIN};
    int left_ms = GRACE_MS;
    bool is_told = false;
    for (;;) {
        const int got = poll(&look, 1, LOOK_MS);
        if (got > 0 || (got < 0 && errno != EINTR))
            return;
        if (!interrupt_came())
            continue;
        if (!is_told)
            kill(child, interrupt_signal());
        is_told = true;
        left_ms -= got == 0 ? LOOK_MS : 0;
        if (left_ms <= 0)
            kill(child, SIGKILL);
    }
}

static int judge(const struct ending *ending, int status, struct error *error)
{
    const struct worker_process_ending how = {.is_known = true, .status = status};
    char text[200];
    if (interrupt_came())
        return error_set(error, ERROR_INTERRUPTED,
                         "interrupted: there is no result; run the same command again");
    if (ending->is_over) {
        *error = ending->error;
        return ending->failed;
    }
    worker_process_describe(&how, false, text, sizeof text);
    return error_set(error, ERROR_FAILED,
                     "the process that ran the kernels did not come to its end: %s; see "
                     "'autotune doctor'",
                     text);
}

int supervise_run_signal(supervised *run, void *context, int *signal, struct error *error)
{
    struct ending *ending = supervise_alloc(sizeof *ending);
    int alive[2], status = 0;
    *signal = 0;
    if (!ending || pipe(alive)) {
        supervise_free(ending, sizeof *ending);
        return error_set(error, ERROR_FAILED, "no memory or no pipe for another process: %s",
                         strerror(errno));
    }
    fflush(NULL);
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        close(alive[0]);
        run_child(run, context, ending, parent);
    }
    const int reason = errno;
    close(alive[1]);
    if (child > 0) {
        wait_for(child, alive[0]);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
    }
    close(alive[0]);
    const int failed = child > 0
                           ? judge(ending, status, error)
                           : error_set(error, ERROR_FAILED,
                                       "no other process can be started: %s", strerror(reason));
    *signal = child > 0 && !ending->is_over && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    supervise_free(ending, sizeof *ending);
    return failed;
}

int supervise_run(supervised *run, void *context, struct error *error)
{
    int signal;
    return supervise_run_signal(run, context, &signal, error);
}
