/* interrupt: notes signals that end a run and wraps a device's operations. The handler keeps the
 * signal's number, the only state that a handler can share; the guarded operations check it. */
#include "autotune/cli/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

/* The only state that a signal handler can write. */
static atomic_int came;
static atomic_llong came_ms;
/* The signals that are caught, and the thread that takes them while a device is guarded. */
static sigset_t caught;
static pthread_t watcher;
static bool is_watching;

static long long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* One Ctrl-C may arrive twice, sent to the process and to its group: only a later one is meant
 * to end the program at once. */
static void handle(int number)
{
    static const char text[] = "\nautotune: stopping; once more stops at once\n";
    enum { TWICE_MS = 500 };
    int none = 0;
    if (atomic_compare_exchange_strong(&came, &none, number)) {
        atomic_store(&came_ms, now_ms());
        if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
            return; /* there is no thread to inform */
    } else if (atomic_load(&came_ms) && now_ms() - atomic_load(&came_ms) > TWICE_MS) {
        sigset_t all;
        sigfillset(&all);
        signal(number, SIG_DFL);
        pthread_sigmask(SIG_UNBLOCK, &all, NULL);
        raise(number);
    }
}

int interrupt_signal(void)
{
    return atomic_load(&came);
}

bool interrupt_came(void)
{
    return interrupt_signal() != 0;
}

static const struct interrupt_guard *guard_of(const struct device *device)
{
    return (const struct interrupt_guard *)(const void *)device->ops;
}

static int refuse(struct error *error)
{
    return error_set(error, ERROR_INTERRUPTED,
                     "interrupted: nothing was measured to the end and no "
                     "record was changed; run the same command again");
}

static int guarded_compile(struct device *device, const struct device_source *sources,
                           size_t count, struct device_image *out, struct error *error)
{
    return interrupt_signal()
               ? refuse(error)
               : guard_of(device)->real->compile(device, sources, count, out, error);
}

static int guarded_load(struct device *device, const struct device_image *image,
                        struct device_module **out, struct device_kernel *kernels,
                        struct error *error)
{
    return interrupt_signal()
               ? refuse(error)
               : guard_of(device)->real->load(device, image, out, kernels, error);
}

static int guarded_launch(struct device *device, const struct device_launch *launches,
                          size_t count, void *stream, struct error *error)
{
    return interrupt_signal()
               ? refuse(error)
               : guard_of(device)->real->launch(device, launches, count, stream, error);
}

static int guarded_sync(struct device *device, void *stream, struct error *error)
{
    return interrupt_signal() ? refuse(error)
                              : guard_of(device)->real->sync(device, stream, error);
}

static int guarded_prepare(struct device *device, const struct device_launch *launches,
                           size_t count, struct device_graph **out, struct error *error)
{
    return interrupt_signal()
               ? refuse(error)
               : guard_of(device)->real->prepare(device, launches, count, out, error);
}

static int guarded_time(struct device *device, struct device_graph *graph,
                        const struct device_launch *before, size_t before_count,
                        uint64_t *out_ps, struct error *error)
{
    return interrupt_signal() ? refuse(error)
                              : guard_of(device)->real->time(device, graph, before,
                                                             before_count, out_ps, error);
}

/* A closed terminal ends a run as Ctrl-C does; nohup has SIGHUP ignored, and it stays so. */
static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof *signals };

static void catch_signal(int number)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    struct sigaction before;
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN &&
        sigaction(number, &action, NULL) == 0)
        sigaddset(&caught, number);
}

static void *watch(void *unused)
{
    int number;
    (void)unused;
    while (sigwait(&caught, &number) == 0)
        handle(number);
    return NULL;
}

/* While NVRTC compiles, in any thread, the process has NVRTC's handlers of these signals, which
 * end it with status 4. So all threads block them, and one thread waits for them. */
static void watch_signals(void)
{
    if (pthread_sigmask(SIG_BLOCK, &caught, NULL))
        return;
    is_watching = pthread_create(&watcher, NULL, watch, NULL) == 0;
    if (!is_watching)
        pthread_sigmask(SIG_UNBLOCK, &caught, NULL);
}

static void unwatch_signals(void)
{
    if (!is_watching)
        return;
    is_watching = false;
    pthread_cancel(watcher);
    pthread_join(watcher, NULL);
    pthread_sigmask(SIG_UNBLOCK, &caught, NULL); /* pending signals are handled now */
}

void interrupt_begin(struct interrupt_guard *guard, struct device *device)
{
    sigemptyset(&caught);
    for (size_t i = 0; i < SIGNALS; i++)
        catch_signal(signals[i]);
    *guard = (struct interrupt_guard){.device = device};
    if (!device)
        return;
    watch_signals();
    guard->real = device->ops;
    guard->ops = *device->ops;
    guard->ops.compile = guarded_compile;
    guard->ops.load = guarded_load;
    guard->ops.launch = guarded_launch;
    guard->ops.sync = guarded_sync;
    guard->ops.prepare = guarded_prepare;
    guard->ops.time = guarded_time;
    device->ops = &guard->ops;
}

static void release_signal(int number)
{
    struct sigaction action;
    if (sigaction(number, NULL, &action) == 0 && action.sa_handler == handle)
        signal(number, SIG_DFL);
}

void interrupt_end(struct interrupt_guard *guard)
{
    if (guard->device)
        guard->device->ops = guard->real;
    unwatch_signals();
    for (size_t i = 0; i < SIGNALS; i++)
        release_signal(signals[i]);
}
