/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of trials share these parts, as tools/report_parts.h has others. */
#ifndef TOOL_TRIAL_REPORT_H
#define TOOL_TRIAL_REPORT_H

#include "report_parts.h"
#include "trial.h"

/* Says A's format, unless that is CSR. */
#define TOOL_TRIAL_FORMAT_TEXT                                                                     \
    "<  format    {_format.name}, <blocks of {_format.block} x {_format.block_cols}, >"            \
    "{_format.slots:3g} slots for each entry, {_format.bytes:bytes}, made in {_format.ms:ms}\n>"

/* Adds the error, if it was checked. */
void tool_trial_add_error(cJSON *json, const tool_trial *trial);

/* Adds the file, and the times of the first call and of the timed calls, their speed by the fewest
 * bytes, and its share of the machine's bandwidth. The text takes the names of the arrays of the
 * fewest bytes. The time left beside converting operands is the difference of two medians. */
void tool_trial_add_times(cJSON *json, const tool_trial *trial);
#define TOOL_TRIAL_WRITTEN_TEXT "<  written   {_output}\n>"
#define TOOL_TRIAL_TIMES_TEXT(fewest)                                                              \
    TOOL_TIMES_TEXT                                                                                \
    "<{?conversion_ms}  of it     {conversion_ms:ms} for converting operands, which leaves "       \
    "{_rest_ms:ms}\n>"                                                                             \
    "<  speed     {gflops:4g} GFLOP/s, {gbs:4g} GB/s, " fewest                                     \
    " read or written once\n>" TOOL_FLOOR_TEXT

#endif
