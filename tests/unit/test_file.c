/* file: hostile, failing and contended files, as the store of records meets them. Whatever
 * happens to a writer, the file is whole; what must not be trusted is not read or replaced. */
#include "cache/file.h"
#include "tests/unit/record_files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

/* --- System calls that fail on demand --------------------------------------------------- */

/* These stand before libc's for everything linked here. The call that brings `calls_left` to
 * zero fails with EIO. */
static int calls_left;

static int is_failing(void)
{
    if (calls_left == 0 || --calls_left > 0)
        return 0;
    errno = EIO;
    return 1;
}

/* What was done to disks, in its order: 'w' a write to a file, 's' its fsync, 'r' a rename, 'S' the
 * fsync of a folder. */
static char trail[1000];

static void note(char what)
{
    const size_t length = strlen(trail);
    if (length + 1 < sizeof trail)
        trail[length] = what;
}

static int is_folder(int file)
{
    struct stat stat;
    return fstat(file, &stat) == 0 && S_ISDIR(stat.st_mode);
}

int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    va_end(args);
    return is_failing() ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

ssize_t write(int file, const void *bytes, size_t size)
{
    note('w');
    return is_failing() ? -1 : (ssize_t)syscall(SYS_write, file, bytes, size);
}

int fsync(int file)
{
    note(is_folder(file) ? 'S' : 's');
    return is_failing() ? -1 : (int)syscall(SYS_fsync, file);
}

