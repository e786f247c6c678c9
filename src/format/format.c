/* SPDX-License-Identifier: Apache-2.0 */
#include "format/formats.h"

const tulle__format *tulle__format_of(tulle_format format) {
    static const tulle__format formats[TULLE_FORMAT_COUNT] = {
#define F(number, name, traits, numbers, options, check, lay_out, about)                           \
    [TULLE_##number] = {#name, about, numbers, options},
        TULLE__EACH_FORMAT(F)
#undef F
    };
    return &formats[format];
}

const char *tulle_format_name(tulle_format format) {
    return (unsigned)format < TULLE_FORMAT_COUNT ? tulle__format_of(format)->name : NULL;
}
