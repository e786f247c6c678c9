/* SPDX-License-Identifier: Apache-2.0 */
#include "core/place_name.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "tulle/advanced.h"

/* Largest numbers of threads and devices in a name: a mistyped number of threads is refused
 * before it takes a stack for each. */
enum { MOST_THREADS = 1024, MOST_DEVICES = 4096 };

/* Reads the number after the colon, within limits; fallback where there is no colon. */
static bool number_after(const char *text, int smallest, int largest, int fallback, int *number) {
    *number = fallback;
    const char *colon = strchr(text, ':');
    if (!colon) return true;
    if (!isdigit((unsigned char)colon[1])) return false;
    char *end = NULL;
    long value = strtol(colon + 1, &end, 10);
    *number = value < INT_MAX ? (int)value : INT_MAX;
    return *end == '\0' && value >= smallest && value <= largest;
}

static bool is(const char *text, const char *word) {
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 && (text[length] == '\0' || text[length] == ':');
}

tulle_status tulle__place_name_parse(const char *text, tulle__place_name *name) {
    *name = (tulle__place_name){.kind = TULLE_CPU};
    bool good = false;
    if (is(text, "cpu")) {
        good = number_after(text, 1, MOST_THREADS, 0, &name->threads);
    } else if (is(text, "cuda")) {
        name->kind = TULLE_CUDA;
        good = number_after(text, 0, MOST_DEVICES, 0, &name->ordinal);
    } else if (strcmp(text, "emulated") == 0) {
        name->kind = TULLE_EMULATED;
        good = true;
    } else if (strcmp(text, "auto") == 0) {
        if (tulle_device_count(TULLE_CUDA) > 0) name->kind = TULLE_CUDA;
        good = true;
    }
    if (good) return TULLE_OK;
    if (is(text, "cpu") && name->threads > MOST_THREADS) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, "tulle_ctx_create", "where", -1,
                           "'%s' asks for more than %d threads", text, MOST_THREADS);
    }
    return tulle__fail(
        TULLE_INVALID_ARGUMENT, "tulle_ctx_create", "where", -1,
        "'%s' is no place: use cpu, cpu:THREADS, cuda, cuda:DEVICE, emulated or auto", text);
}
