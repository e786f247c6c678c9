/* SPDX-License-Identifier: Apache-2.0 */
/* What was done to each word of memory, shared or global, by which a kernel's races and reads of
 * what nobody wrote are found. */
#ifndef TULLE_GPU_EMULATOR_HISTORY_H
#define TULLE_GPU_EMULATOR_HISTORY_H

#include <stdarg.h>

#include "emulator/moments.h"
#include "emulator/where.h"

namespace tulle_emu::emulator {

/* What a word is before a kernel has written it. All below first_moment. */
enum word_state : uint32_t {
    word_none = 0,      /* no array has it */
    word_freed = 1,     /* the array it was in was freed */
    word_closed = 2,    /* an array has it, but not this part */
    word_copying = 3,   /* an asynchronous copy is to write it */
    word_unwritten = 4, /* nobody has written it yet */
    word_bytes = 5,     /* its bytes have histories of their own */
    word_written = 6    /* by the host, or long ago */
};

enum class kept : uint32_t { read, atomic_read, atomic_write, many };

struct access {
    uint32_t moment : 30;
    uint32_t kind : 2; /* enum kept; many: moment is the number of a list */
    where at;
};

/* Of plain writes the last is kept, since each must come after the one before it; of reads and
 * atomic operations those that may overlap. */
struct word_history {
    access write;
    access other;
    uint32_t constant; /* the moment of a read that took the word for constant; of word_bytes: where
                          the histories are */
    uint32_t overwritten; /* the number of what overwritten.cpp knows of it; 0: nothing */
};

/* Instead of such a number: an atomic write is the first, and overwrites nothing. */
constexpr uint32_t newly_written = 1, first_overwritten = 2;

/* An access as it is made. */
struct attempt {
    touch how;
    where at;
    uint32_t oldest;   /* accesses of earlier moments count no more */
    const char *array; /* in shared memory: its name */
    int64_t element;
    const void *address; /* in global memory */
};

/* "reads", "writes" ... */
const char *verb_of(touch how);

/* Names a global address: global.cpp. */
void describe(const void *address, char *text, size_t room);

/* Checks the access and keeps it. */
void touch_word(word_history &word, const attempt &now);

/* The same for some bytes of a word, lowest bit first. */
constexpr unsigned all_bytes = 15;
void touch_bytes(word_history &word, unsigned bytes, const attempt &now);

/* Sets bytes of a word to a state, whatever was known of them. */
void set_state(word_history &word, unsigned bytes, word_state state);

/* The state of a byte, or a moment: it is written. What a state says of memory: "that was freed".
 */
uint32_t state_of(const word_history &word, size_t byte);
const char *name_of_state(uint32_t state);

/* What a word that a kernel accessed is once that launch counts no more. */
void forget_accesses(word_history &word);

/* Forgets the lists of overlapping accesses: a launch that overlaps with none before it begins. */
void forget_lists();

}  // namespace tulle_emu::emulator

#endif
