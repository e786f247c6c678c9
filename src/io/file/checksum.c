/* SPDX-License-Identifier: Apache-2.0 */
/* A 64-bit checksum against damage, not against malice: four lanes of words, each multiplied into
 * 128 bits and folded to 64, as W. Yi's wyhash does it; every input bit reaches every output bit.
 */
#include <string.h>

#include "io/file/binary.h"

enum { LANES = 4 };

/* Odd numbers with about as many ones as zeros: the first bits of the fractions of the square
 * roots of 2, 3, 5, 7 and 11, made odd. */
static const uint64_t keys[LANES + 1] = {UINT64_C(0x6a09e667f3bcc909), UINT64_C(0xbb67ae8584caa73b),
                                         UINT64_C(0x3c6ef372fe94f82b), UINT64_C(0xa54ff53a5f1d36f1),
                                         UINT64_C(0x510e527fade682d1)};

static uint64_t fold(uint64_t a, uint64_t b) {
    const unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t word_at(const unsigned char *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static void take_stripe(uint64_t lane[LANES], const unsigned char *bytes) {
    for (int i = 0; i < LANES; i++) {
        const uint64_t word = word_at(bytes + 8 * i);
        /* the sum keeps a word that meets its own key from wiping out the lane */
        lane[i] = fold(lane[i] ^ word, keys[i]) + word;
    }
}

uint64_t tulle__checksum(const void *memory, size_t size) {
    enum { STRIPE = 8 * LANES };
    const unsigned char *bytes = memory;
    uint64_t lane[LANES] = {keys[1], keys[2], keys[3], keys[4]};
    size_t left = size;
    for (; left >= STRIPE; left -= STRIPE, bytes += STRIPE) take_stripe(lane, bytes);
    if (left > 0) {
        unsigned char last[STRIPE] = {0};
        memcpy(last, bytes, left);
        take_stripe(lane, last);
    }
    uint64_t sum = fold(size ^ keys[0], keys[LANES]);
    for (int i = 0; i < LANES; i++) sum = fold(sum ^ lane[i], keys[i]) + lane[i];
    return sum;
}

void tulle__checksum_array(const void *array, int64_t bytes, int threads, uint64_t *sums) {
    const int64_t pieces = tulle__checksum_pieces(bytes);
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < pieces; i++) {
        const int64_t begin = i * TULLE__CHECKSUM_PIECE, left = bytes - begin;
        sums[i] =
            tulle__checksum((const char *)array + begin,
                            (size_t)(left < TULLE__CHECKSUM_PIECE ? left : TULLE__CHECKSUM_PIECE));
    }
}
