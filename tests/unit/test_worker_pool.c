/* Tests of autotune/search/worker_pool.c and worker_process.c. This program runs itself as the
 * workers: its first argument then names one of the parts below. */
#include "autotune/search/worker_pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above before it */
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BIG = 20 << 20, PATIENCE_S = 30 };

/* --- The parts of workers ----------------------------------------------------------------- */

static void play_echo(void)
{
    struct frame frame = {0};
    struct error error;
    while (frame_receive(WORKER_POOL_SOCKET, &frame, &error) == 1)
        if (frame_send(WORKER_POOL_SOCKET, &frame, &error))
            break;
    frame_dispose(&frame);
}

static void send_sized(uint32_t kind, size_t length)
{
    struct frame frame = {0};
    struct error error;
    if (frame_open_body(&frame, kind, length, &error) == 0) {
        memset(frame.body.at, (int)kind, length);
        if (frame_send(WORKER_POOL_SOCKET, &frame, &error))
            _exit(9);
    }
    frame_dispose(&frame);
}

/* Sends much before it reads anything, for each frame that it is to read. */
static void play_both_ways(void)
{
    struct frame frame = {0};
    struct error error;
    for (int i = 0; i < 3; i++) {
        send_sized(77, BIG);
        if (frame_receive(WORKER_POOL_SOCKET, &frame, &error) != 1 ||
            frame_send(WORKER_POOL_SOCKET, &frame, &error))
            _exit(9);
    }
    frame_dispose(&frame);
}

static void play_three_frames(void)
{
    for (uint32_t i = 0; i < 3; i++)
        send_sized(i, 100000);
    _exit(5);
}

static void play_endless(void)
{
    for (;;)
        send_sized(1, 10);
}

static void play_exit(void)
{
    _exit(3);
}

static void play_abort(void)
{
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    signal(SIGABRT, SIG_DFL);
    abort();
}

static void play_crash(void)
{
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    signal(SIGSEGV, SIG_DFL); /* a sanitizer has its own */
    raise(SIGSEGV);
}

static void play_silent(void)
{
    for (;;)
        pause();
}

static void play_half(void)
{
    unsigned char bytes[FRAME_HEADER_BYTES + 10] = {0};
    const struct frame frame = {.kind = 1, .body.length = 100};
    frame_write_header(bytes, &frame);
    if (write(WORKER_POOL_SOCKET, bytes, sizeof bytes) < 0)
        _exit(9);
    _exit(0);
}

static void play_garbage(void)
{
    static const char text[] = "Warning: this library prints to every descriptor it finds\n";
    if (write(WORKER_POOL_SOCKET, text, sizeof text) < 0)
        _exit(9);
    play_silent();
}

static void play_closed(void)
{
    close(WORKER_POOL_SOCKET);
    play_silent();
}

static uint64_t is_ignored(int number)
{
    struct sigaction action;
    sigaction(number, NULL, &action);
    return action.sa_handler == SIG_IGN;
}

/* The descriptors that are open, as a mask of 64. */
static uint64_t list_descriptors(void)
{
    uint64_t mask = 0;
    DIR *folder = opendir("/proc/self/fd");
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        const int number = atoi(entry->d_name);
        if (*entry->d_name != '.' && number != dirfd(folder))
            mask |= UINT64_C(1) << (number < 63 ? number : 63);
    }
    if (folder)
        closedir(folder);
    return mask;
}

/* What it finds: number, group, descriptors, signals, mask, where 0, 1 and 2 go. */
static void play_facts(void)
{
    struct frame frame = {.kind = 1};
    struct error error;
    struct stat files[3];
    sigset_t mask;
    memset(files, 0, sizeof files);
    for (int i = 0; i < 3; i++)
        fstat(i, &files[i]);
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    frame_put_u64(&frame, (uint64_t)getpid());
    frame_put_u64(&frame, (uint64_t)getpgrp());
    frame_put_u64(&frame, list_descriptors());
    frame_put_u64(&frame, is_ignored(SIGINT) + is_ignored(SIGTERM) + is_ignored(SIGHUP) +
                              is_ignored(SIGPIPE));
    frame_put_u64(&frame, is_ignored(SIGCHLD) || sigismember(&mask, SIGUSR1) == 1);
    frame_put_u64(&frame, files[0].st_rdev);
    frame_put_u64(&frame,
                  files[1].st_ino == files[2].st_ino && files[1].st_dev == files[2].st_dev);
    frame_send(WORKER_POOL_SOCKET, &frame, &error);
    frame_dispose(&frame);
    play_echo();
}

