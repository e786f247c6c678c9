/* SPDX-License-Identifier: Apache-2.0 */
/* The emulated device's memory: one stretch of addresses, so that an address says whether it is the
 * device's and where its history is. Every array has closed words around it; what is freed stays
 * closed for a long time before it is used again. Arrays beyond most_watched have no histories:
 * there an access is checked against the array's bounds alone. Callers hold the device's lock. */
#ifndef TULLE_GPU_EMULATOR_ARENA_H
#define TULLE_GPU_EMULATOR_ARENA_H

#include <stddef.h>

#include "emulator/history.h"

namespace tulle_emu::emulator {

constexpr size_t most_watched = 16 << 20;

struct array_info {
    char *first;
    size_t bytes;
    bool watched, freed;
};

/* The arena's addresses; both 0 before the first array. */
struct stretch {
    const char *first = nullptr;
    size_t bytes = 0;
    bool has(const void *p) const {
        return static_cast<size_t>(static_cast<const char *>(p) - first) < bytes;
    }
};
extern stretch arena;

/* NULL: no memory. */
void *arena_take(size_t bytes);
/* False: no array begins there, or it was given back before. */
bool arena_give(void *pointer);

/* The array around an address, or the one whose end or beginning is nearest; NULL: none. */
const array_info *arena_find(const void *address);

/* Whether the address is in an array without histories. */
bool arena_unwatched(const void *address);

word_history &arena_word(const void *address);

/* Sets the state of bytes that are the device's; others, and arrays without histories, are left. */
void arena_set(const void *from, size_t bytes, word_state state);

/* What was copied from one of the device's arrays into another, and was not written, is not. */
void arena_copy_unwritten(void *to, const void *from, size_t bytes);

/* The first byte of the range that no array has, that is closed or, for a reader, unwritten; NULL:
 * none. Memory of the host is the host's. */
const char *arena_misused(const void *from, size_t bytes, bool is_read);

/* Moments start anew: what kernels did is forgotten. */
void arena_forget();

}  // namespace tulle_emu::emulator

#endif
