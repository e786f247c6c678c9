/* SPDX-License-Identifier: Apache-2.0 */
/* "NAME:param=value,..." and back. */
#ifndef TULLE_SPMV_SPEC_H
#define TULLE_SPMV_SPEC_H

#include "spmv/spmv.h"

/* Looks the kernel up and checks the parameters that are given, for a public function with a
 * parameter named spec. */
tulle_status tulle__spmv_spec_parse(const tulle__backend *backend, const char *function,
                                    const char *text, tulle__spmv_spec *spec);

/* "coop=8,repeat=1"; "" without parameters. */
void tulle__spmv_params_text(const tulle__spmv_kernel *kernel, const int *params, char *text,
                             size_t room);

/* The parameters that were given, and the kernel's own rule for the rest. */
void tulle__spmv_params_fill(const tulle__spmv_shape *shape, tulle__spmv_spec *spec);

#endif
