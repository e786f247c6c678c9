/* SPDX-License-Identifier: Apache-2.0 */
/* Options of public functions, which carry their size: a program that was compiled with another
 * version of the headers may know fewer fields than this library, or more (tulle/types.h). A field
 * that is added to a struct begins where the struct ended, with its padding, as nobody has set the
 * bytes of that. */
#ifndef TULLE_CORE_OPTIONS_H
#define TULLE_CORE_OPTIONS_H

#include <stddef.h>
#include <string.h>

#include "core/error.h"

/* Copies options of `size` bytes, or NULL, into *own, of `known` bytes, whose other bytes become 0.
 * Fails with TULLE_UNSUPPORTED where bytes beyond `known` are not 0. */
static inline tulle_status tulle__options_take(const char *function, const void *options,
                                               size_t size, void *own, size_t known) {
    memset(own, 0, known);
    if (!options) return TULLE_OK;
    memcpy(own, options, size < known ? size : known);
    for (size_t i = known; i < size; i++) {
        if (((const unsigned char *)options)[i] == 0) continue;
        return tulle__fail(TULLE_UNSUPPORTED, function, "options", -1,
                           "options of a later version are set that this library does not know: "
                           "leave them zero, or install that version");
    }
    return TULLE_OK;
}

#endif
