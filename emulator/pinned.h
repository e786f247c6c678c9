/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the host's that the device reaches by itself. What is copied there arrives as late as
 * it may: when the host waits for the stream, or finds an event done that was recorded after the
 * copy. Until then it holds other bits, and who reads it without having waited computes with those.
 */
#ifndef TULLE_GPU_EMULATOR_PINNED_H
#define TULLE_GPU_EMULATOR_PINNED_H

#include <stddef.h>
#include <stdint.h>

namespace tulle_emu::emulator {

void pin(const void *first, size_t bytes);
void unpin(const void *first);

/* False: it goes elsewhere, and is still to be copied. */
bool copy_late(void *to, const void *from, size_t bytes);

/* The number of the last copy so far; all copies up to one arrive, or all. */
uint64_t last_copy();
void copies_arrive(uint64_t last = UINT64_MAX);

}  // namespace tulle_emu::emulator

#endif
