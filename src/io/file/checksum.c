/* SPDX-License-Identifier: Apache-2.0 */
/* The checksum is XXH3 with 64 bits. It finds damage; it is no protection against forgery. All of
 * XXH3 comes from its header. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "io/file/binary.h"

_Static_assert(XXH_VERSION_NUMBER >= 800, "XXH3 gives the same sums from xxHash 0.8.0 on");

uint64_t tulle__checksum(const void *bytes, size_t size) {
    return XXH3_64bits(bytes, size);
}

void tulle__checksum_array(const void *array, int64_t bytes, int threads, uint64_t *sums) {
    const int64_t pieces = tulle__checksum_pieces(bytes);
    if (threads > pieces) threads = pieces > 0 ? (int)pieces : 1;
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < pieces; i++) {
        const int64_t begin = i * TULLE__CHECKSUM_PIECE, left = bytes - begin;
        sums[i] =
            tulle__checksum((const char *)array + begin,
                            (size_t)(left < TULLE__CHECKSUM_PIECE ? left : TULLE__CHECKSUM_PIECE));
    }
}
