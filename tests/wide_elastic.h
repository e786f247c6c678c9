/* SPDX-License-Identifier: Apache-2.0 */
/* Elastic element matrices in long double; everything on the host. */
#ifndef TESTS_WIDE_ELASTIC_H
#define TESTS_WIDE_ELASTIC_H

#include "fem/elements/jobs.h"

/* The matrix of cell e, by rows. */
void wide_elastic(const tulle__body *body, int64_t e, long double *K);

#endif
