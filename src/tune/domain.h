/* SPDX-License-Identifier: Apache-2.0 */
/* The domain from which a tuner chooses: the caller may give one kernel, and some values for each
 * of its parameters. */
#ifndef TULLE_TUNE_DOMAIN_H
#define TULLE_TUNE_DOMAIN_H

#include <stdint.h>

#include "core/backend.h"
#include "core/kernel.h"

typedef struct tulle__domain {
    const tulle__kernel *kernel; /* the kernel; NULL: all kernels, with all values */
    /* bit v is 1 if the domain has value number v of the parameter */
    uint32_t values[TULLE__MAX_PARAMS];
} tulle__domain;

/* Reads a domain, "NAME:param=V|V,...". A parameter that is not named has all of its values; NULL
 * stands for all kernels. For a public function with options that have a member spec. Fails with
 * TULLE_NOT_FOUND, TULLE_UNSUPPORTED, TULLE_INVALID_ARGUMENT. */
tulle_status tulle__domain_parse(const tulle__backend *backend, const char *function,
                                 const char *text, tulle__domain *domain);

/* Returns true when the domain has the kernel with value number at[k] of each parameter k. */
bool tulle__domain_has(const tulle__domain *domain, const tulle__kernel *kernel, const int *at);

#endif
