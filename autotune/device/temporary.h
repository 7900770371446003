/* temporary: says where temporary files go. */
#ifndef AUTOTUNE_TEMPORARY_H
#define AUTOTUNE_TEMPORARY_H

enum { TEMPORARY_CHARS = 1000 }; /* of the folder's path, with the end */

/* TMPDIR where that is an absolute path, else /tmp. */
const char *temporary_folder(void);

#endif
