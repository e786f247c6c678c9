/* SPDX-License-Identifier: Apache-2.0 */
/* A tuner chooses from the domain that its caller gives it: one kernel, and of each of its
 * parameters some values. */
#ifndef TULLE_TUNE_DOMAIN_H
#define TULLE_TUNE_DOMAIN_H

#include <stdint.h>

#include "core/backend.h"
#include "core/kernel.h"

typedef struct tulle__domain {
    const tulle__kernel *kernel;        /* NULL: all there is */
    uint32_t values[TULLE__MAX_PARAMS]; /* bit v: the parameter's value number v */
} tulle__domain;

/* "NAME:param=V|V,...", a parameter that is not named with all of its values; NULL: all there is.
 * For a public function that has options with a member spec: TULLE_NOT_FOUND, TULLE_UNSUPPORTED,
 * TULLE_INVALID_ARGUMENT. */
tulle_status tulle__domain_parse(const tulle__backend *backend, const char *function,
                                 const char *text, tulle__domain *domain);

/* at: which value of each parameter. */
bool tulle__domain_has(const tulle__domain *domain, const tulle__kernel *kernel, const int *at);

#endif
