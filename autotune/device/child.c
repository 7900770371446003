/* child: spawns a program and waits for it. Hides the order in which descriptors must be laid,
 * for `messages` may have the number of a stream that the caller closed. */
#include "autotune/device/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/wait.h>

static int set_signals(posix_spawnattr_t *attributes)
{
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGCHLD);
    const int reason = posix_spawnattr_setsigmask(attributes, &none);
    return reason || posix_spawnattr_setsigdefault(attributes, &usual)
               ? reason
               : posix_spawnattr_setflags(attributes,
                                          POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

/* Messages first: after that nothing can take their place. */
static int set_streams(posix_spawn_file_actions_t *actions, int messages, bool keeps_output)
{
    int reason = posix_spawn_file_actions_adddup2(actions, messages, 2);
    if (!reason)
        reason = keeps_output
                     ? posix_spawn_file_actions_adddup2(actions, 2, 1)
                     : posix_spawn_file_actions_addopen(actions, 1, "/dev/null", O_WRONLY, 0);
    if (!reason)
        reason = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
    return reason;
}

/* Returns 0 or an errno. */
static int start(pid_t *child, const char *const *argv, char *const *environment, int messages,
                 bool keeps_output)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int reason = posix_spawn_file_actions_init(&actions);
    if (reason)
        return reason;
    reason = posix_spawnattr_init(&attributes);
    if (!reason) {
        reason = set_signals(&attributes);
        if (!reason)
            reason = set_streams(&actions, messages, keeps_output);
        if (!reason)
            reason = posix_spawnp(child, argv[0], &actions, &attributes,
                                  (char *const *)(uintptr_t)argv, environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return reason;
}

/* Has it still to be waited for? errno does not tell: a handler of the caller's may have spoiled it. */
static bool is_there(pid_t child)
{
    siginfo_t info;
    return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

int child_run(const char *const *argv, char *const *environment, int messages,
              bool keeps_output)
{
    pid_t child;
    int status = 0;
    const int reason = start(&child, argv, environment, messages, keeps_output);
    if (reason) {
        errno = reason;
        return CHILD_NOT_RUN;
    }
    while (waitpid(child, &status, 0) < 0)
        if (!is_there(child))
            return CHILD_ENDED_UNSEEN;
    return WIFEXITED(status) ? WEXITSTATUS(status) : CHILD_SIGNAL + WTERMSIG(status);
}
