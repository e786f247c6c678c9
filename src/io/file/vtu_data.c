/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the numbers of arrays. An array is text; or bytes behind their size, plain or as base64
 * (RFC 4648); or blocks that zlib has compressed, behind the number and sizes of the blocks, which
 * are a base64 text of their own. No memory is taken for a length before the length has been
 * compared with the bytes that are left. */
#include <math.h>
#include <string.h>
#include <zlib.h>

#include "io/file/vtu.h"

/* Most bytes that zlib unpacks from one byte (M. Adler, "zlib technical details"). */
enum { MOST_RATIO = 1032 };

static const int sizes[TULLE__VTU_TYPES] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};

/* The place from which the bytes of an array are read, plain or as base64. */
typedef struct reader {
    tulle__vtu *vtu;
    const tulle__vtu_array *array;
    bool base64;
    const char *at, *end;
} reader;

static bool bad(const reader *r, const char *what) {
    return tulle__msh_bad(r->vtu->msh, r->array->at, TULLE_PARSE_ERROR, "the array of %s %s",
                          r->array->name, what);
}

/* Returns the value of a character of base64, or -1. */
static int digit_of(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Takes the next four characters of base64 as three bytes, of which only the first `wanted`
 * count. */
static bool take_group(reader *r, int wanted, unsigned char byte[3]) {
    uint32_t bits = 0;
    for (int i = 0; i < 4; i++) {
        while (r->at < r->end && (unsigned char)*r->at <= ' ') r->at++;
        if (r->at == r->end) return bad(r, "ends too early");
        const int digit = digit_of(*r->at);
        const bool padding = *r->at == '=' && i > wanted;
        if (digit < 0 && !padding) return bad(r, "has a character that base64 has not");
        bits = bits << 6 | (uint32_t)(digit < 0 ? 0 : digit);
        r->at++;
    }
    for (int i = 0; i < 3; i++) byte[i] = (unsigned char)(bits >> (16 - 8 * i));
    return true;
}

/* Takes so many bytes. In base64 the padding of the last group is taken too. */
static bool take(reader *r, void *to, int64_t bytes) {
    char *next = to;
    if (!r->base64) {
        if (r->end - r->at < bytes) return bad(r, "ends too early");
        if (bytes > 0) memcpy(to, r->at, (size_t)bytes);
        r->at += bytes;
        return true;
    }
    for (int64_t left = bytes; left > 0; left -= 3) {
        unsigned char group[3];
        const int wanted = left < 3 ? (int)left : 3;
        if (!take_group(r, wanted, group)) return false;
        memcpy(next, group, (size_t)wanted);
        next += wanted;
    }
    return true;
}

/* Returns an upper bound of the number of bytes that are left. */
static int64_t left_in(const reader *r) {
    const int64_t left = r->end - r->at;
    return r->base64 ? left / 4 * 3 + 3 : left;
}

static int64_t size_at(const reader *r, const unsigned char *bytes, int64_t i) {
    uint64_t wide = 0;
    uint32_t narrow = 0;
    if (r->vtu->header == 8) {
        memcpy(&wide, bytes + 8 * i, 8);
        return wide > INT64_MAX ? -1 : (int64_t)wide;
    }
    memcpy(&narrow, bytes + 4 * i, 4);
    return narrow;
}

static bool allocate(tulle__msh *msh, int64_t count, int64_t size, void *array) {
    int64_t room = 0;
    return tulle__msh_grow(msh, array, 0, &room, count > 0 ? count : 1, size);
}

/* Takes the bytes of an array that stand behind their number. In base64 the number and the bytes
 * are one text. */
static bool take_plain(reader *r, int64_t bytes, unsigned char **to) {
    const int header = r->vtu->header;
    unsigned char head[12]; /* room for whole groups of base64 */
    const reader start = *r;
    if (!take(r, head, header)) return false;
    if (size_at(r, head, 0) != bytes) return bad(r, "has another size than its numbers take");
    if (bytes + header > left_in(&start)) return bad(r, "ends too early");
    *r = start;
    if (!allocate(r->vtu->msh, bytes + header, 1, to) || !take(r, *to, bytes + header))
        return false;
    memmove(*to, *to + header, (size_t)bytes);
    return true;
}

static bool unpack(const reader *r, const unsigned char *from, int64_t packed, unsigned char *to,
                   int64_t bytes) {
    uLongf got = (uLongf)bytes;
    const int rc = uncompress(to, &got, from, (uLong)packed);
    if (rc == Z_MEM_ERROR) {
        return tulle__note(r->vtu->msh->trouble, TULLE_OUT_OF_MEMORY, 0, "out of memory");
    }
    return (rc == Z_OK && got == (uLongf)bytes) || bad(r, "has damaged blocks");
}

/* Takes compressed blocks, whose number and sizes in bytes are in `head`. */
static bool take_blocks(reader *r, const unsigned char *head, int64_t bytes, unsigned char *to) {
    const int64_t blocks = size_at(r, head, 0), each = size_at(r, head, 1);
    const int64_t last = size_at(r, head, 2);
    int64_t most = 0, packed = 0;
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t size = size_at(r, head, 3 + b);
        if (size < 0 || size > left_in(r) || __builtin_add_overflow(packed, size, &packed))
            return bad(r, "has a block that is larger than the file");
        if (size > most) most = size;
    }
    if (packed > left_in(r)) return bad(r, "ends too early");
    unsigned char *from = NULL;
    if (!allocate(r->vtu->msh, packed, 1, &from)) return false;
    bool good = take(r, from, packed);
    const unsigned char *next = from;
    for (int64_t b = 0; good && b < blocks; b++) {
        const int64_t size = b + 1 == blocks && last > 0 ? last : each;
        const int64_t own = size_at(r, head, 3 + b);
        if (size > bytes) {
            good = bad(r, "has more than its numbers take");
            break;
        }
        good = unpack(r, next, own, to, size);
        next += own;
        to += size;
        bytes -= size;
    }
    tulle__free(r->vtu->msh->cpu, from);
    return good && (bytes == 0 || bad(r, "has another size than its numbers take"));
}

