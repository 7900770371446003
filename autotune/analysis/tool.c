/* tool: starts a process with a pipe for its output and a file in memory for its errors, which
 * therefore never wait for each other. */
#include "autotune/analysis/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
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

/* Runs in the child process. */
static void become(const char *const *command, int to, int errors_to)
{
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(nowhere, STDIN_FILENO);
    dup2(to, STDOUT_FILENO);
    dup2(errors_to < 0 ? nowhere : errors_to, STDERR_FILENO);
    execvp(command[0], (char *const *)command);
    _exit(TOOL_MISSING);
}

/* The child process's exit status, as tool_run returns it. */
static int wait_for(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int run_program(struct text *out, int errors_to, const char *const *command)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return -1;
    const pid_t child = fork();
    if (child == 0)
        become(command, ends[1], errors_to);
    close(ends[1]);
    if (child > 0)
        read_all(out, ends[0]);
    close(ends[0]);
    return child < 0 ? -1 : wait_for(child);
}

int tool_run(struct text *out, struct text *errors, const char *const *command)
{
    if (!errors)
        return run_program(out, -1, command);
    const int kept = memfd_create("errors", MFD_CLOEXEC);
    if (kept < 0)
        return -1;
    const int status = run_program(out, kept, command);
    if (lseek(kept, 0, SEEK_SET) == 0)
        read_all(errors, kept);
    close(kept);
    return status;
}
