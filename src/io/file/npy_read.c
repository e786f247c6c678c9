/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "io/file/npy.h"

enum { MAGIC = 6, VERSION = 2, MOST_HEAD = 4096 };

static bool take(const tulle__raw_source *source, void *to, int64_t bytes,
                 tulle__trouble *trouble) {
    const int64_t got = source->read(source->user, to, bytes, trouble);
    if (got < 0) return false;
    return got == bytes || tulle__note(trouble, TULLE_PARSE_ERROR, 0,
                                       "%s is cut off: it ends inside its head", source->whole);
}

/* Reads the length of the dictionary in bytes: a number of two bytes in version 1, of four bytes in
 * later versions, the lowest byte first. */
static bool take_length(const tulle__raw_source *source, int version, int64_t *length,
                        tulle__trouble *trouble) {
    unsigned char digits[4] = {0};
    if (!take(source, digits, version == 1 ? 2 : 4, trouble)) return false;
    *length = 0;
    for (int i = 3; i >= 0; i--) *length = *length * 256 + digits[i];
    return *length <= MOST_HEAD ||
           tulle__note(trouble, TULLE_PARSE_ERROR, 0, "the head of %s has %lld bytes, more than %d",
                       source->whole, (long long)*length, MOST_HEAD);
}

static bool take_head(const tulle__raw_source *source, tulle__npy *npy, tulle__trouble *trouble) {
    char text[MOST_HEAD + 1];
    int64_t length;
    if (!take(source, text, MAGIC + VERSION, trouble)) return false;
    const int version = text[MAGIC];
    if (memcmp(text, "\x93NUMPY", MAGIC) != 0)
        return tulle__note(trouble, TULLE_PARSE_ERROR, 0, "%s is no array of NumPy's",
                           source->whole);
    if (version < 1 || version > 3 || text[MAGIC + 1] != 0)
        return tulle__note(trouble, TULLE_UNSUPPORTED, 0,
                           "%s has version %d.%d of NumPy's form; versions 1.0 to 3.0 are read",
                           source->whole, version, text[MAGIC + 1]);
    if (!take_length(source, version, &length, trouble)) return false;
    if (!take(source, text, length, trouble)) return false;
    text[length] = 0;
    return tulle__npy_read_head(text, source->whole, npy, trouble);
}

bool tulle__npy_read(tulle_ctx *cpu, const tulle__raw_source *source, tulle__npy *npy,
                     tulle__trouble *trouble) {
    char surplus;
    if (!take_head(source, npy, trouble)) return false;
    if (!tulle__raw_read(cpu, source, "numbers", &npy->raw, trouble)) return false;
    const int64_t got = source->read(source->user, &surplus, 1, trouble);
    if (got < 0) return false;
    return got == 0 || tulle__note(trouble, TULLE_PARSE_ERROR, 0,
                                   "%s has surplus bytes behind its numbers", source->whole);
}
