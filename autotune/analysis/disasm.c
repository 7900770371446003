/* disasm: runs the disassembler that is installed. Disassemblers read files only, so the code
 * goes through one in a temporary folder. */
#include "autotune/analysis/disasm.h"

#include "autotune/analysis/tool.h"
#include "autotune/device/temporary.h"
#include "cache/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
        const int got = tool_run(out, NULL, tools[i]);
        if (got == 0 && out->length)
            return text_check(out, error);
        is_there |= got != TOOL_MISSING;
    }
    text_clear(out);
    return error_set(error, is_there ? ERROR_FAILED : ERROR_NO_DEVICE,
                     is_there
                         ? "the disassembler here does not know this machine code: install "
                           "the one of the CUDA toolkit that compiled it"
                         : "neither nvdisasm nor cuobjdump is here: install the CUDA "
                           "toolkit's cuda-nvdisasm");
}

static int write_code(const char *path, const void *bytes, size_t size, struct error *error)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const int failed = file < 0 || file_write(file, bytes, size) != 0;
    if (failed)
        error_set(error, ERROR_IO, "%s: cannot be written: %s", path, strerror(errno));
    if (file >= 0)
        close(file);
    return failed ? -1 : 0;
}

int disasm_run(struct text *out, const void *bytes, size_t size, struct error *error)
{
    struct temporary folder;
    struct text path = {0}, text = {0};
    temporary_sweep();
    if (temporary_open(&folder, error))
        return -1;
    text_addf(&path, "%s/code", folder.path);
    const int failed = text_check(&path, error) || write_code(path.at, bytes, size, error) ||
                       try_tools(&text, path.at, error);
    temporary_close(&folder);
    if (!failed)
        text_add(out, text.at, text.length);
    text_dispose(&path);
    text_dispose(&text);
    return failed ? -1 : 0;
}
