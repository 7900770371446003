/* watchdog: handles the signals of a crash and of an alarm. The handler may neither allocate nor
 * print, so it writes a sentence made beforehand, and ends the process. */
#include "autotune/command/watchdog.h"

#include "autotune/print/figures.h"
#include "generator/error.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h> /* setitimer */
#include <unistd.h>

/* Of processor time, which other programs do not use up, as the emulator and who waits for a
 * GPU do. */
static double limit_s = 20;

/* Of any time beyond that, should that wait sleep. */
enum { SLEEP_SECONDS = 600, STACK_BYTES = 64 << 10 };

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGPROF};
enum { SIGNALS = sizeof signals / sizeof *signals };

/* The only state that a handler can read. */
static char sentences[2][1000]; /* of a crash, and of the alarm */
static struct sigaction before[SIGNALS];
static stack_t stack; /* a kernel may have spoilt the one that it runs on */

static void end(int number)
{
    const char *sentence = sentences[number == SIGALRM || number == SIGPROF];
    if (write(STDERR_FILENO, sentence, strlen(sentence)) < 0)
        _exit(ERROR_IO);
    _exit(ERROR_WRONG);
}

static void start_clocks(void)
{
    const time_t whole = (time_t)limit_s;
    const struct itimerval limit = {
        .it_value = {.tv_sec = whole,
                     .tv_usec = (suseconds_t)((limit_s - (double)whole) * 1e6)}};
    setitimer(ITIMER_PROF, &limit, NULL);
    alarm(SLEEP_SECONDS + (unsigned)whole);
}

static void catch_all(void)
{
    struct sigaction action = {.sa_handler = end, .sa_flags = SA_ONSTACK};
    sigfillset(&action.sa_mask);
    stack = (stack_t){.ss_sp = malloc(STACK_BYTES), .ss_size = STACK_BYTES};
    if (stack.ss_sp)
        sigaltstack(&stack, NULL);
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &action, &before[i]);
    start_clocks();
}

static void release_all(void)
{
    const stack_t none = {.ss_flags = SS_DISABLE};
    alarm(0);
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = 0}, NULL);
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &before[i], NULL);
    sigaltstack(&none, NULL);
    free(stack.ss_sp);
}

void watchdog_limit(double seconds)
{
    assert(seconds > 0);
    limit_s = seconds;
}

void watchdog_answer(void)
{
    start_clocks();
}

void watchdog_kernel(const char *what)
{
    if (what == NULL) {
        release_all();
        return;
    }
    char limit[NUMBER_CHARS];
    snprintf(sentences[0], sizeof sentences[0],
             "autotune: %.900s is wrong: it crashes; correct the template or the space\n",
             what);
    snprintf(
        sentences[1], sizeof sentences[1],
        "autotune: %.870s is wrong: it gives no answer within %s s of processor time (--limit); "
        "correct the template or the space\n",
        what, figures_short(limit, limit_s, limit_s < 1 ? 3 : 1));
    catch_all();
}