static void send_numbers(pid_t first, pid_t second)
{
    struct frame frame = {.kind = 1};
    struct error error;
    frame_put_u64(&frame, (uint64_t)first);
    frame_put_u64(&frame, (uint64_t)second);
    frame_send(WORKER_POOL_SOCKET, &frame, &error);
    frame_dispose(&frame);
}

/* Has a child that holds the socket open as well. */
static void play_family(void)
{
    struct frame frame = {0};
    struct error error;
    const pid_t child = fork();
    if (child == 0)
        play_silent();
    send_numbers(getpid(), child);
    frame_receive(WORKER_POOL_SOCKET, &frame, &error);
    frame_dispose(&frame);
    _exit(4);
}

/* Does not hear that its coordinator is gone. */
static void play_deaf(void)
{
    send_numbers(getpid(), 0);
    play_silent();
}

/* Has a pool of its own. */
static void play_coordinator(void)
{
    char self[] = "/proc/self/exe", part[] = "deaf";
    char *argv[] = {self, part, NULL};
    struct worker_pool *pool;
    struct worker_pool_event event;
    struct error error;
    if (worker_pool_open(&pool, &error) || worker_pool_start(pool, 0, argv, &error) ||
        worker_pool_wait(pool, &event, PATIENCE_S, &error) || event.kind != WORKER_POOL_FRAME)
        _exit(9);
    send_numbers(getpid(), (pid_t)frame_get_u64(&event.frame));
    play_silent();
}

/* The same with none of the lower descriptors open; hands on what its worker says. */
static void play_bare(void)
{
    char self[] = "/proc/self/exe", part[] = "facts";
    char *argv[] = {self, part, NULL};
    struct worker_pool *pool;
    struct worker_pool_event event;
    struct error error;
    const int socket = fcntl(WORKER_POOL_SOCKET, F_DUPFD_CLOEXEC, 20);
    for (int i = 0; i <= WORKER_POOL_SOCKET; i++)
        close(i);
    if (worker_pool_open(&pool, &error) || worker_pool_start(pool, 0, argv, &error) ||
        worker_pool_wait(pool, &event, PATIENCE_S, &error) || event.kind != WORKER_POOL_FRAME)
        _exit(9);
    frame_send(socket, &event.frame, &error);
    frame_dispose(&event.frame);
    worker_pool_close(pool);
}

static const struct {
    const char *name;
    void (*play)(void);
} parts[] = {
    {"echo", play_echo},          {"both-ways", play_both_ways},
    {"three", play_three_frames}, {"endless", play_endless},
    {"exit", play_exit},          {"abort", play_abort},
    {"crash", play_crash},        {"silent", play_silent},
    {"half", play_half},          {"garbage", play_garbage},
    {"closed", play_closed},      {"facts", play_facts},
    {"family", play_family},      {"bare", play_bare},
    {"deaf", play_deaf},          {"coordinator", play_coordinator},
};

static int play(const char *name)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(parts[i].name, name) == 0) {
            parts[i].play();
            return 0;
        }
    return 99;
}

/* --- The side of the coordinator ---------------------------------------------------------- */

static struct worker_pool *open_pool(void)
{
    struct worker_pool *pool;
    struct error error;
    assert_int_equal(worker_pool_open(&pool, &error), 0);
    return pool;
}

static void start(struct worker_pool *pool, size_t slot, const char *part)
{
    char self[] = "/proc/self/exe", name[32];
    char *argv[] = {self, name, NULL};
    struct error error;
    snprintf(name, sizeof name, "%s", part);
    assert_int_equal(worker_pool_start(pool, slot, argv, &error), 0);
    assert_true(worker_pool_is_running(pool, slot));
}

static struct worker_pool_event wait_for(struct worker_pool *pool,
                                         enum worker_pool_event_kind kind)
{
    struct worker_pool_event event;
    struct error error = {0};
    if (worker_pool_wait(pool, &event, PATIENCE_S, &error))
        fail_msg("%s", error.text);
    if (event.kind != kind)
        fail_msg("event %d, not %d: %s", event.kind, kind, event.how);
    return event;
}

