/* SPDX-License-Identifier: Apache-2.0 */
/* The report of tulle doctor, for people and for programs. */
#ifndef TOOL_DOCTOR_REPORT_H
#define TOOL_DOCTOR_REPORT_H

#include "machine.h"
#include "packers.h"
#include "place_check.h"
#include "tools/common/json.h"

enum { TOOL_MOST_GPUS = 16, TOOL_MOST_REMARKS = 16 };

/* Something that is missing, and how to get it. */
typedef struct tool_remark {
    char what[640], how[640];
} tool_remark;

typedef struct tool_doctor_report {
    tool_machine machine;
    tool_place_check cpu, emulator;
    tool_place_check gpu[TOOL_MOST_GPUS];
    int gpu_count;
    tool_packer packers[TOOL_PACKERS];
    tool_remark remarks[TOOL_MOST_REMARKS];
    int remark_count;
} tool_doctor_report;

/* Fills the remarks of a report from its other members. */
void tool_doctor_remark(tool_doctor_report *report);

/* Adds the fields of a tool_doctor_report; the pattern is for the text. */
void tool_doctor_add(cJSON *json, const void *report);
extern const char tool_doctor_text[];

#endif
