/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that memory will do, before it is asked for: the system promises more than it has, and
 * ends a program that believes it. */
#ifndef TULLE_CORE_ROOM_H
#define TULLE_CORE_ROOM_H

#include "core/context.h"

enum { TULLE__ROOM_TEXT = 128 };

/* Bytes from which the check is worth its time: filling so large an array takes a hundred times
 * as long as asking for the available memory. */
enum { TULLE__WORTH_ASKING = 64 << 20 };

/* Returns TULLE_OK where a context may get so many bytes more, else TULLE_OUT_OF_MEMORY (its
 * cap) or TULLE_TOO_LARGE (its device, or this machine's available memory), without a record,
 * and words for a message: "31.5 GB, and this machine has 23.1 GB of memory available". */
TULLE_API tulle_status tulle__room_for(const tulle_ctx *ctx, double bytes,
                                       char words[TULLE__ROOM_TEXT]);

/* Returns TULLE_OK where this machine has so many bytes available, whatever a context's place
 * is; else TULLE_TOO_LARGE, and words as tulle__room_for. */
tulle_status tulle__host_room_for(double bytes, char words[TULLE__ROOM_TEXT]);

/* Returns true when this machine has not so many bytes of memory available: the system would
 * promise the array and then end the program. Arrays smaller than TULLE__WORTH_ASKING always
 * have room. */
bool tulle__host_lacks(size_t bytes);

#endif