int rename(const char *from, const char *to)
{
    note('r');
    return is_failing() ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int link(const char *from, const char *to)
{
    return is_failing() ? -1 : (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int close(int file)
{
    int result = (int)syscall(SYS_close, file);
    return is_failing() ? -1 : result;
}

static int no_locks; /* errno of a file system that has none; 0: there are locks */

int flock(int file, int operation)
{
    if (no_locks) {
        errno = no_locks;
        return -1;
    }
    return is_failing() ? -1 : (int)syscall(SYS_flock, file, operation);
}

/* --- Files not to be trusted ------------------------------------------------------------ */

static void test_symbolic_link(void **state)
{
    char path[PATH_CHARS], target[PATH_CHARS];

    save(path_in(target, state, "target.ini"), &example_record);
    path_in(path, state, record_file);
    assert_int_equal(symlink(target, path), 0);
    assert_refused(path, "symbolic link");
    assert_not_saved(path, "symbolic link");
}

static void test_fifo(void **state)
{
    char path[PATH_CHARS];

    assert_int_equal(mkfifo(path_in(path, state, record_file), 0600), 0);
    alarm(20); /* a blocking open would wait for ever */
    assert_refused(path, "not a regular file");
    assert_not_saved(path, "not a regular file");
    alarm(0);
}

static void test_folder_in_place(void **state)
{
    char path[PATH_CHARS];

    assert_int_equal(mkdir(path_in(path, state, record_file), 0700), 0);
    assert_refused(path, "not a regular file");
    assert_not_saved(path, "not a regular file");
}

static void test_too_big(void **state)
{
    char path[PATH_CHARS];

    put_file(path_in(path, state, record_file), "", 0);
    assert_int_equal(truncate(path, (off_t)1 << 30), 0);
    assert_refused(path, "larger than");
    assert_not_saved(path, "larger than");
}

static void test_writable_by_others(void **state)
{
    static const mode_t modes[] = {0602, 0620, 0666};
    char path[PATH_CHARS];

    save(path_in(path, state, record_file), &example_record);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(chmod(path, modes[i]), 0);
        assert_refused(path, "written by others");
        assert_not_saved(path, "written by others");
    }
    assert_int_equal(chmod(path, 0644), 0);
    struct records records = loaded(path);
    assert_int_equal(records.count, 1);
    store_dispose(&records);
}

static void test_other_owner(void **state)
{
    char path[PATH_CHARS];

    if (geteuid() != 0)
        skip(); /* only root can give a file away */
    save(path_in(path, state, record_file), &example_record);
    assert_int_equal(chown(path, 12345, 12345), 0);
    assert_refused(path, "another user");
    assert_not_saved(path, "another user");
}

/* --- Folders that cannot be written ----------------------------------------------------- */

static void test_folder_cannot_be_made(void **state)
{
    char file[PATH_CHARS], path[PATH_CHARS];

    put_file(path_in(file, state, "file"), "", 0);
    assert_not_saved(path_in(path, state, "file/nvidia-h200.ini"), "--cache");
    assert_not_saved(path_in(path, state, "file/deeper/nvidia-h200.ini"), "--cache");
    assert_not_saved("/proc/autotune/nvidia-h200.ini", "--cache");
    assert_not_saved("/proc/nvidia-h200.ini", "--cache");
    struct records records = loaded(path);
    assert_int_equal(records.count, 0);
    store_dispose(&records);
}

/* No room: the limit on a file's size stands in for a full disk. */
static void test_no_room(void **state)
{
    char path[PATH_CHARS];
    struct rlimit old, low;

    save(path_in(path, state, record_file), &example_record);
    struct text before = get_file(path);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    low = old;
    low.rlim_cur = 100;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    assert_not_saved(path, "cannot write");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, SIG_DFL);
    struct text after = get_file(path);
    assert_string_equal(before.at, after.at);
    text_dispose(&before);
    text_dispose(&after);
}

/* The Nth call fails, for all N: old or new, whole, no temporary file, and an error if old. */
static void assert_survives_failing_calls(void **state, const char *name, const char *old)
{
    struct record changed = record_of(dims_n(&example_record.problem.dims), 7);
    char path[PATH_CHARS];
    int failures = 0;

    path_in(path, state, name);
    for (int nth = 1, result = -1; result != 0 && nth < 100; nth++) {
        struct error error = {0};
        put_file(path, old, strlen(old));
        calls_left = nth;
        result = save_record(path, &changed, &error);
        bool is_past_last = calls_left > 0;
        calls_left = 0;
        struct text now = get_file(path);
        struct records records = loaded(path);
        bool is_new = find_n(&records, dims_n(&changed.problem.dims)) &&
                      is_identical(find_n(&records, dims_n(&changed.problem.dims)), &changed);
        assert_true(is_new || (result == -1 && strcmp(now.at, old) == 0));
        assert_false(exists(path, ".tmp"));
        if (result == -1)
            assert_int_equal(error.code, ERROR_IO);
        failures += result == -1;
        if (!is_past_last && result == 0)
            result = -1; /* a call whose failure does not matter: go on to the next */
        store_dispose(&records);
        text_dispose(&now);
    }
    assert_true(failures >= 8); /* open x 3, flock, write, fsync, close, rename; fsync */
}

static void test_failing_calls(void **state)
{
    char path[PATH_CHARS];
    save(path_in(path, state, "good.ini"), &example_record);
    struct text old = get_file(path);
    assert_survives_failing_calls(state, "old-good.ini", old.at);
    assert_survives_failing_calls(state, "old-damaged.ini", "no record file\n");
    text_dispose(&old);
}

/* --- Power loss ------------------------------------------------------------------------- */

enum kept { OLD, NEW, TORN };

/* What a disk may have after a power loss behind these steps, at its worst: what was written and
 * not synced is torn, a rename counts or not until its folder is synced. */
static enum kept after_loss(const char *steps, size_t count, bool rename_counts)
{
    bool is_synced = false, is_renamed = false, is_kept = false;
    for (size_t i = 0; i < count; i++) {
        is_synced = steps[i] == 's' || (is_synced && steps[i] != 'w');
        is_renamed |= steps[i] == 'r';
        is_kept |= is_renamed && steps[i] == 'S';
    }
    if (!is_renamed || !(is_kept || rename_counts))
        return OLD;
    return is_synced ? NEW : TORN;
}

/* Every prefix of a save's steps leaves the old file or the new one, and when it has returned only
 * the new one. Seen to fail with the fsync of the file left out, and with that of the folder. */
static void test_power_loss(void **state)
{
    char path[PATH_CHARS];
    save(path_in(path, state, record_file), &example_record);
    struct record changed = record_of(dims_n(&example_record.problem.dims), 7);
    memset(trail, 0, sizeof trail);
    save(path, &changed);
    const size_t count = strlen(trail);
    assert_true(strchr(trail, 'w') && strchr(trail, 'r'));
    for (size_t i = 0; i <= count; i++)
        for (int counts = 0; counts < 2; counts++)
            assert_int_not_equal(after_loss(trail, i, counts), TORN);
    assert_int_equal(after_loss(trail, count, false), NEW);
}

/* --- Several writers, dead writers ------------------------------------------------------ */

static void test_concurrent_writers(void **state)
{
    enum { WRITERS = 32, EACH = 8 };
    char path[PATH_CHARS];
    pid_t writers[WRITERS];

    path_in(path, state, record_file);
    for (int w = 0; w < WRITERS; w++) {
        writers[w] = fork();
        assert_true(writers[w] >= 0);
        if (writers[w] > 0)
            continue;
        for (int i = 0; i < EACH; i++) {
            struct error error;
            struct record record = record_of((uint64_t)(w * EACH + i + 1), 1000);
            if (save_record(path, &record, &error) != 0)
                _exit(1);
        }
        _exit(0);
    }
    for (int w = 0; w < WRITERS; w++) {
        int status;
        assert_int_equal(waitpid(writers[w], &status, 0), writers[w]);
        assert_int_equal(status, 0);
    }
    struct records records = loaded(path);
    assert_int_equal(records.count, WRITERS * EACH);
    assert_int_equal(records.skipped, 0);
    for (uint64_t n = 1; n <= WRITERS * EACH; n++)
        assert_non_null(find_n(&records, n));
    store_dispose(&records);
}

enum { KEYS = 20 };

/* Saves for ever; done[k] is the last value known to be on disk for key k. */
static void write_for_ever(const char *path, volatile uint64_t *done, uint64_t value)
{
    for (;; value++) {
        struct error error;
        struct record record = record_of(1 + value % KEYS, value);
        if (save_record(path, &record, &error) != 0)
            _exit(1);
        done[value % KEYS] = value;
    }
}

static void assert_all_done_are_there(const char *path, const volatile uint64_t *done)
{
    struct records records = loaded(path);
    assert_int_equal(records.skipped, 0);
    for (uint64_t k = 0; k < KEYS; k++) {
        const struct record *record = find_n(&records, 1 + k);
        if (done[k])
            assert_non_null(record);
        if (record)
            assert_true(record->median_ps >= done[k]);
    }
    store_dispose(&records);
}

static void test_killed_writers(void **state)
{
    enum { ROUNDS = 50 };
    char path[PATH_CHARS];
    volatile uint64_t *done = mmap(NULL, KEYS * sizeof *done, PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    assert_true(done != MAP_FAILED);
    path_in(path, state, record_file);
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t first = (uint64_t)round * 1000000 + 1, before = done[first % KEYS];
        const pid_t writer = fork();
        assert_true(writer >= 0);
        if (writer == 0)
            write_for_ever(path, done, first);
        kill_writer(writer, round, &done[first % KEYS], before);
        assert_all_done_are_there(path, done);
    }
    save(path, &example_record); /* no dead writer's lock or temporary file is in the way */
    assert_false(exists(path, ".tmp"));
    struct records records = loaded(path);
    assert_true(records.count > 1);
    assert_non_null(find_n(&records, dims_n(&example_record.problem.dims)));
    store_dispose(&records);
    assert_int_equal(munmap((void *)done, KEYS * sizeof *done), 0);
}

static void test_leftovers_do_no_harm(void **state)
{
    char path[PATH_CHARS], other[PATH_CHARS];

    save(path_in(path, state, record_file), &example_record);
    put_file(path_in(other, state, "nvidia-h200.ini.tmp"), "half a rec", 10);
    put_file(path_in(other, state, "nvidia-h200.ini.lock"), "pid 1", 5);
    struct record second = record_of(5, 5);
    save(path, &second);
    assert_false(exists(path, ".tmp"));
    struct records records = loaded(path);
    assert_int_equal(records.count, 2);
    store_dispose(&records);
}

static void test_lock_is_no_way_in(void **state)
{
    char path[PATH_CHARS], lock[PATH_CHARS], target[PATH_CHARS];

    path_in(path, state, record_file);
    path_in(lock, state, "nvidia-h200.ini.lock");
    assert_int_equal(symlink(path_in(target, state, "elsewhere"), lock), 0);
    assert_not_saved(path, "symbolic link");
    assert_false(exists(target, ""));
    assert_int_equal(unlink(lock), 0);
    assert_int_equal(mkfifo(lock, 0600), 0);
    assert_not_saved(path, "not a regular file");
}

static void test_held_lock_is_waited_for_and_reported(void **state)
{
    char path[PATH_CHARS], lock_path[PATH_CHARS];
    struct timespec start, end;

    save(path_in(path, state, record_file), &example_record);
    int lock = open(path_in(lock_path, state, "nvidia-h200.ini.lock"), O_RDWR | O_CLOEXEC);
    assert_true(lock >= 0);
    assert_int_equal(flock(lock, LOCK_EX), 0);
    clock_gettime(CLOCK_MONOTONIC, &start);
    assert_not_saved(path, "another process has held it");
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_in_range(end.tv_sec - start.tv_sec, 9, 20);
    close(lock);
    save(path, &example_record);
}

/* As on a network's file system: what is saved is whole, and what was there before stays. */
static void test_without_locks(void **state)
{
    static const int causes[] = {ENOLCK, EOPNOTSUPP, ENOSYS};
    char path[PATH_CHARS];
    struct record record = example_record;

    path_in(path, state, "nvidia-h200.ini");
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        no_locks = causes[i];
        record.problem.dims.depth.n++;
        save(path, &record);
        struct records records = loaded(path);
        assert_int_equal(records.count, i + 1);
        store_dispose(&records);
    }
    no_locks = 0;
}

