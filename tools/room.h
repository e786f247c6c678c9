/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that a product fits in this machine's memory. */
#ifndef TOOL_ROOM_H
#define TOOL_ROOM_H

#include "tulle/tulle.h"

/* Fails with TULLE_TOO_LARGE, before anything is allocated, where the memory of op(A) X beside A
 * does not fit in the memory that is available: X and Y on the place and on the host, and, if the
 * product is checked, the sums of the check. */
tulle_status tool_check_room(const tulle_device_info *device, const tulle_mat_info *A,
                             tulle_trans op, int64_t vectors, bool checked);

#endif
