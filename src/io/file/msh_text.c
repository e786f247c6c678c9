/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/room.h"
#include "io/file/blocks.h"
#include "io/file/decimal.h"
#include "io/file/msh.h"

static int64_t line_at(const tulle__msh *msh, const char *at) {
    int64_t line = 1;
    for (const char *c = msh->text; c < at; c++) line += *c == '\n';
    return line;
}

bool tulle__msh_bad(tulle__msh *msh, const char *at, tulle_status status, const char *format, ...) {
    char what[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (!msh->binary) return tulle__note(msh->trouble, status, line_at(msh, at), "%s", what);
    return tulle__note(msh->trouble, status, 0, "byte %lld: %s", (long long)(at - msh->text), what);
}

bool tulle__msh_done(tulle__msh *msh, tulle_status status) {
    return status == TULLE_OK ||
           tulle__note(msh->trouble, status, 0, "%s", tulle_last_error()->message);
}

/* Reports progress each time that so many bytes have been read; returns false if reading is to
 * stop. */
static bool go_on(tulle__msh *msh) {
    enum { BYTES = 1 << 20 };
    if (msh->at < msh->ask_at) return true;
    msh->ask_at = msh->end - msh->at > BYTES ? msh->at + BYTES : msh->end;
    return tulle__msh_done(msh,
                           tulle__progress(msh->cpu, "parsing", msh->at - msh->text, msh->bytes));
}

static bool cut_off(tulle__msh *msh, const char *what) {
    return tulle__msh_bad(msh, msh->end, TULLE_PARSE_ERROR, "the file ends in %s, before %s",
                          msh->section, what);
}

/* Copies the next `size` bytes of the file. */
static bool take_bytes(tulle__msh *msh, const char *what, int size, void *to) {
    if (msh->end - msh->at < size) return cut_off(msh, what);
    if (!go_on(msh)) return false;
    memcpy(to, msh->at, (size_t)size);
    msh->at += size;
    return true;
}

static bool take_word(tulle__msh *msh, const char *what, int64_t *number) {
    uint32_t word = 0;
    if (!take_bytes(msh, what, 4, &word)) return false;
    *number = (int32_t)(msh->swapped ? __builtin_bswap32(word) : word);
    return true;
}

static bool take_long(tulle__msh *msh, const char *what, uint64_t *word) {
    if (!take_bytes(msh, what, 8, word)) return false;
    if (msh->swapped) *word = __builtin_bswap64(*word);
    return true;
}

const char *tulle__msh_here(tulle__msh *msh) {
    while (!msh->binary && msh->at < msh->end && (tulle__is_blank(*msh->at) || *msh->at == '\n'))
        msh->at++;
    return msh->at;
}

/* Moves to the next number of a text; returns false if there is none. */
static bool seek(tulle__msh *msh, const char *what) {
    return tulle__msh_here(msh) < msh->end ? go_on(msh) : cut_off(msh, what);
}

static bool no_number(tulle__msh *msh, const char *what, const char *kind) {
    char word[TULLE__WORD_ROOM];
    return tulle__msh_bad(msh, msh->at, TULLE_PARSE_ERROR, "%s: '%s' is no %s", what,
                          tulle__word(msh->at, word), kind);
}

static bool ends_here(const char *at) {
    return tulle__is_blank(*at) || *at == '\n';
}

static bool read_whole(tulle__msh *msh, const char *what, int64_t low, int64_t high,
                       int64_t *number) {
    if (!seek(msh, what)) return false;
    const bool negative = *msh->at == '-';
    const char *digit = msh->at + negative;
    int64_t value = 0;
    bool overflow = false;
    for (; tulle__is_digit(*digit); digit++) {
        overflow = overflow || __builtin_mul_overflow(value, 10, &value) ||
                   __builtin_add_overflow(value, *digit - '0', &value);
    }
    if (digit == msh->at + negative || !ends_here(digit)) {
        return no_number(msh, what, "whole number");
    }
    if (negative) value = -value;
    if (overflow || value < low || value > high) return no_number(msh, what, "number in range");
    msh->at = digit;
    *number = value;
    return true;
}

bool tulle__msh_int(tulle__msh *msh, const char *what, int64_t *number) {
    if (msh->binary) return take_word(msh, what, number);
    return read_whole(msh, what, INT32_MIN, INT32_MAX, number);
}

bool tulle__msh_size(tulle__msh *msh, const char *what, int64_t *number) {
    uint64_t word = 0;
    if (!msh->binary) return read_whole(msh, what, 0, INT64_MAX, number);
    const char *at = msh->at;
    if (!take_long(msh, what, &word)) return false;
    *number = (int64_t)word;
    return *number >= 0 || tulle__msh_bad(msh, at, TULLE_PARSE_ERROR, "%s: %llu is out of range",
                                          what, (unsigned long long)word);
}

bool tulle__msh_real(tulle__msh *msh, const char *what, double *number) {
    if (msh->binary) {
        const char *at = msh->at;
        uint64_t word = 0;
        if (!take_long(msh, what, &word)) return false;
        memcpy(number, &word, sizeof *number);
        return isfinite(*number) ||
               tulle__msh_bad(msh, at, TULLE_PARSE_ERROR, "%s is not finite", what);
    }
    if (!seek(msh, what)) return false;
    const char *next = tulle__read_f64(msh->at, msh->end, number);
    if (!next || next - msh->at > TULLE__NUMBER_LIMIT || !ends_here(next) || !isfinite(*number)) {
        return no_number(msh, what, "finite number");
    }
    msh->at = next;
    return true;
}

bool tulle__msh_skip(tulle__msh *msh, const char *what, int64_t integers, int64_t reals) {
    int64_t integer;
    double real;
    for (int64_t i = 0; i < reals; i++) {
        if (!tulle__msh_real(msh, what, &real)) return false;
    }
    for (int64_t i = 0; i < integers; i++) {
        if (!tulle__msh_int(msh, what, &integer)) return false;
    }
    return true;
}

bool tulle__msh_holds(tulle__msh *msh, const char *what, int64_t count, int64_t sizes,
                      int64_t reals, int64_t bytes) {
    const int64_t each = (sizes + reals) * (msh->binary ? 8 : 2);
    char words[TULLE__ROOM_TEXT];
    if (count > (msh->end - msh->at) / each + 1) {
        return tulle__msh_bad(msh, msh->at, TULLE_PARSE_ERROR,
                              "%lld %s are promised, more than the rest of the file can hold",
                              (long long)count, what);
    }
    if (count > INT32_MAX) {
        return tulle__msh_bad(msh, msh->at, TULLE_TOO_LARGE, "%lld %s, more than %d",
                              (long long)count, what, INT32_MAX);
    }
    if (count * bytes < TULLE__MSH_SMALL) return true;
    const tulle_status status = tulle__room_for(msh->cpu, (double)count * (double)bytes, words);
    return status == TULLE_OK || tulle__msh_bad(msh, msh->at, status, "to read %lld %s takes %s",
                                                (long long)count, what, words);
}

bool tulle__msh_grow(tulle__msh *msh, void *array, int64_t count, int64_t *room, int64_t wanted,
                     int64_t size) {
    void **pointer = array, *larger;
    size_t bytes;
    if (wanted <= *room) return true;
    int64_t next = 2 * *room > wanted ? 2 * *room : wanted;
    char words[TULLE__ROOM_TEXT];
    tulle_status status = TULLE_OK;
    if (next * size >= TULLE__MSH_SMALL)
        status = tulle__room_for(msh->cpu, (double)next * (double)size, words);
    if (status != TULLE_OK && next > wanted) {
        next = wanted;
        status = tulle__room_for(msh->cpu, (double)next * (double)size, words);
    }
    if (status != TULLE_OK)
        return tulle__note(msh->trouble, status, 0, "to hold what it says takes %s", words);
    if (tulle__size(next, size, 0, &bytes) != TULLE_OK ||
        tulle__alloc(msh->cpu, bytes, &larger) != TULLE_OK) {
        return tulle__note(msh->trouble, TULLE_OUT_OF_MEMORY, 0, "%s", tulle_last_error()->message);
    }
    if (count > 0) memcpy(larger, *pointer, (size_t)(count * size));
    tulle__free(msh->cpu, *pointer);
    *pointer = larger;
    *room = next;
    return true;
}
