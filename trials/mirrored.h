/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRIAL_MIRRORED_H
#define TRIAL_MIRRORED_H

#include "tulle/tulle.h"

/* Makes B, the matrix that a CSR or DCSR matrix means where only one of its triangles is read: that
 * triangle with whole diagonal blocks, and its mirror, as CSR. Where all of A is read, B is one
 * more owner of A. */
tulle_status trial_mirrored(tulle_ctx *ctx, tulle_mat *A, tulle_reads reads, int64_t block,
                            tulle_mat **B);

#endif
