/* SPDX-License-Identifier: Apache-2.0 */
/* Whether memory will do, before it is asked for: the system promises more than it has, and ends a
 * program that believes it. */
#ifndef TULLE_CORE_ROOM_H
#define TULLE_CORE_ROOM_H

#include "core/context.h"

enum { TULLE__ROOM_TEXT = 128 };

/* Filling an array of so many bytes takes a hundred times as long as asking what memory there is.
 */
enum { TULLE__WORTH_ASKING = 64 << 20 };

/* TULLE_OK where a context may get so many bytes more. Else TULLE_OUT_OF_MEMORY (its cap) or
 * TULLE_TOO_LARGE (its device, or this machine's available memory), without a record, and in words:
 * "31.5 GB, and this machine has 23.1 GB of memory available". */
TULLE_API tulle_status tulle__room_for(const tulle_ctx *ctx, double bytes,
                                       char words[TULLE__ROOM_TEXT]);

/* TULLE_OK where this machine has so many bytes available, whatever a context's place is; else
 * TULLE_TOO_LARGE, and words as above. */
tulle_status tulle__host_room_for(double bytes, char words[TULLE__ROOM_TEXT]);

/* Says that this machine has not so many bytes of memory available: the system would promise the
 * array and then end the program. Smaller arrays than TULLE__WORTH_ASKING always have room. */
bool tulle__host_lacks(size_t bytes);

#endif
