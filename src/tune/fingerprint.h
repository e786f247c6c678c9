/* SPDX-License-Identifier: Apache-2.0 */
/* By what a tuner knows a structure again: shape, format, types and what a pass over the pattern
 * found, never an address, which another matrix may have later. */
#ifndef TULLE_TUNE_FINGERPRINT_H
#define TULLE_TUNE_FINGERPRINT_H

#include "spmv/spmv.h"

uint64_t tulle__fingerprint(const tulle__spmv_shape *shape);

#endif
