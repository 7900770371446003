/* caller: keeps what belongs to the calling thread and its calls of other functions would change. */
#ifndef AUTOTUNE_CALLER_H
#define AUTOTUNE_CALLER_H

#include <errno.h>
#include <fenv.h>

struct caller {
    int number; /* errno */
    fenv_t arithmetic;
};

static inline void caller_set_errno(const int *number)
{
    errno = *number;
}

/* From here on the arithmetic is the usual one: to nearest, with denormals, without traps. What is
 * compared and joined here must not depend on what the caller has set. */
static inline struct caller caller_enter(void)
{
    struct caller caller = {.number = errno};
    fegetenv(&caller.arithmetic);
    fesetenv(FE_DFL_ENV);
    return caller;
}

static inline void caller_leave(const struct caller *caller)
{
    fesetenv(&caller->arithmetic);
    errno = caller->number;
}

/* The first line of a public function: gives errno, or arithmetic too, back when it returns. */
#define KEEP_ERRNO                                                                             \
    __attribute__((cleanup(caller_set_errno), unused)) const int caller_errno = errno
#define KEEP_CALLER                                                                            \
    __attribute__((cleanup(caller_leave), unused)) const struct caller caller = caller_enter()

#endif
