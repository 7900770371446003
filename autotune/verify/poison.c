/* poison: compares bytes with the value they were filled with, and names what differs. */
#include "autotune/verify/poison.h"

bool poison_is_all(const unsigned char *bytes, size_t count, unsigned char value)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != value)
            return false;
    return true;
}

const char *poison_state_fault(const unsigned char *all, size_t before, size_t used,
                               bool is_right, bool leaves_epoch)
{
    const unsigned char *state = all + before;
    if (!poison_is_all(state + used, POISON_STATE_GUARD, POISON_STATE))
        return "wrote past its state";
    if (!poison_is_all(all, before, POISON_STATE))
        return "wrote before its state";
    return is_right && !leaves_epoch && !poison_is_all(state, used, 0)
               ? "left its state above zero"
               : NULL;
}
