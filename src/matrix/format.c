/* SPDX-License-Identifier: Apache-2.0 */
#include "tulle/matrix.h"

const char *tulle_format_name(tulle_format format) {
    static const char *const names[TULLE_FORMAT_COUNT] = {
        [TULLE_COO] = "coo",         [TULLE_CSR] = "csr",   [TULLE_CSC] = "csc",
        [TULLE_ELL] = "ell",         [TULLE_ELLR] = "ellr", [TULLE_SELL] = "sell",
        [TULLE_HYB] = "hyb",         [TULLE_JDS] = "jds",   [TULLE_CSR_COO] = "csr_coo",
        [TULLE_JDS_ELL] = "jds_ell", [TULLE_DIA] = "dia",   [TULLE_BSR] = "bsr",
        [TULLE_PACKED] = "packed"};
    return (unsigned)format < TULLE_FORMAT_COUNT ? names[format] : NULL;
}