static bool take_packed(reader *r, int64_t bytes, unsigned char **to) {
    const int header = r->vtu->header;
    unsigned char first[3 * 8];
    const reader start = *r;
    if (!take(r, first, 3 * (int64_t)header)) return false;
    const int64_t blocks = size_at(r, first, 0), each = size_at(r, first, 1);
    if (blocks < 0 || blocks > left_in(&start) / header || each < 0 || size_at(r, first, 2) < 0) {
        return bad(r, "has more blocks than the file can hold");
    }
    if (bytes / MOST_RATIO > left_in(&start)) return bad(r, "ends too early");
    unsigned char *head = NULL;
    *r = start;
    bool good = allocate(r->vtu->msh, 3 + blocks, header, &head) &&
                take(r, head, (3 + blocks) * header) && allocate(r->vtu->msh, bytes, 1, to) &&
                take_blocks(r, head, bytes, *to);
    tulle__free(r->vtu->msh->cpu, head);
    return good;
}

static bool take_bytes(tulle__vtu *vtu, const tulle__vtu_array *array, int64_t bytes,
                       unsigned char **to) {
    reader r = {vtu, array, true, array->text.begin, array->text.end};
    if (array->format == TULLE__VTU_APPENDED) {
        if (!vtu->appended.begin) return bad(&r, "is appended, and the file has no AppendedData");
        if (array->offset > vtu->appended.end - vtu->appended.begin) {
            return bad(&r, "begins behind the end of the file");
        }
        r.base64 = vtu->appended_base64;
        r.at = vtu->appended.begin + array->offset;
        r.end = vtu->appended.end;
    }
    return vtu->compressed ? take_packed(&r, bytes, to) : take_plain(&r, bytes, to);
}

#define NUMBER(type)                                                                               \
    type number;                                                                                   \
    memcpy(&number, bytes + i * (int64_t)sizeof number, sizeof number)

static bool integer_at(const unsigned char *bytes, tulle__vtu_type type, int64_t i, int64_t *to) {
    switch (type) {
        case TULLE__VTU_INT8:
            *to = (signed char)bytes[i];
            return true;
        case TULLE__VTU_UINT8:
            *to = bytes[i];
            return true;
        case TULLE__VTU_INT16: {
            NUMBER(int16_t);
            *to = number;
            return true;
        }
        case TULLE__VTU_UINT16: {
            NUMBER(uint16_t);
            *to = number;
            return true;
        }
        case TULLE__VTU_INT32: {
            NUMBER(int32_t);
            *to = number;
            return true;
        }
        case TULLE__VTU_UINT32: {
            NUMBER(uint32_t);
            *to = number;
            return true;
        }
        default: {
            NUMBER(int64_t);
            *to = number;
            return type == TULLE__VTU_INT64 || number >= 0;
        }
    }
}

static double real_at(const unsigned char *bytes, tulle__vtu_type type, int64_t i) {
    if (type == TULLE__VTU_FLOAT32) {
        NUMBER(float);
        return (double)number;
    }
    NUMBER(double);
    return number;
}

