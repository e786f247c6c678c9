/* SPDX-License-Identifier: Apache-2.0 */
/* The one set of limits by which formats are chosen, whoever asks. */
#ifndef TULLE_FORMAT_LIMITS_H
#define TULLE_FORMAT_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/* Slots for each entry, padding included: the default of `fill` in tulle_convert_options, and where
 * no product gains by a format any more. Up to so many slots are always fine. */
enum { TULLE__MOST_FILL = 10, TULLE__GAINFUL_FILL = 2, TULLE__FREE_SLOTS = 65536 };

/* Whether so many slots for so many entries are within a limit; 0: the default. */
static inline bool tulle__fill_holds(int64_t slots, int64_t nnz, double fill) {
    if (!(fill > 0)) fill = TULLE__MOST_FILL;
    return slots <= TULLE__FREE_SLOTS || (double)slots <= fill * (double)nnz;
}

/* What another way to compute a product may cost at the most, of what there is: by the models
 * alone, less by more than they are wrong; measured, by as much as two measurements of the same
 * differ. */
#define TULLE__WORTH_BY_MODELS 0.85
#define TULLE__WORTH_MEASURED 0.98

#endif
