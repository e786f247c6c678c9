/* SPDX-License-Identifier: Apache-2.0 */
/* An array as a file holds it: bytes, and the kind of the numbers that they are. */
#ifndef TULLE_IO_FILE_RAW_H
#define TULLE_IO_FILE_RAW_H

#include "core/context.h"
#include "io/file/trouble.h"

typedef enum tulle__raw_kind {
    TULLE__RAW_SIGNED,
    TULLE__RAW_UNSIGNED,
    TULLE__RAW_BOOL,
    TULLE__RAW_FLOAT,
    TULLE__RAW_TEXT
} tulle__raw_kind;

typedef struct tulle__raw {
    tulle__raw_kind kind;
    /* bytes of one number: 1, 2, 4 or 8; for a text the bytes of all its characters */
    int64_t size;
    /* bytes of the unit within which the order of bytes may be swapped: a number, or one character
     * of a text */
    int64_t unit;
    bool swapped;  /* true when the order of the bytes is not this machine's */
    int64_t count; /* number of numbers or texts */
    /* the array, in this machine's order of bytes; owned; NULL until the array is read */
    void *bytes;
} tulle__raw;

/* A source of bytes in order, for arrays that follow each other in a file or are members of an
 * archive. */
typedef struct tulle__raw_source {
    /* Stores up to `bytes` further bytes at `to`, fewer only at the end. Returns the number of
     * bytes stored, or -1. */
    int64_t (*read)(void *user, void *to, int64_t bytes, tulle__trouble *trouble);
    void *user;
    double most;       /* most bytes that the source can give, judged by the size of the file */
    int64_t sure;      /* bytes that may be allocated before they have been read */
    const char *whole; /* name of the source in messages: "the file", "indices.npy" */
} tulle__raw_source;

/* raw_read.c: reads an array whose kind and count are set; `what` names the array in messages. The
 * memory in use grows with the bytes that have been read. raw->bytes must be freed, also after a
 * failure. */
bool tulle__raw_read(tulle_ctx *cpu, const tulle__raw_source *source, const char *what,
                     tulle__raw *raw, tulle__trouble *trouble);
void tulle__raw_free(tulle_ctx *cpu, tulle__raw *raw);

/* Returns the number of threads for work on so many numbers: starting a thread takes as long as
 * work on tens of thousands of numbers. */
static inline int tulle__raw_threads(const tulle_ctx *cpu, int64_t numbers) {
    return numbers < 1 << 15 ? 1 : cpu->place.threads;
}

/* Returns number i of an array of integers. An integer that does not fit in 63 bits becomes the
 * largest one that does. */
static inline int64_t tulle__raw_integer(const tulle__raw *raw, int64_t i) {
    const bool is_signed = raw->kind == TULLE__RAW_SIGNED;
    switch (raw->size) {
        case 1:
            return is_signed ? ((const int8_t *)raw->bytes)[i] : ((const uint8_t *)raw->bytes)[i];
        case 2:
            return is_signed ? ((const int16_t *)raw->bytes)[i] : ((const uint16_t *)raw->bytes)[i];
        case 4:
            return is_signed ? ((const int32_t *)raw->bytes)[i]
                             : (int64_t)((const uint32_t *)raw->bytes)[i];
        default: {
            const int64_t number = ((const int64_t *)raw->bytes)[i];
            return !is_signed && number < 0 ? INT64_MAX : number;
        }
    }
}

/* Result of converting a number to the type of the matrix. */
typedef enum tulle__fate {
    TULLE__KEPT,
    TULLE__VANISHED,   /* the number is not 0, and became 0 */
    TULLE__ROUNDED,    /* the number is an integer that the type does not have */
    TULLE__NOT_FINITE, /* the number is NaN or infinite in the file */
    TULLE__TOO_WIDE,   /* the number is finite in the file, and infinite in the type */
    TULLE__NO_BOOL     /* the number is neither 0 nor 1, where only these are allowed */
} tulle__fate;

/* raw_value.c: stores number i of the array as values[at] of the type, and returns the result of
 * the conversion. */
tulle__fate tulle__raw_value(const tulle__raw *raw, int64_t i, tulle_type type, void *values,
                             int64_t at);

#endif
