/* SPDX-License-Identifier: Apache-2.0 */
/* The limits by which all code chooses formats. */
#ifndef TULLE_FORMAT_LIMITS_H
#define TULLE_FORMAT_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/* MOST_FILL: most slots per entry, padding included, the default of `fill` in
 * tulle_convert_options. GAINFUL_FILL: slots per entry beyond which no product gains by a format.
 * FREE_SLOTS: number of slots that is always allowed. */
enum { TULLE__MOST_FILL = 10, TULLE__GAINFUL_FILL = 2, TULLE__FREE_SLOTS = 65536 };

/* Returns true when so many slots for so many entries are within a limit; fill 0 stands for the
 * default. */
static inline bool tulle__fill_holds(int64_t slots, int64_t nnz, double fill) {
    if (!(fill > 0)) fill = TULLE__MOST_FILL;
    return slots <= TULLE__FREE_SLOTS || (double)slots <= fill * (double)nnz;
}

/* Largest cost of another way to compute a product, relative to the present way, at which the
 * change is worthwhile. By models alone the gain must exceed the error of the models; by
 * measurements it must exceed the difference of two measurements of the same thing. */
#define TULLE__WORTH_BY_MODELS 0.85
#define TULLE__WORTH_MEASURED 0.98

#endif
