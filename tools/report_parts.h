/* SPDX-License-Identifier: Apache-2.0 */
/* Parts that the reports of several commands have: a function adds the fields of a part, and a text
 * of the part's name is a pattern of these fields (tools/common/fields.h). */
#ifndef TOOL_REPORT_PARTS_H
#define TOOL_REPORT_PARTS_H

#include "operand.h"
#include "tools/common/timing.h"
#include "tools/common/verify_rows.h"
#include "written.h"

void tool_place_add(cJSON *json, const tulle_device_info *device);
#define TOOL_PLACE_TEXT                                                                            \
    "  place     {backend}, {machine}<{?threads}, {threads} thread{threads:plural}>\n"

/* Ends the line of a command that computed once: "; 1.2 ms by KERNEL on cpu, 2 threads". */
#define TOOL_DONE_TEXT                                                                             \
    "; {first_ms:ms}< by {kernel}> on {backend}<{?threads}, {threads} thread{threads:plural}>"     \
    "<{!threads}, {machine}>\n"

/* Adds the format of a matrix that took `ms` milliseconds to make, unless that is CSR; for the text
 * alone. */
void tool_format_add(cJSON *json, const tulle_mat_info *info, double ms);
#define TOOL_FORMAT_NAME_TEXT                                                                      \
    "  format    {_format.name}<, blocks of {_format.block} x {_format.block_cols}>"
#define TOOL_FORMAT_MADE_TEXT ", {_format.bytes:bytes}, made in {_format.ms:ms}"

/* Holds which numbers were checked. */
typedef enum tool_checked {
    TOOL_VECTORS, /* the numbers of vectors */
    TOOL_ENTRIES, /* the pattern of a matrix and its numbers */
    TOOL_MOVED /* the pattern and numbers that are only moved, so that no bound allows an error */
} tool_checked;

/* Adds an error in units of its bound and, where the result is wrong, its worst entry. The text
 * takes the name of that entry, and words before and behind its numbers. */
void tool_error_add(cJSON *json, const tool_entry_error *error, tool_checked checked);
#define TOOL_ERROR_TEXT(entry, is, due)                                                            \
    "  error     <{!_verdict}not checked><{_bound:3g} of the bound: ><{_exact}: ><{_verdict}>"     \
    "<; " entry " {wrong.fault}><{!wrong.fault}; " entry is                                        \
    " {wrong.got:17g}, should be {wrong.want:17g}" due ">\n"
#define TOOL_MATRIX_ERROR_TEXT(name)                                                               \
    TOOL_ERROR_TEXT(name "[{wrong.row}, {wrong.column}]", " is", "")

/* Adds the times of the timed calls, if calls were timed. key: "" or "KEY.", of an object. */
void tool_timing_add(cJSON *json, const tool_timing *timing, int64_t repeat);
#define TOOL_TIMING_TEXT(key)                                                                      \
    "{" key "ms:ms} (median of {" key "_repeat}; deciles {" key "ms_q10:ms}, {" key "ms_q90:ms})"
#define TOOL_TIMES_TEXT "  first     {first_ms:ms}\n<  time      " TOOL_TIMING_TEXT("") "\n>"

/* Adds the speed by the fewest bytes that a call reads and writes, and its share of the machine's
 * bandwidth, copy_gbs, if calls were timed. */
void tool_speed_add(cJSON *json, const tool_timing *timing, int64_t bytes, double copy_gbs,
                    const tulle_device_info *device);
#define TOOL_FLOOR_TEXT                                                                            \
    "<{?copy_gbs}  floor     {floor:3g} of the machine's {copy_gbs:4g} GB/s"                       \
    "<{?_cached}; the data fit in its cache>\n>"

#endif
