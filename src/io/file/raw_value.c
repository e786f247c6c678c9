/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "io/file/raw.h"

static tulle__fate put_float(double number, tulle_type type, void *values, int64_t at) {
    if (!isfinite(number)) return TULLE__NOT_FINITE;
    if (type == TULLE_F64) {
        ((double *)values)[at] = number;
        return TULLE__KEPT;
    }
    const float narrow = (float)number;
    ((float *)values)[at] = narrow;
    if (isinf(narrow)) return TULLE__TOO_WIDE;
    return narrow == 0 && number != 0 ? TULLE__VANISHED : TULLE__KEPT;
}

/* Stores an integer in the type, with one rounding, and compares the stored value with the integer;
 * both fit in 65 bits. */
static tulle__fate put_signed(int64_t number, tulle_type type, void *values, int64_t at) {
    if (type == TULLE_F64) {
        const double value = (double)number;
        ((double *)values)[at] = value;
        return (__int128)value == number ? TULLE__KEPT : TULLE__ROUNDED;
    }
    const float value = (float)number;
    ((float *)values)[at] = value;
    return (__int128)value == number ? TULLE__KEPT : TULLE__ROUNDED;
}

static tulle__fate put_unsigned(uint64_t number, tulle_type type, void *values, int64_t at) {
    if (type == TULLE_F64) {
        const double value = (double)number;
        ((double *)values)[at] = value;
        return (__int128)value == (__int128)number ? TULLE__KEPT : TULLE__ROUNDED;
    }
    const float value = (float)number;
    ((float *)values)[at] = value;
    return (__int128)value == (__int128)number ? TULLE__KEPT : TULLE__ROUNDED;
}

tulle__fate tulle__raw_value(const tulle__raw *raw, int64_t i, tulle_type type, void *values,
                             int64_t at) {
    switch (raw->kind) {
        case TULLE__RAW_FLOAT:
            return put_float(raw->size == 4 ? (double)((const float *)raw->bytes)[i]
                                            : ((const double *)raw->bytes)[i],
                             type, values, at);
        case TULLE__RAW_UNSIGNED:
            if (raw->size == 8)
                return put_unsigned(((const uint64_t *)raw->bytes)[i], type, values, at);
            return put_signed(tulle__raw_integer(raw, i), type, values, at);
        case TULLE__RAW_BOOL:
            if (((const uint8_t *)raw->bytes)[i] > 1) return TULLE__NO_BOOL;
            return put_signed(((const uint8_t *)raw->bytes)[i], type, values, at);
        default:
            return put_signed(tulle__raw_integer(raw, i), type, values, at);
    }
}