static bool is_real(tulle__vtu_type type) {
    return type == TULLE__VTU_FLOAT32 || type == TULLE__VTU_FLOAT64;
}

/* Checks the type of an array's numbers, and that the file can hold as many of them. */
static bool check_array(tulle__vtu *vtu, const tulle__vtu_array *array, int64_t count, bool real) {
    tulle__msh *msh = vtu->msh;
    if (is_real(array->type) != real) {
        return tulle__msh_bad(msh, array->at, TULLE_UNSUPPORTED, "the array of %s is of %s",
                              array->name, real ? "integers" : "reals");
    }
    const int64_t least = array->format == TULLE__VTU_ASCII ? 2 : 1;
    if (count / MOST_RATIO > msh->bytes / least || count > INT64_MAX / 64) {
        return tulle__msh_bad(msh, array->at, TULLE_PARSE_ERROR,
                              "%lld %s are promised, more than the file can hold", (long long)count,
                              array->name);
    }
    if (array->format == TULLE__VTU_ASCII &&
        count > (array->text.end - array->text.begin) / 2 + 1) {
        return tulle__msh_bad(msh, array->at, TULLE_PARSE_ERROR,
                              "the array of %s has less than %lld numbers", array->name,
                              (long long)count);
    }
    return true;
}

/* Reads numbers from text. A newline, which ends the last number, replaces the '<' behind the text
 * meanwhile. */
static bool read_text(tulle__vtu *vtu, const tulle__vtu_array *array, int64_t count, double *reals,
                      int64_t *integers) {
    tulle__msh *msh = vtu->msh;
    char *end = msh->text + (array->text.end - msh->text);
    const char *const file_end = msh->end, held = *end;
    bool good = true;
    *end = '\n';
    msh->at = array->text.begin;
    msh->end = end;
    msh->section = "an array";
    for (int64_t i = 0; good && i < count; i++) {
        good = reals ? tulle__msh_real(msh, array->name, &reals[i])
                     : tulle__msh_size(msh, array->name, &integers[i]);
    }
    const char *behind = good ? tulle__msh_here(msh) : end;
    if (behind < end) {
        good = tulle__msh_bad(msh, behind, TULLE_PARSE_ERROR,
                              "the array of %s has more than %lld numbers", array->name,
                              (long long)count);
    }
    *end = held;
    msh->end = file_end;
    return good;
}

bool tulle__vtu_reals(tulle__vtu *vtu, const tulle__vtu_array *array, int64_t count,
                      double **numbers) {
    tulle__msh *msh = vtu->msh;
    unsigned char *bytes = NULL;
    if (!check_array(vtu, array, count, true)) return false;
    if (array->format == TULLE__VTU_ASCII) {
        return allocate(msh, count, sizeof **numbers, numbers) &&
               read_text(vtu, array, count, *numbers, NULL);
    }
    bool good = take_bytes(vtu, array, count * sizes[array->type], &bytes) &&
                allocate(msh, count, sizeof **numbers, numbers);
    for (int64_t i = 0; good && i < count; i++) {
        (*numbers)[i] = real_at(bytes, array->type, i);
        if (isfinite((*numbers)[i])) continue;
        good = tulle__msh_bad(msh, array->at, TULLE_PARSE_ERROR,
                              "number %lld of the array of %s is not finite", (long long)i,
                              array->name);
    }
    tulle__free(msh->cpu, bytes);
    return good;
}

bool tulle__vtu_integers(tulle__vtu *vtu, const tulle__vtu_array *array, int64_t count,
                         int64_t **numbers) {
    tulle__msh *msh = vtu->msh;
    unsigned char *bytes = NULL;
    if (!check_array(vtu, array, count, false)) return false;
    if (array->format == TULLE__VTU_ASCII) {
        return allocate(msh, count, sizeof **numbers, numbers) &&
               read_text(vtu, array, count, NULL, *numbers);
    }
    bool good = take_bytes(vtu, array, count * sizes[array->type], &bytes) &&
                allocate(msh, count, sizeof **numbers, numbers);
    for (int64_t i = 0; good && i < count; i++) {
        if (integer_at(bytes, array->type, i, &(*numbers)[i])) continue;
        good = tulle__msh_bad(msh, array->at, TULLE_PARSE_ERROR,
                              "number %lld of the array of %s is out of range", (long long)i,
                              array->name);
    }
    tulle__free(msh->cpu, bytes);
    return good;
}
