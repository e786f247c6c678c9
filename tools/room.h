/* SPDX-License-Identifier: Apache-2.0 */
/* A product must fit in this machine's memory. */
#ifndef TOOL_ROOM_H
#define TOOL_ROOM_H

#include "product.h"

/* Fails with TULLE_TOO_LARGE, before anything is allocated, where what tool_run_product makes
 * beside the matrix does not fit in the memory that is available: x and y on the place and on the
 * host, and the check's sums. */
tulle_status tool_check_room(const tulle_device_info *device, const tulle_mat_info *info,
                             const tool_product *product);

#endif
