/* SPDX-License-Identifier: Apache-2.0 */
/* The ways in which a format can lay a matrix out, for tests that try them all. */
#ifndef TESTS_LAYOUTS_H
#define TESTS_LAYOUTS_H

#include "tulle/tulle.h"

/* How many sets of options there are for a format; number 0 is the defaults. */
int layout_count(tulle_format format);

/* Number i. */
tulle_convert_options layout_options(tulle_format format, int i);

/* A in the format; NULL where that would be mostly padding; else a failed test. */
tulle_mat *layout_make(tulle_ctx *ctx, const tulle_mat *A, tulle_format format, tulle_index index,
                       int i);

#endif
