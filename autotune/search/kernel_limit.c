/* kernel_limit: a timer of the process's processor time, which is on while kernels run and at no other
 * time. The state is the process's, as the timer is. */
#include "autotune/search/kernel_limit.h"

#include "autotune/device/fiber.h"

#include <stdbool.h>
#include <sys/time.h> /* setitimer */
#include <time.h>

/* Seconds. A few small runs take some milliseconds, an element 1 to 100 ns; under a sanitizer all of it
 * ten times as long. */
#if defined FIBER_ASAN || defined FIBER_TSAN
static const double LEAST = 30, EACH = 2e-5;
#else
static const double LEAST = 3, EACH = 2e-6;
#endif
static const double TIMES = 100;

static double longest, since;
static bool is_on, is_small;

static double processor_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void set_timer(double seconds)
{
    const time_t whole = (time_t)seconds;
    const struct itimerval limit = {
        .it_value = {.tv_sec = whole,
                     .tv_usec = (suseconds_t)((seconds - (double)whole) * 1e6)}};
    setitimer(ITIMER_PROF, &limit, NULL);
}

void kernel_limit_begin(double elements)
{
    is_on = true;
    is_small = elements <= 0;
    since = processor_s();
    set_timer(LEAST + TIMES * longest + EACH * elements);
}

void kernel_limit_begin_small(void)
{
    kernel_limit_begin(0);
}

void kernel_limit_end(void)
{
    if (!is_on)
        return;
    set_timer(0);
    const double took = processor_s() - since;
    if (is_small && took > longest)
        longest = took;
    is_on = false;
}
