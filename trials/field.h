/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of the benchmark's rows (fields.def), and the values of those that belong to one
 * operation: of multigrid the time of each phase of its setup and the number of levels, of a
 * product the phases of a call. */
#ifndef TRIAL_FIELD_H
#define TRIAL_FIELD_H

/* Units of fields, as fields.def explains them. */
typedef enum trial_unit {
    TRIAL_TEXT,
    TRIAL_FLAG,
    TRIAL_LIST,
    TRIAL_COUNT,
    TRIAL_BYTES,
    TRIAL_MS,
    TRIAL_GBS,
    TRIAL_GFLOPS,
    TRIAL_PERCENT,
    TRIAL_RATIO
} trial_unit;

typedef enum trial_key {
#define F(key, unit, kept, rows, label, about) TRIAL_KEY_##key,
#include "trials/fields.def"
#undef F
    TRIAL_KEYS /* the number of fields; in a list of keys its end */
} trial_key;

typedef struct trial_field {
    const char *key; /* member of a JSON line */
    trial_unit unit;
    const char *rows;  /* kinds of rows that have the field, as fields.def names them */
    const char *label; /* heading of a column */
    const char *about; /* meaning */
} trial_field;

extern const trial_field trial_field_of[TRIAL_KEYS];

/* The key of a field as JSON has it; a key that fields.def lacks does not compile. */
#define TRIAL_KEY(name) (trial_field_of[TRIAL_KEY_##name].key)

/* Returns the name of a unit, such as "ms"; "" where a number has none. */
const char *trial_unit_name(trial_unit unit);

/* TRIAL_VALUES: most values that an operation has. TRIAL_PARTS: most parts of a result, and
 * TRIAL_PART: most numbers of a part. */
enum { TRIAL_VALUES = 16, TRIAL_PARTS = 64, TRIAL_PART = 6 };

/* The values of a way to compute, in the order of its operation's fields, and the rows of numbers
 * that a field which is a list has, of a hierarchy one for each level. */
typedef struct trial_values {
    double of[TRIAL_VALUES]; /* NaN: not known */
    int parts;               /* number of parts; 0: not known */
    double part[TRIAL_PARTS][TRIAL_PART];
} trial_values;

/* Makes all values unknown. */
void trial_values_forget(trial_values *values);

#endif
