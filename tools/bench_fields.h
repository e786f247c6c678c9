/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_BENCH_FIELDS_H
#define TOOL_BENCH_FIELDS_H

/* Prints the fields that rows of the benchmark may have (trials/field.h), with their units and
 * meanings. */
void tool_bench_print_fields(void);

#endif
