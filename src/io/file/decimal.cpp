/* SPDX-License-Identifier: Apache-2.0 */
/* Reads decimal numbers with fast_float, and writes integers with the standard library. Both are
 * templates in headers, so that nothing here needs the C++ library at run time. Source: D. Lemire,
 * Number parsing at a gigabyte per second, Software: Practice and Experience 51, 2021. */
#include <fast_float/fast_float.h>
#include <charconv>
#include <cstring>

extern "C" {
#include "io/file/decimal.h"
}

namespace {

/* Reads the digits that end at `stop` and the exponent that begins at `exponent`, its sign first,
 * as one number with an e between them. */
template <class V>
const char *read_fortran(const char *text, const char *stop, const char *exponent, V *value) {
    const char *end = exponent;
    if (*end == '-' || *end == '+') end++;
    while (tulle__is_digit(*end)) end++;
    if (end - text > TULLE__NUMBER_LIMIT) return end;
    char copy[TULLE__NUMBER_LIMIT + 1];
    const auto digits = stop - text, rest = end - exponent;
    std::memcpy(copy, text, digits);
    copy[digits] = 'e';
    std::memcpy(copy + digits + 1, exponent, rest);
    const char *limit = copy + digits + 1 + rest;
    return fast_float::from_chars(copy, limit, *value).ptr == limit ? end : stop;
}

/* Returns true when an exponent without a letter begins at stop. Fortran leaves the letter out
 * where the exponent has three digits, and always writes a point. */
bool is_exponent_alone(const char *text, const char *stop) {
    return (*stop == '-' || *stop == '+') && tulle__is_digit(stop[1]) &&
           std::memchr(text, '.', stop - text);
}

/* Reads a number. fast_float does not accept a plus, and accepts words for infinity and NaN; this
 * function does the opposite. */
template <class V>
const char *read(const char *text, const char *end, V *value) {
    const char *digits = text + (*text == '-' || *text == '+');
    if (!tulle__is_digit(*digits) && *digits != '.') return nullptr;
    if (*text == '+') text++;
    const auto [stop, error] = fast_float::from_chars(text, end, *value);
    if (error == std::errc::invalid_argument) return nullptr;
    if ((*stop | 0x20) == 'd') return read_fortran(text, stop, stop + 1, value);
    return is_exponent_alone(text, stop) ? read_fortran(text, stop, stop, value) : stop;
}

}  // namespace

extern "C" const char *tulle__read_f64(const char *text, const char *end, double *value) {
    return read(text, end, value);
}

extern "C" const char *tulle__read_f32(const char *text, const char *end, float *value) {
    return read(text, end, value);
}

extern "C" char *tulle__write_integer(char *text, uint64_t integer) {
    return std::to_chars(text, text + TULLE__NUMBER_ROOM, integer).ptr;
}
