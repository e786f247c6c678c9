/* SPDX-License-Identifier: Apache-2.0 */
/* The lengths of the rows in words, which tell the kernels of CSR apart. */
#ifndef TULLE_MATRIX_ROWS_IN_WORDS_H
#define TULLE_MATRIX_ROWS_IN_WORDS_H

#include <stdint.h>

static inline const char *tulle__rows_in_words(double mean, double sd, int64_t longest) {
    if (!(mean > 0)) return "there are no entries";
    if ((double)longest > 100 * mean) return "a few rows are very long";
    return sd < 0.5 * mean ? "the rows are much alike" : "the rows differ much";
}

#endif
