/* request_files: checks the files that the command line names before any long work starts. */
#ifndef AUTOTUNE_REQUEST_FILES_H
#define AUTOTUNE_REQUEST_FILES_H

#include "autotune/cli/request.h"

/* Creates no file. ERROR_IO: a file to be written at the end cannot be, or a folder of
 * records that is only read is not there; ERROR_NO_DEVICE: the library of --nvrtc cannot be
 * used, for a verb that would go on without one. */
int request_files_check(const struct request *request, struct error *error);

#endif
