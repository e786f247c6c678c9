/* SPDX-License-Identifier: Apache-2.0 */
/* A fingerprint, by which a tuner recognises a structure: a hash of shape, format, types and the
 * statistics of the pattern. Addresses are not in it, because another matrix may have them
 * later. */
#ifndef TULLE_TUNE_FINGERPRINT_H
#define TULLE_TUNE_FINGERPRINT_H

#include "spmv/spmv.h"

uint64_t tulle__fingerprint(const tulle__spmv_shape *shape);

#endif
