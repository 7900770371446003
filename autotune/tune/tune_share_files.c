/* tune_share_files: a thread is started whenever all there are have something to do, up to as many as
 * share begins at the same time. */
#include "autotune/tune/tune_share_files.h"

#include "cache/file.h"
#include "cache/journal.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RECORDS_BYTES_MAX = 256 << 20, STACK_BYTES = 1 << 18 };

struct tune_share_files {
    struct text records, journals, read_from; /* folders */
    int lock, event;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct share_io *waiting, **last_waiting, *ended;
    size_t idle, thread_count;
    pthread_t threads[SHARE_IO_MAX];
    bool is_closing;
};

/* --- What is to be done ------------------------------------------------------------------- */

static int add_name(struct text *out, const struct text *folder, const char *name,
                    struct error *error)
{
    text_addf(out, "%s/%s", folder->at, name);
    return text_check(out, error);
}

static int set_aside(const char *path, struct error *error)
{
    struct text old = {0};
    text_addf(&old, "%s.old", path);
    int failed = text_check(&old, error);
    if (!failed && rename(path, old.at) && errno != ENOENT)
        failed = file_error("set aside", path, error);
    text_dispose(&old);
    return failed;
}

static int write_synced(int file, const char *path, const struct text *bytes,
                        struct error *error)
{
    if (file_write(file, bytes->at, bytes->length))
        return file_error("write", path, error);
    return fdatasync(file) ? file_error("sync", path, error) : 0;
}

/* A line that a lost process left torn stays a line of its own. */
static int end_torn_line(int file, const char *path, struct error *error)
{
    const off_t length = lseek(file, 0, SEEK_END);
    char last = '\n';
    if (length > 0 && pread(file, &last, 1, length - 1) != 1)
        return file_error("read", path, error);
    return last != '\n' && write(file, "\n", 1) != 1 ? file_error("write", path, error) : 0;
}

static int append_to(const char *path, const struct share_io *io, struct error *error)
{
    if (file_make_folder_of(path, error) || (io->is_new && set_aside(path, error)))
        return -1;
    const int file = file_open_locked(path, error);
    if (file < 0)
        return errno == EWOULDBLOCK
                   ? error_set(error, ERROR_FAILED,
                               "another autotune tunes with %s: wait for it, or end it", path)
                   : -1;
    const int failed =
        end_torn_line(file, path, error) || write_synced(file, path, &io->bytes, error);
    close(file);
    return failed ? -1 : 0;
}

static int read_from(const char *path, size_t limit, struct share_io *io, struct error *error)
{
    struct stat status;
    if (file_read(&io->bytes, path, limit, error) == FILE_REFUSED)
        return -1;
    io->time = stat(path, &status) == 0 ? (uint64_t)status.st_mtime : 0;
    return 0;
}

static void run(const struct tune_share_files *files, struct share_io *io)
{
    struct text path = {0};
    int failed = 0;
    switch (io->kind) {
    case SHARE_IO_APPEND:
        failed = add_name(&path, &files->journals, io->name, &io->error) ||
                 append_to(path.at, io, &io->error);
        break;
    case SHARE_IO_READ:
        failed = add_name(&path, &files->read_from, io->name, &io->error) ||
                 read_from(path.at, JOURNAL_BYTES_MAX, io, &io->error);
        break;
    case SHARE_IO_SAVE:
        failed = add_name(&path, &files->records, io->name, &io->error) ||
                 store_save(path.at, &io->records, &io->moved, &io->error);
        break;
    case SHARE_IO_LOAD:
        failed = add_name(&path, &files->records, io->name, &io->error) ||
                 read_from(path.at, RECORDS_BYTES_MAX, io, &io->error);
        break;
    }
    if (!failed)
        io->error.code = ERROR_NONE;
    text_dispose(&path);
}

/* --- Threads ------------------------------------------------------------------------------ */

static struct share_io *take_waiting(struct tune_share_files *files)
{
    struct share_io *io = files->waiting;
    files->waiting = io->next;
    if (!files->waiting)
        files->last_waiting = &files->waiting;
    return io;
}

