/* SPDX-License-Identifier: Apache-2.0 */
/* No number of a file that is finite may become infinite unseen: neither one that a sum of
 * duplicates makes, nor one of the binary form that is wanted in a narrower type. Numbers of a text
 * are looked at where they are read. */
#ifndef TULLE_IO_FILE_RANGE_H
#define TULLE_IO_FILE_RANGE_H

#include "tulle/matrix.h"

/* A matrix of a text, in host memory, whose duplicates were summed: no entry may be infinite. */
tulle_status tulle__check_sums(const char *name, const tulle_mat *A);

/* A matrix of the binary form, in host memory: every finite entry must be finite in the type. */
tulle_status tulle__check_narrowing(const char *name, const tulle_mat *A, tulle_type type);

#endif
