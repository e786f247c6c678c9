/* SPDX-License-Identifier: Apache-2.0 */
/* A finite number of a file must not become infinite unnoticed: as a sum of duplicates, or as a
 * number of the binary form that the caller wants in a narrower type. For single numbers of a text
 * the reader of the text checks this. */
#ifndef TULLE_IO_FILE_RANGE_H
#define TULLE_IO_FILE_RANGE_H

#include "tulle/matrix.h"

/* Fails if an entry of A is infinite. A is in host memory and was made of a text without infinite
 * numbers, with its duplicates added up. */
tulle_status tulle__check_sums(const char *name, const tulle_mat *A);

/* Fails if a finite entry of A is infinite in the type. A is in host memory and comes from the
 * binary form. */
tulle_status tulle__check_narrowing(const char *name, const tulle_mat *A, tulle_type type);

#endif
