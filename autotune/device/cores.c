/* cores: asks the scheduler, with a set that grows until it holds every core of the machine. */
#include "autotune/device/cores.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

enum { CORES_MOST = 1 << 18 };

unsigned cores_of_machine(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (unsigned)count;
}

unsigned cores_own(void)
{
    for (size_t room = CPU_SETSIZE; room <= CORES_MOST; room *= 2) {
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

void cores_take_share(unsigned index, unsigned count)
{
    const unsigned all = cores_of_machine();
    const unsigned first = (unsigned)((uint64_t)index * all / count % all);
    const unsigned own =
        all / count ? (unsigned)((uint64_t)(index + 1) * all / count) - first : 1;
    cpu_set_t *before = CPU_ALLOC(CORES_MOST), *set = CPU_ALLOC(CORES_MOST);
    const size_t bytes = CPU_ALLOC_SIZE(CORES_MOST);
    if (before && set && count > 1 && index < count && cores_own() == all &&
        sched_getaffinity(0, bytes, before) == 0) {
        unsigned passed = 0;
        CPU_ZERO_S(bytes, set);
        for (size_t core = 0; core < CORES_MOST; core++)
            if (CPU_ISSET_S(core, bytes, before)) {
                if (passed >= first && passed < first + own)
                    CPU_SET_S(core, bytes, set);
                passed++;
            }
        sched_setaffinity(0, bytes, set);
    }
    if (before)
        CPU_FREE(before);
    if (set)
        CPU_FREE(set);
}