static void send_pattern(struct worker_pool *pool, size_t slot, uint32_t kind, size_t length)
{
    struct frame frame = {0};
    struct error error;
    assert_int_equal(frame_open_body(&frame, kind, length, &error), 0);
    for (size_t i = 0; i < length; i++)
        frame.body.at[i] = (char)(i * 7 + i / 251 + kind);
    assert_int_equal(worker_pool_send(pool, slot, &frame, &error), 0);
    assert_null(frame.body.at);
}

static void assert_pattern(const struct frame *frame, size_t length)
{
    size_t wrong = 0;
    assert_int_equal(frame->body.length, length);
    for (size_t i = 0; i < length; i++)
        wrong += frame->body.at[i] != (char)(i * 7 + i / 251 + frame->kind);
    assert_int_equal(wrong, 0);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void sleep_ms(long ms)
{
    const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

/* No process, or one that only waits for whoever inherited it to reap it. */
static bool is_dead(pid_t pid)
{
    char path[64], state = 'Z';
    if (kill(pid, 0))
        return errno == ESRCH;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = 'Z';
    if (file)
        fclose(file);
    return state == 'Z';
}

static void assert_dies(pid_t pid)
{
    const double end = seconds() + PATIENCE_S;
    while (!is_dead(pid) && seconds() < end)
        sleep_ms(5);
    assert_true(is_dead(pid));
}

static void assert_lost(const char *part, const char *how)
{
    struct worker_pool *pool = open_pool();
    start(pool, 5, part);
    struct worker_pool_event event = wait_for(pool, WORKER_POOL_LOST);
    assert_int_equal(event.slot, 5);
    assert_string_equal(event.how, how);
    assert_false(worker_pool_is_running(pool, 5));
    start(pool, 5, "echo"); /* the slot is free */
    send_pattern(pool, 5, 1, 10);
    event = wait_for(pool, WORKER_POOL_FRAME);
    frame_dispose(&event.frame);
    worker_pool_close(pool);
}

/* --- Frames ------------------------------------------------------------------------------- */

static void test_frames_come_back(void **state)
{
    static const size_t sizes[] = {0, 1, 65536, BIG, 0};
    struct worker_pool *pool = open_pool();

    (void)state;
    start(pool, WORKER_POOL_MAX - 1, "echo");
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        send_pattern(pool, WORKER_POOL_MAX - 1, i, sizes[i]);
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct worker_pool_event event = wait_for(pool, WORKER_POOL_FRAME);
        assert_int_equal(event.slot, WORKER_POOL_MAX - 1);
        assert_int_equal(event.frame.kind, i); /* in order */
        assert_pattern(&event.frame, sizes[i]);
        frame_dispose(&event.frame);
    }
    worker_pool_close(pool);
}

/* Both sides write before they read, far more than a socket holds. */
static void test_both_ways_at_once(void **state)
{
    enum { WORKERS = 4, EACH = 3 };
    struct worker_pool *pool = open_pool();
    size_t own[WORKERS] = {0}, echoed[WORKERS] = {0};
    struct error error;

    (void)state;
    for (size_t i = 0; i < WORKERS; i++) {
        start(pool, i, "both-ways");
        for (uint32_t k = 0; k < EACH; k++)
            send_pattern(pool, i, k, BIG);
    }
    for (size_t running = WORKERS; running > 0;) {
        struct worker_pool_event event;
        assert_int_equal(worker_pool_wait(pool, &event, PATIENCE_S, &error), 0);
        if (event.kind == WORKER_POOL_LOST) {
            assert_string_equal(event.how, "it exited with status 0");
            running--;
            continue;
        }
        assert_int_equal(event.kind, WORKER_POOL_FRAME);
        assert_int_equal(event.frame.body.length, BIG);
        if (event.frame.kind == 77) {
            own[event.slot]++;
        } else {
            assert_int_equal(event.frame.kind, echoed[event.slot]++);
            assert_pattern(&event.frame, BIG);
        }
        frame_dispose(&event.frame);
    }
    for (size_t i = 0; i < WORKERS; i++)
        assert_true(own[i] == EACH && echoed[i] == EACH);
    worker_pool_close(pool);
}

/* Takes so many frames; true when each worker had about its share of them. */
static bool take_frames(struct worker_pool *pool, size_t count, size_t workers)
{
    size_t counts[WORKER_POOL_MAX] = {0};
    bool is_fair = true;
    for (size_t i = 0; i < count; i++) {
        struct worker_pool_event event = wait_for(pool, WORKER_POOL_FRAME);
        counts[event.slot]++;
        frame_dispose(&event.frame);
    }
    for (size_t i = 0; i < workers; i++)
        is_fair &= 2 * counts[i] * workers >= count && 2 * counts[i] * workers <= 3 * count;
    return is_fair;
}

static void test_no_worker_is_starved(void **state)
{
    enum { WORKERS = 3 };
    struct worker_pool *pool = open_pool();
    bool is_late = false;

    (void)state;
    for (size_t i = 0; i < WORKERS; i++)
        start(pool, i, "endless");
    bool is_fair = false;
    for (const double end = seconds() + PATIENCE_S; !is_fair && seconds() < end;) {
        sleep_ms(200); /* then each has frames waiting, if a processor was to be had */
        is_fair = take_frames(pool, 10 * WORKERS, WORKERS);
    }
    assert_true(is_fair);
    start(pool, WORKERS, "silent");
    worker_pool_set_deadline(pool, WORKERS, 0.1);
    for (const double end = seconds() + PATIENCE_S; !is_late && seconds() < end;) {
        struct worker_pool_event event;
        struct error error;
        assert_int_equal(worker_pool_wait(pool, &event, PATIENCE_S, &error), 0);
        is_late = event.kind == WORKER_POOL_LATE && event.slot == WORKERS;
        frame_dispose(&event.frame);
    }
    assert_true(is_late);
    worker_pool_close(pool);
}

static void test_frames_come_before_the_loss(void **state)
{
    struct worker_pool *pool = open_pool();

    (void)state;
    start(pool, 0, "three");
    sleep_ms(100);
    for (uint32_t i = 0; i < 3; i++) {
        struct worker_pool_event event = wait_for(pool, WORKER_POOL_FRAME);
        assert_int_equal(event.frame.kind, i);
        assert_int_equal(event.frame.body.length, 100000);
        frame_dispose(&event.frame);
    }
    assert_string_equal(wait_for(pool, WORKER_POOL_LOST).how, "it exited with status 5");
    worker_pool_close(pool);
}

static void test_sends_that_go_nowhere(void **state)
{
    struct worker_pool *pool = open_pool();
    struct frame frame = {.kind = 1};
    struct error error;

    (void)state;
    frame_put_string(&frame, "lost");
    assert_int_equal(worker_pool_send(pool, 3, &frame, &error), 0);
    assert_null(frame.body.at);
    start(pool, 3, "exit");
    sleep_ms(100);
    for (uint32_t i = 0; i < 3; i++) /* SIGPIPE would end this process */
        send_pattern(pool, 3, i, 1000000);
    wait_for(pool, WORKER_POOL_LOST);
    start(pool, 3, "echo");
    assert_int_equal(frame_open_body(&frame, 7, (size_t)FRAME_BODY_MAX + 1, &error), 0);
    assert_int_equal(worker_pool_send(pool, 3, &frame, &error), -1);
    assert_null(frame.body.at);
    frame.body.failed = true;
    assert_int_equal(worker_pool_send(pool, 3, &frame, &error), -1);
    send_pattern(pool, 3, 8, 5);
    struct worker_pool_event event = wait_for(pool, WORKER_POOL_FRAME);
    assert_int_equal(event.frame.kind, 8);
    frame_dispose(&event.frame);
    worker_pool_close(pool);
}

/* --- Losses ------------------------------------------------------------------------------- */

static void test_how_a_worker_was_lost(void **state)
{
    (void)state;
    assert_lost("exit", "it exited with status 3");
    assert_lost("abort", "it was killed by signal 6 (Aborted)");
    assert_lost("crash", "it was killed by signal 11 (Segmentation fault)");
    assert_lost("half", "it exited with status 0 in the middle of a message");
    assert_lost("garbage", "it sent something that is no message and was killed");
    assert_lost("closed", "it closed its connection without ending");
}

static void test_a_program_that_is_missing(void **state)
{
    char missing[] = "/nonexistent/program";
    char *argv[] = {missing, NULL};
    struct worker_pool *pool = open_pool();
    struct error error;

    (void)state;
    assert_int_equal(worker_pool_start(pool, 0, argv, &error), 0);
    assert_string_equal(wait_for(pool, WORKER_POOL_LOST).how,
                        "it could not be run, or exited with status 127");
    start(pool, 0, "silent");
    assert_int_equal(worker_pool_start(pool, 0, argv, &error), -1);
    assert_non_null(strstr(error.text, "slot 0 is taken"));
    assert_int_equal(worker_pool_start(pool, WORKER_POOL_MAX, argv, &error), -1);
    worker_pool_close(pool);
}

/* It starts nothing when descriptors are short, and leaks none. */
static void test_a_start_that_fails(void **state)
{
    char self[] = "/proc/self/exe", part[] = "echo";
    char *argv[] = {self, part, NULL};
    struct worker_pool *pool = open_pool();
    struct rlimit before, few;
    struct error error;

    (void)state;
    getrlimit(RLIMIT_NOFILE, &before);
    const uint64_t open_before = list_descriptors();
    few = before;
    few.rlim_cur = 0;
    setrlimit(RLIMIT_NOFILE, &few);
    assert_int_equal(worker_pool_start(pool, 0, argv, &error), -1);
    setrlimit(RLIMIT_NOFILE, &before);
    assert_non_null(strstr(error.text, "Too many open files"));
    assert_false(worker_pool_is_running(pool, 0));
    assert_true(list_descriptors() == open_before);
    worker_pool_close(pool);
}

/* Its child holds the socket open: no end of the stream tells. */
static void test_a_loss_that_the_socket_hides(void **state)
{
    struct worker_pool *pool = open_pool();

    (void)state;
    start(pool, 0, "family");
    struct worker_pool_event event = wait_for(pool, WORKER_POOL_FRAME);
    frame_get_u64(&event.frame);
    const pid_t grandchild = (pid_t)frame_get_u64(&event.frame);
    assert_false(is_dead(grandchild));
    frame_dispose(&event.frame);
    send_pattern(pool, 0, 1, 1);
    assert_string_equal(wait_for(pool, WORKER_POOL_LOST).how, "it exited with status 4");
    assert_dies(grandchild);
    worker_pool_close(pool);
}

static void test_a_program_that_ignores_sigchld(void **state)
{
    struct worker_pool *pool = open_pool();

    (void)state;
    signal(SIGCHLD, SIG_IGN);
    start(pool, 0, "exit");
    assert_string_equal(wait_for(pool, WORKER_POOL_LOST).how, "it ended in an unknown way");
    worker_pool_close(pool);
    signal(SIGCHLD, SIG_DFL);
}

/* --- Time and signals --------------------------------------------------------------------- */

static void test_late(void **state)
{
    struct worker_pool *pool = open_pool();

    (void)state;
    start(pool, 0, "echo");
    start(pool, 1, "silent");
    const double begin = seconds();
    worker_pool_set_deadline(pool, 1, 0.3);
    const struct worker_pool_event event = wait_for(pool, WORKER_POOL_LATE);
    assert_true(seconds() - begin >= 0.3 && seconds() - begin < PATIENCE_S);
    assert_int_equal(event.slot, 1);
    assert_string_equal(event.how, "it did not answer for 0.3 s");
    assert_false(worker_pool_is_running(pool, 1));
    assert_true(worker_pool_is_running(pool, 0));
    worker_pool_close(pool);
}

static void test_a_deadline_set_anew(void **state)
{
    struct worker_pool *pool = open_pool();
    struct worker_pool_event event;
    struct error error;

    (void)state;
    start(pool, 0, "silent");
    worker_pool_set_deadline(pool, 0, 0.1);
    worker_pool_set_deadline(pool, 0, 0);
    worker_pool_set_deadline(pool, 1, 0.1); /* nobody there */
    const double begin = seconds();
    assert_int_equal(worker_pool_wait(pool, &event, 0.3, &error), 0);
    assert_int_equal(event.kind, WORKER_POOL_TIMEOUT);
    assert_true(seconds() - begin >= 0.3 && seconds() - begin < PATIENCE_S);
    assert_int_equal(worker_pool_wait(pool, &event, 0, &error), 0);
    assert_int_equal(event.kind, WORKER_POOL_TIMEOUT);
    worker_pool_close(pool);
}

/* The answer is there; it is the coordinator that comes late. */
static void test_an_answer_in_time_counts(void **state)
{
    struct worker_pool *pool = open_pool();

    (void)state;
    start(pool, 0, "echo");
    send_pattern(pool, 0, 1, 10);
    struct worker_pool_event event = wait_for(pool, WORKER_POOL_FRAME); /* it runs */
    frame_dispose(&event.frame);
    worker_pool_set_deadline(pool, 0, 0.5);
    send_pattern(pool, 0, 2, 10);
    sleep_ms(1000);
    event = wait_for(pool, WORKER_POOL_FRAME);
    frame_dispose(&event.frame);
    wait_for(pool, WORKER_POOL_LATE); /* receiving a frame does not set it anew */
    worker_pool_close(pool);
}

/* Stops this process from another one for so long, a moment from now. */
static pid_t stop_soon(int ms)
{
    const pid_t stopped = getpid(), helper = fork();
    if (helper == 0) {
        sleep_ms(200);
        kill(stopped, SIGSTOP);
        sleep_ms(ms);
        kill(stopped, SIGCONT);
        _exit(0);
    }
    assert_true(helper > 0);
    return helper;
}

/* As by a batch system, which stops workers too. */
static void test_time_while_stopped_does_not_count(void **state)
{
    struct worker_pool *pool = open_pool();

    (void)state;
    start(pool, 0, "silent");
    const double begin = seconds();
    worker_pool_set_deadline(pool, 0, 2);
    const pid_t helper = stop_soon(2500);
    wait_for(pool, WORKER_POOL_LATE);
    assert_true(seconds() - begin >= 4);
    assert_int_equal(waitpid(helper, NULL, 0), helper);
    worker_pool_close(pool);
}

static void handle(int number)
{
    (void)number;
}

static void test_a_signal_is_told(void **state)
{
    /* Again and again: one that comes before crew_wait polls is not told. */
    const struct itimerval soon = {.it_value.tv_usec = 100000, .it_interval.tv_usec = 100000};
    const struct itimerval never = {0};
    const struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    struct sigaction before;
    struct worker_pool *pool = open_pool();

    (void)state;
    start(pool, 0, "echo");
    sigaction(SIGALRM, &action, &before);
    const double begin = seconds();
    setitimer(ITIMER_REAL, &soon, NULL);
    wait_for(pool, WORKER_POOL_SIGNAL);
    setitimer(ITIMER_REAL, &never, NULL);
    assert_true(seconds() - begin < PATIENCE_S);
    sigaction(SIGALRM, &before, NULL);
    assert_true(worker_pool_is_running(pool, 0));
    worker_pool_close(pool);
}

/* --- Processes ---------------------------------------------------------------------------- */

static void assert_facts(struct frame *frame, bool is_stderr_open)
{
    struct stat null;
    assert_int_equal(stat("/dev/null", &null), 0);
    const uint64_t pid = frame_get_u64(frame);
    assert_true(frame_get_u64(frame) == pid); /* leads its group */
    assert_true(frame_get_u64(frame) == 0xf);
    assert_true(frame_get_u64(frame) == 4);
    assert_true(frame_get_u64(frame) == 0);
    assert_true(frame_get_u64(frame) == null.st_rdev);
    assert_true(frame_get_u64(frame) == 1 || !is_stderr_open);
    assert_false(frame->is_short);
    frame_dispose(frame);
}

static void test_what_a_worker_finds(void **state)
{
    struct worker_pool *pool = open_pool();
    struct worker_pool_event event;
    sigset_t blocked, before;

    (void)state;
    const int low = dup(0), high = fcntl(0, F_DUPFD, 200); /* neither closes at exec */
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    start(pool, 1, "echo"); /* its socket is not for the other */
    start(pool, 0, "facts");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    event = wait_for(pool, WORKER_POOL_FRAME);
    assert_facts(&event.frame, true);
    close(low);
    close(high);
    worker_pool_stop(pool, 0);
    start(pool, 0, "bare");
    event = wait_for(pool, WORKER_POOL_FRAME);
    assert_facts(&event.frame, false);
    worker_pool_close(pool);
}

static void test_stop(void **state)
{
    struct worker_pool *pool = open_pool();
    struct worker_pool_event event;
    struct error error;

    (void)state;
    worker_pool_stop(pool, 0);
    start(pool, 0, "facts");
    event = wait_for(pool, WORKER_POOL_FRAME);
    const pid_t pid = (pid_t)frame_get_u64(&event.frame);
    frame_dispose(&event.frame);
    send_pattern(pool, 0, 1, BIG);
    worker_pool_stop(pool, 0);
    assert_true(kill(pid, 0) == -1 && errno == ESRCH);
    assert_false(worker_pool_is_running(pool, 0));
    assert_int_equal(worker_pool_wait(pool, &event, 0.1, &error), 0);
    assert_int_equal(event.kind, WORKER_POOL_TIMEOUT);
    worker_pool_close(pool);
}

static void test_close_leaves_no_process(void **state)
{
    enum { WORKERS = 12 };
    struct worker_pool *pool = open_pool();
    pid_t workers[WORKERS], grandchildren[WORKERS];

    (void)state;
    for (size_t i = 0; i < WORKERS; i++)
        start(pool, i * 20, "family");
    for (size_t i = 0; i < WORKERS; i++) {
        struct worker_pool_event event = wait_for(pool, WORKER_POOL_FRAME);
        workers[i] = (pid_t)frame_get_u64(&event.frame);
        grandchildren[i] = (pid_t)frame_get_u64(&event.frame);
        assert_false(is_dead(workers[i]) || is_dead(grandchildren[i]));
        frame_dispose(&event.frame);
    }
    const uint64_t open_before = list_descriptors();
    worker_pool_close(pool);
    for (size_t i = 0; i < WORKERS; i++) {
        assert_true(kill(workers[i], 0) == -1 && errno == ESRCH);
        assert_dies(grandchildren[i]);
    }
    assert_true(list_descriptors() < open_before);
    worker_pool_close(NULL);
}

/* Its worker is in another group: only the kernel can tell it. */
static void test_a_worker_does_not_outlive_its_coordinator(void **state)
{
    struct worker_pool *pool = open_pool();

    (void)state;
    start(pool, 0, "coordinator");
    struct worker_pool_event event = wait_for(pool, WORKER_POOL_FRAME);
    const pid_t coordinator = (pid_t)frame_get_u64(&event.frame);
    const pid_t worker = (pid_t)frame_get_u64(&event.frame);
    frame_dispose(&event.frame);
    assert_false(is_dead(worker));
    assert_int_equal(kill(coordinator, SIGKILL), 0);
    assert_string_equal(wait_for(pool, WORKER_POOL_LOST).how,
                        "it was killed by signal 9 (Killed)");
    assert_dies(worker);
    worker_pool_close(pool);
}

/* Forks while another thread allocates and forks as well. cmocka is not for threads. */
static void *run_pool(void *context)
{
    char self[] = "/proc/self/exe", part[] = "echo";
    char *argv[] = {self, part, NULL};
    bool *is_good = context;
    struct worker_pool *pool;
    struct error error;
    if (worker_pool_open(&pool, &error))
        return NULL;
    *is_good = true;
    for (uint32_t i = 0; i < 20 && *is_good; i++) {
        struct frame frame = {.kind = i};
        struct worker_pool_event event = {0};
        frame_put_u64(&frame, i);
        *is_good = worker_pool_start(pool, i % 3, argv, &error) == 0 &&
                   worker_pool_send(pool, i % 3, &frame, &error) == 0 &&
                   worker_pool_wait(pool, &event, PATIENCE_S, &error) == 0 &&
                   event.kind == WORKER_POOL_FRAME && event.frame.kind == i;
        frame_dispose(&event.frame);
        worker_pool_stop(pool, i % 3);
    }
    worker_pool_close(pool);
    return NULL;
}

static void test_pools_in_threads(void **state)
{
    enum { THREADS = 3 };
    pthread_t threads[THREADS];
    bool is_good[THREADS] = {false};

    (void)state;
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_pool, &is_good[i]), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < THREADS; i++)
        assert_true(is_good[i]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames_come_back),
        cmocka_unit_test(test_both_ways_at_once),
        cmocka_unit_test(test_no_worker_is_starved),
        cmocka_unit_test(test_frames_come_before_the_loss),
        cmocka_unit_test(test_sends_that_go_nowhere),
        cmocka_unit_test(test_how_a_worker_was_lost),
        cmocka_unit_test(test_a_program_that_is_missing),
        cmocka_unit_test(test_a_start_that_fails),
        cmocka_unit_test(test_a_loss_that_the_socket_hides),
        cmocka_unit_test(test_a_program_that_ignores_sigchld),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_a_deadline_set_anew),
        cmocka_unit_test(test_an_answer_in_time_counts),
        cmocka_unit_test(test_time_while_stopped_does_not_count),
        cmocka_unit_test(test_a_signal_is_told),
        cmocka_unit_test(test_what_a_worker_finds),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_close_leaves_no_process),
        cmocka_unit_test(test_a_worker_does_not_outlive_its_coordinator),
        cmocka_unit_test(test_pools_in_threads),
    };
    if (argc > 1)
        return play(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
