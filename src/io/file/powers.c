/* SPDX-License-Identifier: Apache-2.0 */
#include "io/file/powers.h"

#include <pthread.h>

/* Integers have WORDS * 64 bits, lowest word first. That is enough for 5^324, with 753 bits, and
 * for 2^1023, whose quotient by 5^292 has 345 bits, 217 more than the table keeps. */
enum { WORDS = 16 };

static tulle__power table[TULLE__POWER_MAX - TULLE__POWER_MIN + 1];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void times_five(uint64_t number[WORDS]) {
    uint64_t carry = 0;
    for (int i = 0; i < WORDS; i++) {
        const unsigned __int128 product = (unsigned __int128)number[i] * 5 + carry;
        number[i] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
    }
}

static void over_five(uint64_t number[WORDS]) {
    uint64_t remainder = 0;
    for (int i = WORDS - 1; i >= 0; i--) {
        const unsigned __int128 dividend = (unsigned __int128)remainder << 64 | number[i];
        number[i] = (uint64_t)(dividend / 5);
        remainder = (uint64_t)(dividend % 5);
    }
}

static uint64_t word(const uint64_t number[WORDS], int i) {
    return i >= 0 ? number[i] : 0;
}

static tulle__power first_bits(const uint64_t number[WORDS]) {
    int top = WORDS - 1;
    while (number[top] == 0) top--;
    const int shift = __builtin_clzll(number[top]);
    const uint64_t a = number[top], b = word(number, top - 1), c = word(number, top - 2);
    if (shift == 0) return (tulle__power){a, b};
    return (tulle__power){a << shift | b >> (64 - shift), b << shift | c >> (64 - shift)};
}

static void fill_table(void) {
    uint64_t number[WORDS] = {1};
    for (int q = 0; q <= TULLE__POWER_MAX; q++) {
        table[q - TULLE__POWER_MIN] = first_bits(number);
        times_five(number);
    }
    /* floor(floor(N / 5) / 5) = floor(N / 25): each quotient is the true one, rounded down */
    for (int i = 0; i < WORDS; i++) number[i] = 0;
    number[WORDS - 1] = UINT64_C(1) << 63;
    for (int q = -1; q >= TULLE__POWER_MIN; q--) {
        over_five(number);
        table[q - TULLE__POWER_MIN] = first_bits(number);
    }
}

const tulle__power *tulle__powers(void) {
    pthread_once(&once, fill_table);
    return table;
}
