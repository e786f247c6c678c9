/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/names.h"

const char *tool_type_name(tulle_type type) {
    return type == TULLE_F32 ? "f32" : "f64";
}

const char *tool_index_name(tulle_index index) {
    static const char *const names[] = {
        [TULLE_I32] = "32/32", [TULLE_I64_I32] = "64/32", [TULLE_I64] = "64/64"};
    return names[index];
}

const char *tool_format_name(tulle_format format) {
    return tulle_format_name(format);
}

const char *tool_backend_name(tulle_backend backend) {
    static const char *const names[] = {
        [TULLE_CPU] = "cpu", [TULLE_CUDA] = "cuda", [TULLE_EMULATED] = "emulated"};
    return names[backend];
}
