/* SPDX-License-Identifier: Apache-2.0 */
/* A set of the columns of one row of C: one bit for each column, in words of 64, and one byte
 * for each word that says if the word has any bits. Adding a column stores without waiting for
 * earlier stores. Taking the columns out in order reads one byte for each word, 64 bytes at a
 * time. */
#ifndef TULLE_SPGEMM_CPU_COLSET_H
#define TULLE_SPGEMM_CPU_COLSET_H

#include <stdint.h>
#include <string.h>

/* Number of columns of a group: the words that 64 touched bytes stand for. */
enum { TULLE__COLSET_GROUP = 64 * 64 };

#define TULLE__INLINED static inline __attribute__((always_inline))

typedef struct tulle__colset {
    uint64_t *words;
    uint8_t *touched; /* a byte for each word, 1 where it has bits, else 0 */
} tulle__colset;

TULLE__INLINED void tulle__colset_add(const tulle__colset *set, int64_t word, uint64_t bits) {
    set->words[word] |= bits;
    set->touched[word] = 1;
}

/* Returns the words of a group that have bits, one bit a word, and clears their bytes. The
 * factor puts the lowest bits of eight bytes side by side, into the highest byte. */
TULLE__INLINED uint64_t tulle__colset_take(const tulle__colset *set, int64_t group) {
    uint64_t eight[8], words = 0;
    uint8_t *touched = set->touched + group * 64;
    memcpy(eight, touched, sizeof eight);
    uint64_t any =
        eight[0] | eight[1] | eight[2] | eight[3] | eight[4] | eight[5] | eight[6] | eight[7];
    if (any == 0) return 0;
    memset(touched, 0, sizeof eight);
    for (int b = 0; b < 8; b++) {
        words |= (eight[b] * UINT64_C(0x0102040810204080) >> 56) << (8 * b);
    }
    return words;
}

/* Removes from the set all columns of the groups that a row spans; returns their number. */
TULLE__INLINED int64_t tulle__colset_count(const tulle__colset *set, int64_t span) {
    int64_t count = 0;
    for (int64_t g = 0; g * TULLE__COLSET_GROUP < span; g++) {
        uint64_t words = tulle__colset_take(set, g);
        for (; words; words &= words - 1) {
            int64_t w = g * 64 + __builtin_ctzll(words);
            count += __builtin_popcountll(set->words[w]);
            set->words[w] = 0;
        }
    }
    return count;
}

enum { TULLE__COLSET_STEP = 4, TULLE__COLSET_LIST = TULLE__COLSET_GROUP + TULLE__COLSET_STEP };

/* Lists the columns of the bits of a word, ascending, and returns their number. Several are
 * written at a time, also where fewer are left, so that the end of a word is seldom a branch
 * that the processor cannot foresee; the list needs room for one such step more. */
TULLE__INLINED int64_t tulle__colset_spread(uint64_t bits, uint32_t first, uint32_t *to) {
    const uint64_t last = UINT64_C(1) << 63;
    const int64_t count = __builtin_popcountll(bits);
    for (; bits; to += TULLE__COLSET_STEP) {
        for (int s = 0; s < TULLE__COLSET_STEP; s++) {
            to[s] = first + (uint32_t)__builtin_ctzll(bits | last);
            bits &= bits - 1;
        }
    }
    return count;
}

/* Takes the columns of a group out of the set, rising, into a list of TULLE__COLSET_LIST;
 * returns their number. */
TULLE__INLINED int64_t tulle__colset_list(const tulle__colset *set, int64_t group, uint32_t *list) {
    int64_t count = 0;
    for (uint64_t words = tulle__colset_take(set, group); words; words &= words - 1) {
        int64_t w = group * 64 + __builtin_ctzll(words);
        count += tulle__colset_spread(set->words[w], (uint32_t)w * 64, list + count);
        set->words[w] = 0;
    }
    return count;
}

#endif
