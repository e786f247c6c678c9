/* SPDX-License-Identifier: Apache-2.0 */
/* A product must fit in this machine's memory. */
#ifndef TOOL_ROOM_H
#define TOOL_ROOM_H

#include "tulle/tulle.h"

/* Fails with TULLE_TOO_LARGE, before anything is allocated, where what op(A) X with so many vectors
 * takes beside A does not fit in the memory that is available: X and Y on the place and on the
 * host, and, where it is checked, the check's sums. */
tulle_status tool_check_room(const tulle_device_info *device, const tulle_mat_info *A,
                             tulle_trans op, int64_t vectors, bool checked);

#endif
