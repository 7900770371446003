/* request_files: files that the command line names, looked at before anything takes long. */
#ifndef AUTOTUNE_REQUEST_FILES_H
#define AUTOTUNE_REQUEST_FILES_H

#include "autotune/cli/request.h"

/* Creates none. ERROR_IO: a file that is to be written at the end cannot be; ERROR_NO_DEVICE: the
 * library of --nvrtc cannot be used, of a verb that would go on without one. */
int request_files_check(const struct request *request, struct error *error);

#endif
