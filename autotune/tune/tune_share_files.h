/* tune_share_files: does what rank 0 of a shared list has to do with files, in threads, so that a slow
 * file system holds nothing else up. */
#ifndef AUTOTUNE_TUNE_SHARE_FILES_H
#define AUTOTUNE_TUNE_SHARE_FILES_H

#include "autotune/share/share.h"

struct tune_share_files;

/* Records are in `folder`, journals in FOLDER/journal; with `replay` (or NULL) they are read from
 * REPLAY/journal. Until it is closed no other process may share a list with that folder, where its
 * file system has locks: ERROR_FAILED. */
struct tune_share_files *tune_share_files_open(const char *folder, const char *replay,
                                               struct error *error);
void tune_share_files_close(struct tune_share_files *files); /* waits for what was begun */

/* Begins it; tune_share_files_take returns what has ended, NULL = nothing has. */
void tune_share_files_begin(struct tune_share_files *files, struct share_io *io);
struct share_io *tune_share_files_take(struct tune_share_files *files);

/* Readable when there is something to take. */
int tune_share_files_event(const struct tune_share_files *files);

#endif
