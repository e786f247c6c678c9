/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/utf8.h"

/* First bytes from `low` to `high` start a character of `length` bytes, whose second byte is from
 * `second_low` to `second_high`: table 3-7 of the Unicode standard. */
static const struct {
    unsigned char low, high, second_low, second_high;
    size_t length;
} rows[] = {
    {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
    {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
    {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
};

size_t tool_utf8_length(const char *text) {
    const unsigned char *byte = (const unsigned char *)text;
    if (byte[0] < 0x80) return 1;
    size_t row = 0, count = sizeof rows / sizeof *rows;
    while (row < count && (byte[0] < rows[row].low || byte[0] > rows[row].high)) row++;
    if (row == count) return 0;
    if (byte[1] < rows[row].second_low || byte[1] > rows[row].second_high) return 0;
    for (size_t i = 2; i < rows[row].length; i++) {
        if ((byte[i] & 0xC0) != 0x80) return 0;
    }
    return rows[row].length;
}
