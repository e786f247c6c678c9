/* SPDX-License-Identifier: Apache-2.0 */
/* What templates in headers do better than we did: nothing here needs the C++ library at run time.
 * D. Lemire, Number parsing at a gigabyte per second, Software: Practice and Experience 51, 2021.
 */
#include <fast_float/fast_float.h>
#include <charconv>
#include <cstring>

extern "C" {
#include "io/file/decimal.h"
}

namespace {

/* Fortran's exponents begin with a d: reads the number with an e in place of that letter. */
template <class V>
const char *read_fortran(const char *text, const char *letter, V *value) {
    const char *end = letter + 1;
    if (*end == '-' || *end == '+') end++;
    while (tulle__is_digit(*end)) end++;
    const auto length = end - text;
    if (length > TULLE__NUMBER_LIMIT) return end;
    char copy[TULLE__NUMBER_LIMIT];
    std::memcpy(copy, text, length);
    copy[letter - text] = 'e';
    return text + (fast_float::from_chars(copy, copy + length, *value).ptr - copy);
}

/* fast_float takes no plus, but takes words for infinity and NaN. */
template <class V>
const char *read(const char *text, const char *end, V *value) {
    const char *digits = text + (*text == '-' || *text == '+');
    if (!tulle__is_digit(*digits) && *digits != '.') return nullptr;
    if (*text == '+') text++;
    const auto [stop, error] = fast_float::from_chars(text, end, *value);
    if (error == std::errc::invalid_argument) return nullptr;
    return (*stop | 0x20) == 'd' ? read_fortran(text, stop, value) : stop;
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
