/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of operations on sparse matrices share these parts, as tools/report_parts.h has
 * others. */
#ifndef TOOL_SPARSE_REPORT_H
#define TOOL_SPARSE_REPORT_H

#include "report_parts.h"
#include "sparse.h"

/* Adds A, B and the result, under their names in small letters. The text takes the result's key. */
void tool_sparse_add_matrices(cJSON *json, const tool_sparse *s, const tool_sparse_result *r);
#define TOOL_SPARSE_OPERANDS_TEXT TOOL_OPERAND_TEXT("a.") "<{!_alone}" TOOL_OPERAND_TEXT("b.") ">"
#define TOOL_SPARSE_LINE_TEXT(key)                                                                 \
    ": {" key ".rows:count} x {" key ".cols:count}, {" key ".nnz:count} entries"

/* Adds how wrong the result is, if that was checked, its file, and how much memory a call held;
 * peak: 0: not known. */
void tool_sparse_add_result(cJSON *json, const tool_sparse *s, const tool_sparse_result *r,
                            int64_t peak);
#define TOOL_SPARSE_WRITTEN_TEXT                                                                   \
    "<  written   {_path}, {file_bytes:bytes} in {_written_seconds:s}\n>"
#define TOOL_SPARSE_MEMORY_TEXT(name)                                                              \
    "  memory    <{?_peak}at most {_peak:bytes} at a time, with " name                             \
    "; >A<{!_alone}, B>"                                                                           \
    "<{?_added}, D><{?_masked}, M> and " name " take {matrix_bytes:bytes}\n"

/* Says how long a phase took, by its name in the object "phases_ms". */
#define TOOL_SPARSE_PHASE_TEXT(name) name " {phases_ms." name ":ms}"

/* Adds the times of the first call and of the timed calls. */
void tool_sparse_add_times(cJSON *json, const tool_sparse *s, const tool_sparse_result *r);

/* Adds the bandwidth by the bytes of A, B and the result, each read or written once. */
void tool_sparse_add_floor(cJSON *json, const tool_sparse *s, const tool_sparse_result *r,
                           const tulle_device_info *device, double copy_gbs);
#define TOOL_SPARSE_FLOOR_TEXT                                                                     \
    "<  speed     {gbs:4g} GB/s, each matrix read or written once\n>" TOOL_FLOOR_TEXT

#endif
