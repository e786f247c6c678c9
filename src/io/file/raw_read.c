/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "core/room.h"
#include "io/file/raw.h"

enum { PIECE = 1 << 22 };

static bool no_memory(tulle__trouble *trouble) {
    return tulle__note(trouble, TULLE_OUT_OF_MEMORY, 0, "%s", tulle_last_error()->message);
}

/* Fails if memory has no room for the array, or for the part of the array that a file of this size
 * can hold. */
static bool check_room(const tulle_ctx *cpu, const tulle__raw_source *source, const char *what,
                       int64_t bytes, tulle__trouble *trouble) {
    char words[TULLE__ROOM_TEXT];
    const double possible = (double)bytes < source->most ? (double)bytes : source->most;
    const tulle_status status = tulle__room_for(cpu, possible, words);
    return status == TULLE_OK || tulle__note(trouble, status, 0, "the %s take %s", what, words);
}

/* Enlarges the memory of the array. An empty array gets memory too, which tells it from a missing
 * one. */
static bool grow(tulle_ctx *cpu, tulle__raw *raw, int64_t got, int64_t room,
                 tulle__trouble *trouble) {
    void *larger;
    if (tulle__alloc(cpu, (size_t)(room + !room), &larger) != TULLE_OK) return no_memory(trouble);
    if (got > 0) memcpy(larger, raw->bytes, (size_t)got);
    tulle__free(cpu, raw->bytes);
    raw->bytes = larger;
    return true;
}

/* Reads bytes `got` to `end` - 1 of the array. */
static bool read_pieces(tulle_ctx *cpu, const tulle__raw_source *source, const char *what,
                        tulle__raw *raw, int64_t got, int64_t end, tulle__trouble *trouble) {
    const int64_t bytes = raw->count * raw->size;
    while (got < end) {
        const int64_t wanted = end - got < PIECE ? end - got : PIECE;
        const int64_t part = source->read(source->user, (char *)raw->bytes + got, wanted, trouble);
        if (part < 0) return false;
        got += part;
        if (part < wanted)
            return tulle__note(trouble, TULLE_PARSE_ERROR, 0,
                               "%s is cut off: it ends after %lld of the %lld bytes of the %s",
                               source->whole, (long long)got, (long long)bytes, what);
        if (tulle__progress(cpu, "reading", got, bytes) != TULLE_OK)
            return tulle__note(trouble, TULLE_CANCELLED, 0, "reading was cancelled");
    }
    return true;
}

static void swap(tulle_ctx *cpu, tulle__raw *raw) {
    const int64_t units = raw->count * raw->size / raw->unit, size = raw->unit;
#pragma omp parallel for num_threads(tulle__raw_threads(cpu, units))
    for (int64_t i = 0; i < units; i++) {
        char *unit = (char *)raw->bytes + i * size;
        for (int64_t a = 0, b = size - 1; a < b; a++, b--) {
            const char byte = unit[a];
            unit[a] = unit[b];
            unit[b] = byte;
        }
    }
    raw->swapped = false;
}

bool tulle__raw_read(tulle_ctx *cpu, const tulle__raw_source *source, const char *what,
                     tulle__raw *raw, tulle__trouble *trouble) {
    enum { FIRST = 1 << 20 };
    int64_t bytes;
    if (__builtin_mul_overflow(raw->count, raw->size, &bytes))
        return tulle__note(trouble, TULLE_TOO_LARGE, 0, "the %s take more than 2^63 bytes", what);
    if (!check_room(cpu, source, what, bytes, trouble)) return false;
    int64_t got = 0, room = source->sure > FIRST ? source->sure : FIRST;
    if (room > bytes) room = bytes;
    do {
        if (!grow(cpu, raw, got, room, trouble)) return false;
        if (!read_pieces(cpu, source, what, raw, got, room, trouble)) return false;
        got = room;
        room = bytes - room < room ? bytes : 2 * room;
    } while (got < bytes);
    if (raw->swapped) swap(cpu, raw);
    return true;
}

void tulle__raw_free(tulle_ctx *cpu, tulle__raw *raw) {
    tulle__free(cpu, raw->bytes);
    raw->bytes = NULL;
}
