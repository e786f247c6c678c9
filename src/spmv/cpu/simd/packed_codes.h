/* SPDX-License-Identifier: Apache-2.0 */
/* Codes of PACKED (format/packed.h) as columns, for the instruction set whose words were included
 * before. The kind is a constant where this is called. */
#ifndef TULLE_SPMV_CPU_SIMD_PACKED_CODES_H
#define TULLE_SPMV_CPU_SIMD_PACKED_CODES_H

#include <string.h>

#include "format/packed.h"

/* Loads four codes from lane `from` on, in one or two loads, as columns. */
SIMD addresses columns_of_codes(const uint8_t *codes, int kind, int from) {
    uint64_t low, high;
    if (kind == 1) {
        uint32_t four;
        memcpy(&four, codes + from, sizeof four);
        return (addresses){
            {(uint8_t)four, (uint8_t)(four >> 8), (uint8_t)(four >> 16), four >> 24}};
    }
    if (kind == 2) {
        memcpy(&low, codes + 2 * from, sizeof low);
        return (addresses){
            {(uint16_t)low, (uint16_t)(low >> 16), (uint16_t)(low >> 32), (uint16_t)(low >> 48)}};
    }
    memcpy(&low, codes + 4 * from, sizeof low);
    memcpy(&high, codes + 4 * from + 8, sizeof high);
    return (addresses){
        {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32)}};
}

#endif
