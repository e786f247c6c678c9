/* SPDX-License-Identifier: Apache-2.0 */
/* Zip archives and arrays of NumPy's in memory, as the tests of .npz files and their fuzz target
 * make them. Members are stored, with right checksums. */
#ifndef TESTS_ZIP_FILES_H
#define TESTS_ZIP_FILES_H

#include <stdio.h>

#include "little_files.h"

enum { ZIP_MEMBERS = 16 };

typedef struct {
    little_file file;
    size_t starts[ZIP_MEMBERS]; /* position of each member's own record */
    int members;
} zip_file;

/* Begins an archive without members. */
static inline void zip_begin(zip_file *zip) {
    zip->file.size = 0;
    zip->members = 0;
}

static inline void zip_put(zip_file *zip, const void *bytes, size_t size) {
    little_put(&zip->file, bytes, size);
}

/* Puts a number of so many bytes, the lowest first. */
static inline void zip_number(zip_file *zip, uint64_t number, int bytes) {
    little_number(&zip->file, number, bytes, false);
}

static inline uint32_t zip_crc(const unsigned char *bytes, size_t size) {
    uint32_t crc = ~UINT32_C(0);
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

/* Adds a member as it is. */
static inline void zip_add(zip_file *zip, const char *name, const void *bytes, size_t size) {
    if (zip->members == ZIP_MEMBERS) abort();
    zip->starts[zip->members++] = zip->file.size;
    zip_put(zip, "PK\3\4\x14\0\0\0\0\0\0\0\x21\0", 14);
    zip_number(zip, zip_crc(bytes, size), 4);
    zip_number(zip, (uint32_t)size, 4);
    zip_number(zip, (uint32_t)size, 4);
    zip_number(zip, (uint32_t)strlen(name), 2);
    zip_number(zip, 0, 2);
    zip_put(zip, name, strlen(name));
    zip_put(zip, bytes, size);
}

/* Writes the table of members and the last record. */
static inline void zip_end(zip_file *zip) {
    const size_t start = zip->file.size;
    for (int i = 0; i < zip->members; i++) {
        unsigned char record[26], name[256];
        memcpy(record, zip->file.bytes + zip->starts[i] + 4, 26);
        const size_t length = record[22];
        memcpy(name, zip->file.bytes + zip->starts[i] + 30, length);
        zip_put(zip, "PK\1\2\x14\0", 6);
        zip_put(zip, record, 26);
        zip_number(zip, 0, 2 + 2 + 2);
        zip_number(zip, 0, 4);
        zip_number(zip, (uint32_t)zip->starts[i], 4);
        zip_put(zip, name, length);
    }
    const size_t end = zip->file.size;
    zip_put(zip, "PK\5\6\0\0\0\0", 8);
    zip_number(zip, (uint32_t)zip->members, 2);
    zip_number(zip, (uint32_t)zip->members, 2);
    zip_number(zip, (uint32_t)(end - start), 4);
    zip_number(zip, (uint32_t)start, 4);
    zip_number(zip, 0, 2);
}

/* Adds an array of NumPy's whose head is the given dictionary. */
static inline void zip_array_of_head(zip_file *zip, const char *name, const char *head,
                                     const void *bytes, size_t size) {
    static unsigned char array[LITTLE_ROOM];
    const size_t length = strlen(head);
    memcpy(array, "\x93NUMPY\1\0", 8);
    array[8] = length & 255;
    array[9] = (unsigned char)(length >> 8);
    memcpy(array + 10, head, length);
    if (size) memcpy(array + 10 + length, bytes, size);
    zip_add(zip, name, array, 10 + length + size);
}

/* Adds an array of NumPy's of that type and shape, such as "<f8" and "3,". */
static inline void zip_array(zip_file *zip, const char *name, const char *type, const char *shape,
                             const void *bytes, size_t size) {
    char head[256];
    snprintf(head, sizeof head, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }  \n",
             type, shape);
    zip_array_of_head(zip, name, head, bytes, size);
}

#endif
