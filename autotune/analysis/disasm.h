/* disasm: disassembles machine code with NVIDIA's disassembler where one is installed. */
#ifndef AUTOTUNE_DISASM_H
#define AUTOTUNE_DISASM_H

#include "generator/error.h"
#include "generator/text.h"

#include <stddef.h>

/* Appends the output of nvdisasm, else cuobjdump, for a cubin; each is looked for on the PATH
 * and in the toolkit's usual place. ERROR_NO_DEVICE where neither is there, ERROR_FAILED where none
 * knows the architecture: a caller goes on with PTX. ERROR_IO where there is no room for a file. */
int disasm_run(struct text *out, const void *bytes, size_t size, struct error *error);

#endif
