/* poison: compares bytes with the value they were filled with. */
#include "autotune/verify/poison.h"

bool poison_is_all(const unsigned char *bytes, size_t count, unsigned char value)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != value)
            return false;
    return true;
}
