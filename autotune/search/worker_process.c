/* worker_process: forks a process, sets it up and executes the program in it. A process is
 * reaped only after its group was killed: until then its number cannot become another's. Hides
 * descriptors, signals, groups and the ways in which a process may end. */
#include "autotune/search/worker_process.h"

#include "autotune/device/monotonic.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CLOSE_MAX = 1 << 20 }; /* descriptors closed one by one, without close_range */

/* --- Starting ----------------------------------------------------------------------------- */

/* What the child needs, found before the fork. */
struct launch {
    char *const *argv;
    char *const *environment;
    int socket; /* above WORKER_PROCESS_SOCKET */
    pid_t parent;
    unsigned int close_end; /* without close_range: one past the last that may be open */
};

static void set_signals(void)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE,
                                  SIGTTOU /* else `stty tostop` stops one that writes */};
    struct sigaction action = {.sa_handler = SIG_IGN};
    sigset_t none;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        sigaction(ignored[i], &action, NULL);
    action.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &action, NULL); /* a worker waits for compilers */
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
}

/* stdin from nowhere; stdout where stderr goes: stray output must not mix with results. */
static bool set_descriptors(const struct launch *launch)
{
    const int null = open("/dev/null", O_RDWR); /* stays open at exec: may be in place */
    dup2(null, STDIN_FILENO);
    if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    if (dup2(launch->socket, WORKER_PROCESS_SOCKET) < 0)
        return false;
#ifdef SYS_close_range
    if (syscall(SYS_close_range, WORKER_PROCESS_SOCKET + 1, ~0U, 0) == 0)
        return true;
#endif
    for (unsigned int i = WORKER_PROCESS_SOCKET + 1; i < launch->close_end; i++)
        close((int)i);
    return true;
}

/* Runs in the forked process. The parent may have other threads, whose locks are as they were:
 * only functions that are safe in a signal handler may be called. */
static _Noreturn void run_child(const struct launch *launch)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    set_signals();
    /* A parent that ended before it could be watched wants no child any more. */
    if (getppid() == launch->parent && set_descriptors(launch))
        execve(launch->argv[0], launch->argv, launch->environment);
    _exit(127);
}

/* Out of the way of 0 to 3: a program may have been started with some of them closed. */
static int move_up(int file)
{
    if (file > WORKER_PROCESS_SOCKET)
        return file;
    const int moved = fcntl(file, F_DUPFD_CLOEXEC, WORKER_PROCESS_SOCKET + 1);
    const int reason = errno;
    close(file);
    errno = reason;
    return moved;
}

static int open_pair(int pair[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return -1;
    pair[0] = move_up(pair[0]);
    pair[1] = move_up(pair[1]);
    if (pair[0] >= 0 && pair[1] >= 0)
        return 0;
    const int reason = errno;
    for (int i = 0; i < 2; i++)
        if (pair[i] >= 0)
            close(pair[i]);
    errno = reason;
    return -1;
}

/* No signal is delivered between fork and exec: the child would run the program's handlers. */
static pid_t start_child(const struct launch *launch)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = fork();
    if (pid == 0)
        run_child(launch);
    const int reason = errno;
    if (pid > 0)
        setpgid(pid, pid); /* in both, so that it is done for whichever goes on first */
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return pid;
}

static int refuse_start(const char *program, int reason, struct error *error)
{
    return error_set(error, ERROR_FAILED,
                     "cannot start a worker process (%.500s): %s; end some programs, raise the "
                     "limits that `ulimit -a` shows or ask for fewer workers",
                     program, strerror(reason));
}

pid_t worker_process_start(int *socket, char *const argv[], struct error *error)
{
    int pair[2];
    if (open_pair(pair))
        return refuse_start(argv[0], errno, error);
    const long open_max = sysconf(_SC_OPEN_MAX);
    const struct launch launch = {
        .argv = argv,
        .environment = environ,
        .socket = pair[1],
        .parent = getpid(),
        .close_end = open_max > 0 && open_max < CLOSE_MAX ? (unsigned int)open_max : CLOSE_MAX,
    };
    const pid_t pid = start_child(&launch);
    const int reason = errno;
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return refuse_start(argv[0], reason, error);
    }
    *socket = pair[0];
    return pid;
}

/* --- Ending ------------------------------------------------------------------------------- */

/* One that is no child any more, because SIGCHLD is ignored, has ended too. */
bool worker_process_has_ended(pid_t pid)
{
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT))
        return errno != EINTR;
    return info.si_pid == pid;
}

static bool wait_end(pid_t pid, uint64_t until_ns)
{
    enum { FIRST_NS = 50000, LONGEST_NS = 10000000 };
    uint64_t pause_ns = FIRST_NS;
    while (!worker_process_has_ended(pid)) {
        if (monotonic_ns() >= until_ns)
            return false;
        const struct timespec pause = {.tv_nsec = (long)pause_ns};
        nanosleep(&pause, NULL);
        pause_ns = 2 * pause_ns < LONGEST_NS ? 2 * pause_ns : LONGEST_NS;
    }
    return true;
}

/* Kills the process by its own number too: in case its group was never made. */
void worker_process_kill(pid_t pid)
{
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
}

struct worker_process_ending worker_process_reap(pid_t pid, uint64_t grace_ns,
                                                 uint64_t until_ns)
{
    struct worker_process_ending ending = {.was_killed = !wait_end(pid, grace_ns)};
    worker_process_kill(pid);
    ending.is_known = wait_end(pid, until_ns) && waitpid(pid, &ending.status, WNOHANG) == pid;
    /* It may have been ending all the while, as when a driver takes long to let go. */
    if (ending.is_known)
        ending.was_killed = ending.was_killed && WIFSIGNALED(ending.status) &&
                            WTERMSIG(ending.status) == SIGKILL;
    return ending;
}

bool worker_process_is_out_of_time(const struct worker_process_ending *ending)
{
    return ending->is_known && WIFSIGNALED(ending->status) &&
           WTERMSIG(ending->status) == SIGPROF;
}

void worker_process_describe(const struct worker_process_ending *ending, bool is_cut, char *how,
                             size_t size)
{
    const char *where = is_cut ? " in the middle of a message" : "";
    const int status = ending->status;
    if (ending->was_killed)
        snprintf(how, size, "it closed its connection without ending%s", where);
    else if (!ending->is_known)
        snprintf(how, size, "it ended in an unknown way%s", where);
    else if (worker_process_is_out_of_time(ending))
        snprintf(how, size, "it used up its processor time without an answer");
    else if (WIFSIGNALED(status))
        snprintf(how, size, "it was killed by signal %d (%.40s)%s", WTERMSIG(status),
                 strsignal(WTERMSIG(status)), where);
    else if (WEXITSTATUS(status) == 127)
        snprintf(how, size, "it could not be run, or exited with status 127%s", where);
    else
        snprintf(how, size, "it exited with status %d%s", WEXITSTATUS(status), where);
}
