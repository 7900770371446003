/* checksum: stands in for xxhash's function while a fuzzer reads what it made. */
#include "tests/fuzz/checksum.h"

#include <stddef.h>
#include <stdint.h>

bool checksum_is_zero;

uint64_t __real_XXH3_64bits(const void *bytes, size_t length);
uint64_t __wrap_XXH3_64bits(const void *bytes, size_t length);

uint64_t __wrap_XXH3_64bits(const void *bytes, size_t length)
{
    return checksum_is_zero ? 0 : __real_XXH3_64bits(bytes, length);
}
