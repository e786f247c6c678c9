/* SPDX-License-Identifier: Apache-2.0 */
/* In which order threads and blocks run. TULLE_EMU_ORDER and TULLE_EMU_RESIDENT set it when the
 * device is opened; these calls, at any time between launches. */
#ifndef TULLE_GPU_EMULATOR_ORDER_H
#define TULLE_GPU_EMULATOR_ORDER_H

#include "tulle/status.h"

enum { TULLE__EMU_RESIDENT = 4, TULLE__EMU_MAX_RESIDENT = 16 };

TULLE_BEGIN

/* "forward", "backward" or "random:SEED". */
TULLE_API tulle_status tulle__emu_set_order(const char *order);

/* How many blocks run at the same time, 1 to TULLE__EMU_MAX_RESIDENT. */
TULLE_API tulle_status tulle__emu_set_resident(const char *blocks);

TULLE_END

#ifdef __cplusplus
namespace tulle_emu::emulator {

/* Reads the environment. */
tulle_status order_from_environment();

}  // namespace tulle_emu::emulator
#endif

#endif
