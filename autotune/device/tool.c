/* tool: a child with a pipe for its output. Hides both. */
#include "autotune/device/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIECE = 1 << 14 };

static void read_all(struct text *out, int file)
{
    char piece[PIECE];
    ssize_t count;
    while ((count = read(file, piece, sizeof piece)) != 0)
        if (count > 0)
            text_add(out, piece, (size_t)count);
        else if (errno != EINTR)
            break;
}

/* In the child. */
static void become(const char *const *command, int to, bool with_errors)
{
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(nowhere, STDIN_FILENO);
    dup2(to, STDOUT_FILENO);
    dup2(with_errors ? to : nowhere, STDERR_FILENO);
    execvp(command[0], (char *const *)command);
    _exit(TOOL_MISSING);
}

int tool_run(struct text *out, const char *const *command, bool with_errors)
{
    int ends[2], status;
    if (pipe2(ends, O_CLOEXEC))
        return -1;
    const pid_t child = fork();
    if (child == 0)
        become(command, ends[1], with_errors);
    close(ends[1]);
    if (child > 0)
        read_all(out, ends[0]);
    close(ends[0]);
    if (child < 0)
        return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
