/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a hierarchy: their bounds, and what zeros stand for. */
#include "core/options.h"

#include "amg/amg.h"
#include "amg/jobs.h"

static const tulle_amg_options defaults = {.family = TULLE_AMG_CLASSICAL,
                                           .strength = 0.25,
                                           .most_sum = 0.9,
                                           .interpolation_entries = 4,
                                           .degree = 2,
                                           .most_levels = 25,
                                           .coarsest_rows = 256,
                                           .gathered_rows = 500000};

/* Largest number of rows that are inverted. */
enum { MOST_COARSEST = 2048 };

#define REFUSE(...)                                                                                \
    tulle__fail(TULLE_INVALID_ARGUMENT, function, "options", -1, "options: " __VA_ARGS__)

static bool has_nodes(const tulle_amg_options *o) {
    return o->block > 1 || o->near_null;
}

static tulle_status check(const char *function, const tulle_amg_options *o) {
    if (!(o->strength >= 0 && o->strength <= 1)) {
        return REFUSE("strength is %g; it must be 0 to 1", o->strength);
    }
    if (!(o->most_sum >= 0)) return REFUSE("most_sum is %g; it must be 0 or more", o->most_sum);
    if (o->interpolation_entries < 0 || o->interpolation_entries > TULLE__AMG_MOST_KEPT) {
        return REFUSE("interpolation_entries is %d; it must be 1 to %d", o->interpolation_entries,
                      (int)TULLE__AMG_MOST_KEPT);
    }
    if (o->degree < 0 || o->degree > TULLE__AMG_MOST_DEGREE) {
        return REFUSE("degree is %d; it must be 1 to %d", o->degree, (int)TULLE__AMG_MOST_DEGREE);
    }
    if (o->most_levels < 0 || o->most_levels > TULLE__AMG_MOST_LEVELS) {
        return REFUSE("most_levels is %d; it must be 1 to %d", o->most_levels,
                      (int)TULLE__AMG_MOST_LEVELS);
    }
    if (o->coarsest_rows < 0 || o->coarsest_rows > MOST_COARSEST) {
        return REFUSE("coarsest_rows is %lld; it must be 1 to %d", (long long)o->coarsest_rows,
                      (int)MOST_COARSEST);
    }
    if (o->gathered_rows < 0) {
        return REFUSE("gathered_rows is %lld; it must be 1 or more", (long long)o->gathered_rows);
    }
    if (o->passing < TULLE_AMG_PASS_CHOOSE || o->passing > TULLE_AMG_PASS_FIRST) {
        return REFUSE("there is no passing %d", (int)o->passing);
    }
    if (o->family < TULLE_AMG_FAMILY_CHOOSE || o->family > TULLE_AMG_SMOOTHED) {
        return REFUSE("there is no family %d", (int)o->family);
    }
    if (o->block < 0 || o->block > TULLE__AMG_MOST_BLOCK) {
        return REFUSE("block is %d; it must be 1 to %d, or 0 for that of A", o->block,
                      (int)TULLE__AMG_MOST_BLOCK);
    }
    if (has_nodes(o) && o->family != TULLE_AMG_FAMILY_CHOOSE && o->family != TULLE_AMG_SMOOTHED) {
        return REFUSE(
            "block and near_null are for smoothed aggregation; family must be "
            "TULLE_AMG_SMOOTHED, or 0");
    }
    if (o->precision < TULLE_AMG_PRECISION_CHOOSE || o->precision > TULLE_AMG_SAME) {
        return REFUSE("there is no precision %d", (int)o->precision);
    }
    return TULLE_OK;
}

static void put_defaults(tulle_amg_options *o) {
    if (has_nodes(o)) o->family = TULLE_AMG_SMOOTHED;
    if (o->family == TULLE_AMG_FAMILY_CHOOSE) o->family = defaults.family;
    if (o->strength == 0) o->strength = defaults.strength;
    if (o->most_sum == 0) o->most_sum = defaults.most_sum;
    if (o->interpolation_entries == 0) o->interpolation_entries = defaults.interpolation_entries;
    if (o->degree == 0) o->degree = defaults.degree;
    if (o->most_levels == 0) o->most_levels = defaults.most_levels;
    if (o->coarsest_rows == 0) o->coarsest_rows = defaults.coarsest_rows;
    if (o->gathered_rows == 0) o->gathered_rows = defaults.gathered_rows;
}

tulle_status tulle__amg_take_options(const char *function, const tulle_amg_options *options,
                                     size_t options_size, tulle_amg_options *o) {
    TULLE__TRY(tulle__options_take(function, options, options_size, o, sizeof *o));
    TULLE__TRY(check(function, o));
    put_defaults(o);
    return TULLE_OK;
}