static void *work(void *argument)
{
    struct tune_share_files *files = argument;
    const uint64_t one = 1;
    pthread_mutex_lock(&files->mutex);
    for (;;) {
        files->idle++;
        while (!files->waiting && !files->is_closing)
            pthread_cond_wait(&files->changed, &files->mutex);
        files->idle--;
        if (!files->waiting)
            break;
        struct share_io *io = take_waiting(files);
        pthread_mutex_unlock(&files->mutex);
        run(files, io);
        pthread_mutex_lock(&files->mutex);
        io->next = files->ended;
        files->ended = io;
        if (write(files->event, &one, sizeof one) < 0)
            continue; /* who takes looks without being told, too */
    }
    pthread_mutex_unlock(&files->mutex);
    return NULL;
}

static void start_thread(struct tune_share_files *files)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    if (files->thread_count < SHARE_IO_MAX &&
        pthread_create(&files->threads[files->thread_count], &attributes, work, files) == 0)
        files->thread_count++;
    pthread_attr_destroy(&attributes);
}

void tune_share_files_begin(struct tune_share_files *files, struct share_io *io)
{
    pthread_mutex_lock(&files->mutex);
    io->next = NULL;
    *files->last_waiting = io;
    files->last_waiting = &io->next;
    if (!files->idle)
        start_thread(files);
    pthread_cond_signal(&files->changed);
    pthread_mutex_unlock(&files->mutex);
}

struct share_io *tune_share_files_take(struct tune_share_files *files)
{
    uint64_t count;
    pthread_mutex_lock(&files->mutex);
    struct share_io *io = files->ended;
    if (io)
        files->ended = io->next;
    else if (read(files->event, &count, sizeof count) < 0)
        io = NULL; /* nothing had been told */
    pthread_mutex_unlock(&files->mutex);
    return io;
}

int tune_share_files_event(const struct tune_share_files *files)
{
    return files->event;
}

/* --- Begin and end ------------------------------------------------------------------------ */

static int lock_folder(struct tune_share_files *files, struct error *error)
{
    struct text path = {0};
    int failed = add_name(&path, &files->records, "shared", error) ||
                 file_make_folder_of(path.at, error);
    if (!failed) {
        files->lock = file_open_locked(path.at, error);
        failed = files->lock < 0;
        if (failed && errno == EWOULDBLOCK)
            error_set(error, ERROR_FAILED,
                      "another autotune-mpi shares a list with %s: wait for it, or name "
                      "another folder with --cache",
                      files->records.at);
    }
    text_dispose(&path);
    return failed;
}

static int set_folders(struct tune_share_files *files, const char *folder, const char *replay,
                       struct error *error)
{
    text_adds(&files->records, folder);
    text_addf(&files->journals, "%s/journal", folder);
    text_addf(&files->read_from, "%s/journal", replay ? replay : folder);
    return text_check(&files->records, error) || text_check(&files->journals, error) ||
           text_check(&files->read_from, error);
}

struct tune_share_files *tune_share_files_open(const char *folder, const char *replay,
                                               struct error *error)
{
    struct tune_share_files *files = calloc(1, sizeof *files);
    if (!files) {
        error_memory(error, sizeof *files);
        return NULL;
    }
    files->lock = -1;
    files->last_waiting = &files->waiting;
    pthread_mutex_init(&files->mutex, NULL);
    pthread_cond_init(&files->changed, NULL);
    files->event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    int failed = set_folders(files, folder, replay, error) || lock_folder(files, error);
    if (!failed && files->event < 0)
        failed = error_set(error, ERROR_FAILED, "no event can be had: %s", strerror(errno));
    if (!failed)
        return files;
    tune_share_files_close(files);
    return NULL;
}

void tune_share_files_close(struct tune_share_files *files)
{
    if (!files)
        return;
    pthread_mutex_lock(&files->mutex);
    files->is_closing = true;
    pthread_cond_broadcast(&files->changed);
    pthread_mutex_unlock(&files->mutex);
    for (size_t i = 0; i < files->thread_count; i++)
        pthread_join(files->threads[i], NULL);
    while (files->ended) {
        struct share_io *io = files->ended;
        files->ended = io->next;
        share_io_free(io);
    }
    if (files->lock >= 0)
        close(files->lock);
    if (files->event >= 0)
        close(files->event);
    pthread_cond_destroy(&files->changed);
    pthread_mutex_destroy(&files->mutex);
    text_dispose(&files->records);
    text_dispose(&files->journals);
    text_dispose(&files->read_from);
    free(files);
}
