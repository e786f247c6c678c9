/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of operations on sparse matrices share this, for people and for programs. */
#ifndef TOOL_SPARSE_REPORT_H
#define TOOL_SPARSE_REPORT_H

#include "sparse.h"

/* A phase of a call. */
typedef struct tool_phase {
    const char *name;
    double ms;
} tool_phase;

/* A and B, a line each. */
void tool_sparse_print_operands(const tool_sparse *s);
void tool_sparse_print_place(const tulle_device_info *device);
/* Prints the result, the text `more` behind it, and a newline. */
void tool_sparse_print_result(const tool_sparse *s, const tool_sparse_result *r, const char *more);
/* Prints the rest of the line that stands for the whole report: the result, the text `more`, the
 * kernel (NULL: none) and the device. */
void tool_sparse_print_line(const tool_sparse_result *r, const char *more, const char *kernel,
                            const tulle_device_info *device);
void tool_sparse_print_error(const tool_sparse *s, const tool_sparse_result *r);
void tool_sparse_print_written(const tool_sparse *s, const tool_sparse_result *r);
/* Prints how much memory a call held, unless that is 0, and what the matrices take. */
void tool_sparse_print_memory(const tool_sparse *s, const tool_sparse_result *r, int64_t peak);
void tool_sparse_print_phases(const tool_phase *phases, int count);
void tool_sparse_print_times(const tool_sparse *s, const tool_sparse_result *r);
/* Prints the bandwidth by the bytes of A, B and C, each read or written once, and its share of the
 * machine's bandwidth, if that is known. */
void tool_sparse_print_floor(const tool_sparse *s, const tool_sparse_result *r,
                             const tulle_device_info *device, double copy_gbs);

/* Adds A, B and the result to JSON, under their names in small letters. */
void tool_sparse_add_matrices(cJSON *json, const tool_sparse *s, const tool_sparse_result *r);
void tool_sparse_add_place(cJSON *json, const tulle_device_info *device);
void tool_sparse_add_error(cJSON *json, const tool_sparse *s, const tool_sparse_result *r);
void tool_sparse_add_written(cJSON *json, const tool_sparse *s, const tool_sparse_result *r);
void tool_sparse_add_phases(cJSON *json, const tool_phase *phases, int count, double total);
void tool_sparse_add_times(cJSON *json, const tool_sparse_result *r);
void tool_sparse_add_floor(cJSON *json, const tool_sparse *s, const tool_sparse_result *r,
                           double copy_gbs);

#endif
