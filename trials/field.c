/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/field.h"

#include <math.h>

const trial_field trial_field_of[TRIAL_KEYS] = {
#define F(key, unit, kept, rows, label, about)                                                     \
    [TRIAL_KEY_##key] = {#key, TRIAL_##unit, #rows, label, about},
#include "trials/fields.def"
#undef F
};

const char *trial_unit_name(trial_unit unit) {
    static const char *const names[] = {
        [TRIAL_TEXT] = "text", [TRIAL_FLAG] = "true or false", [TRIAL_LIST] = "list",
        [TRIAL_COUNT] = "",    [TRIAL_BYTES] = "bytes",        [TRIAL_MS] = "ms",
        [TRIAL_GBS] = "GB/s",  [TRIAL_GFLOPS] = "GFLOP/s",     [TRIAL_PERCENT] = "%",
        [TRIAL_RATIO] = "",
    };
    return names[unit];
}

void trial_values_forget(trial_values *values) {
    for (int i = 0; i < TRIAL_VALUES; i++) values->of[i] = (double)NAN;
    values->parts = 0;
}
