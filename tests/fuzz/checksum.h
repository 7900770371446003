/* checksum: lets a fuzzer past the checksums of files, which it could not guess: while
 * checksum_is_zero, XXH3_64bits gives 0, so that a corpus has zeros in their place. The fuzzers
 * are linked with --wrap=XXH3_64bits. */
#ifndef AUTOTUNE_TEST_CHECKSUM_H
#define AUTOTUNE_TEST_CHECKSUM_H

#include <stdbool.h>

extern bool checksum_is_zero;

#endif
