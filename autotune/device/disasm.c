/* disasm: the disassemblers read files only, so the code goes through a temporary one. Hides
 * which of them is there. */
#include "autotune/device/disasm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_THERE = 127, PIECE = 1 << 14 };

static int write_all(int file, const char *bytes, size_t size)
{
    while (size) {
        const ssize_t count = write(file, bytes, size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return -1;
        bytes += count;
        size -= (size_t)count;
    }
    return 0;
}

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

/* In the child: what the tool prints goes to `to`, what it complains of nowhere. */
static void become(const char *const *command, int to)
{
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(to, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    execvp(command[0], (char *const *)command);
    _exit(NOT_THERE);
}

/* The tool's exit status; -1 when it could not be run to its end. */
static int run_tool(struct text *out, const char *const *command)
{
    int ends[2], status;
    if (pipe2(ends, O_CLOEXEC))
        return -1;
    const pid_t child = fork();
    if (child == 0)
        become(command, ends[1]);
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

static int try_tools(struct text *out, const char *path, struct error *error)
{
    const char *const tools[][4] = {
        {"nvdisasm", "-c", path, NULL},
        {"/usr/local/cuda/bin/nvdisasm", "-c", path, NULL},
        {"cuobjdump", "-sass", path, NULL},
        {"/usr/local/cuda/bin/cuobjdump", "-sass", path, NULL},
    };
    bool is_there = false;
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        text_clear(out);
        const int got = run_tool(out, tools[i]);
        if (got == 0 && out->length)
            return text_check(out, error);
        is_there |= got != NOT_THERE;
    }
    text_clear(out);
    return error_set(error, ERROR_FAILED,
                     is_there
                         ? "the disassembler here does not know this machine code: install "
                           "the one of the CUDA toolkit that compiled it"
                         : "neither nvdisasm nor cuobjdump is here: install the CUDA "
                           "toolkit's cuda-nvdisasm");
}

int disasm_run(struct text *out, const void *bytes, size_t size, struct error *error)
{
    char path[] = "/tmp/autotune-XXXXXX";
    struct text text = {0};
    const int file = mkostemp(path, O_CLOEXEC);
    if (file < 0)
        return error_set(error, ERROR_IO, "%s: cannot be made: %s", path, strerror(errno));
    int failed = write_all(file, bytes, size);
    if (failed)
        error_set(error, ERROR_IO, "%s: cannot be written: %s", path, strerror(errno));
    close(file);
    if (!failed)
        failed = try_tools(&text, path, error);
    unlink(path);
    if (!failed)
        text_add(out, text.at, text.length);
    text_dispose(&text);
    return failed ? -1 : 0;
}
