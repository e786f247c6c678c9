/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_CORE_AVAILABLE_H
#define TULLE_CORE_AVAILABLE_H

#include <stdint.h>

#include "tulle/export.h"

/* Bytes of this machine's memory, and of its room to swap, that programs can still have; where the
 * system does not say, all memory. */
TULLE_API int64_t tulle__cpu_available(void);

#endif
