/* cores: asks the scheduler, with a set that grows until it holds every core of the machine. */
#include "autotune/device/cores.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <unistd.h>

unsigned cores_of_machine(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (unsigned)count;
}

unsigned cores_own(void)
{
    const size_t most = 1 << 18;
    for (size_t room = CPU_SETSIZE; room <= most; room *= 2) {
        const size_t bytes = CPU_ALLOC_SIZE(room);
        cpu_set_t *set = CPU_ALLOC(room);
        const int failed = set ? sched_getaffinity(0, bytes, set) : -1;
        const int cause = errno;
        const int count = failed ? 0 : CPU_COUNT_S(bytes, set);
        if (set)
            CPU_FREE(set);
        if (count > 0)
            return (unsigned)count;
        if (cause != EINVAL)
            break;
    }
    return cores_of_machine();
}
