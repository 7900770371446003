/* disasm: runs the disassembler that is installed. Disassemblers read files only, so the code
 * goes through a temporary one. */
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

int disasm_run(struct text *out, const void *bytes, size_t size, struct error *error)
{
    char path[TEMPORARY_CHARS + 20];
    struct text text = {0};
    snprintf(path, sizeof path, "%s/autotune-XXXXXX", temporary_folder());
    const int file = mkostemp(path, O_CLOEXEC);
    if (file < 0)
        return error_set(error, ERROR_IO,
                         "%s: cannot be made: %s; name another folder in TMPDIR", path,
                         strerror(errno));
    int failed = file_write(file, bytes, size);
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
