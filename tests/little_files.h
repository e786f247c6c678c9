/* SPDX-License-Identifier: Apache-2.0 */
/* Small binary files that tests and fuzz targets build in memory, number by number. */
#ifndef TESTS_LITTLE_FILES_H
#define TESTS_LITTLE_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LITTLE_ROOM = 1 << 17 };

typedef struct {
    unsigned char bytes[LITTLE_ROOM];
    size_t size;
} little_file;

static inline void little_put(little_file *file, const void *bytes, size_t size) {
    if (file->size + size > LITTLE_ROOM) abort();
    if (size) memcpy(file->bytes + file->size, bytes, size);
    file->size += size;
}

/* Puts an integer of so many bytes. */
static inline void little_number(little_file *file, uint64_t number, int bytes,
                                 bool highest_first) {
    for (int i = 0; i < bytes; i++) {
        const int shift = 8 * (highest_first ? bytes - 1 - i : i);
        little_put(file, &(unsigned char){(number >> shift) & 255}, 1);
    }
}

/* Puts a real of 4 or 8 bytes. */
static inline void little_real(little_file *file, double number, int bytes, bool highest_first) {
    const float narrow = (float)number;
    uint64_t wide_bits;
    uint32_t narrow_bits;
    memcpy(&wide_bits, &number, sizeof wide_bits);
    memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
    little_number(file, bytes == 8 ? wide_bits : narrow_bits, bytes, highest_first);
}

#endif
