/* counts: has processes that end by _exit, or that the program kills, leave their counts of lines, too.
 * Linked with --wrap=_exit,--wrap=kill by tests/mutate/cover.sh. */
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

void __gcov_dump(void);
_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);
int __real_kill(pid_t pid, int number);
int __wrap_kill(pid_t pid, int number);

enum { WAIT_US = 100000 };

_Noreturn void __wrap__exit(int status)
{
    __gcov_dump();
    __real__exit(status);
}

static void leave_counts(int number)
{
    (void)number;
    __gcov_dump();
}

__attribute__((constructor)) static void begin(void)
{
    signal(SIGUSR2, leave_counts);
}

/* A worker is asked first; one that hangs has no time to answer. */
int __wrap_kill(pid_t pid, int number)
{
    if (number == SIGKILL && __real_kill(pid, SIGUSR2) == 0)
        usleep(WAIT_US);
    return __real_kill(pid, number);
}
