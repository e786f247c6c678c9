/* SPDX-License-Identifier: Apache-2.0 */
/* Files of one NumPy array (.npy): a head of text that names the type and the shape, then the
 * numbers. Format: numpy.lib.format, versions 1.0, 2.0 and 3.0. */
#ifndef TULLE_IO_FILE_NPY_H
#define TULLE_IO_FILE_NPY_H

#include "io/file/raw.h"

enum { TULLE__NPY_DIMENSIONS = 3 };

typedef struct tulle__npy {
    int dimensions;
    int64_t shape[TULLE__NPY_DIMENSIONS];
    bool first_fastest; /* true when the first index runs fastest in memory, as in Fortran */
    tulle__raw raw;
} tulle__npy;

/* npy_head.c: reads the dictionary of a head, a text that ends with NUL, into all fields of *npy
 * except raw.bytes. */
bool tulle__npy_read_head(const char *text, const char *whole, tulle__npy *npy,
                          tulle__trouble *trouble);

/* npy_read.c: reads the head and the numbers. The bytes must be freed, also after a failure. */
bool tulle__npy_read(tulle_ctx *cpu, const tulle__raw_source *source, tulle__npy *npy,
                     tulle__trouble *trouble);

#endif
