/* SPDX-License-Identifier: Apache-2.0 */
/* Binary search. Compiles as C17 and as CUDA C++. */
#ifndef TULLE_CORE_SEARCH_H
#define TULLE_CORE_SEARCH_H

/* The variable low, which starts at the first candidate, becomes the first i below high for which
 * `before`, an expression of i, does not hold; high where it holds for all. It holds up to some i
 * and for none from there on. */
#define TULLE__LOWER_BOUND(low, high, i, before)                                                   \
    do {                                                                                           \
        __typeof__(low) high_ = (high);                                                            \
        while ((low) < high_) {                                                                    \
            const __typeof__(low) i = (low) + (high_ - (low)) / 2;                                 \
            if (before) {                                                                          \
                (low) = i + 1;                                                                     \
            } else {                                                                               \
                high_ = i;                                                                         \
            }                                                                                      \
        }                                                                                          \
    } while (0)

#endif