static void ignore(int number)
{
    (void)number;
}

/* Writes to a pipe while signals come, so that calls end early: its exit is 0 when all is written. */
static void write_under_signals(int file, const char *bytes, size_t size)
{
    const struct sigaction action = {.sa_handler = ignore}; /* without SA_RESTART */
    const struct itimerval soon = {{0, 500}, {0, 500}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &soon, NULL);
    _exit(file_write(file, bytes, size) != 0);
}

/* Seen to fail with one write in place of the loop, and with EINTR taken for a failure. */
static void test_write(void **state)
{
    enum { BYTES = 1 << 20 };
    char *bytes = malloc(BYTES), *got = malloc(BYTES + 1);
    size_t count = 0;
    ssize_t some;
    int pipes[2], status;
    (void)state;
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = (char)(i * 7 + i / 251);
    assert_int_equal(pipe(pipes), 0);
    const pid_t child = fork();
    if (child == 0)
        write_under_signals(pipes[1], bytes, BYTES);
    close(pipes[1]);
    do {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        some = read(pipes[0], got + count, BYTES + 1 - count);
        count += some > 0 ? (size_t)some : 0;
    } while (some > 0);
    close(pipes[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(count, BYTES);
    assert_memory_equal(got, bytes, BYTES);
    const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_true(full >= 0);
    assert_int_equal(file_write(full, bytes, 0), 0);
    assert_int_equal(file_write(full, bytes, 1), -1);
    assert_int_equal(errno, ENOSPC);
    close(full);
    free(bytes);
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_symbolic_link),
        IN_FOLDER(test_fifo),
        IN_FOLDER(test_folder_in_place),
        IN_FOLDER(test_too_big),
        IN_FOLDER(test_writable_by_others),
        IN_FOLDER(test_other_owner),
        IN_FOLDER(test_folder_cannot_be_made),
        IN_FOLDER(test_no_room),
        IN_FOLDER(test_failing_calls),
        IN_FOLDER(test_power_loss),
        IN_FOLDER(test_concurrent_writers),
        IN_FOLDER(test_killed_writers),
        IN_FOLDER(test_leftovers_do_no_harm),
        IN_FOLDER(test_lock_is_no_way_in),
        IN_FOLDER(test_held_lock_is_waited_for_and_reported),
        IN_FOLDER(test_without_locks),
        IN_FOLDER(test_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
