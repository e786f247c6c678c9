/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "doctor_report.h"
#include "tools/common/scatter.h"
#include "tulle/advanced.h"

static void add(tool_doctor_report *report, const char *what, const char *how) {
    if (report->remark_count == TOOL_MOST_REMARKS) return;
    tool_remark *remark = &report->remarks[report->remark_count++];
    snprintf(remark->what, sizeof remark->what, "%s", what);
    snprintf(remark->how, sizeof remark->how, "%s", how);
}

/* Remarks that libtulle-cuda is missing, without which no kernel of the GPU is known. */
static void add_missing_cuda_library(tool_doctor_report *report) {
    const char *how =
        report->machine.has_nvcc
            ? "nvcc is on the PATH: make gpu in tulle's source tree builds libtulle-cuda"
            : "install the CUDA toolkit (Debian: apt install nvidia-cuda-toolkit) and "
              "build its GPU part (make gpu in tulle's source tree), or install libtulle-cuda "
              "beside libtulle";
    add(report, tulle_device_missing(TULLE_CUDA), how);
}

static void add_missing_gpu(tool_doctor_report *report) {
    const char *how =
        "check that the GPU is not hidden (CUDA_VISIBLE_DEVICES) and that nvidia-smi "
        "shows it";
    if (!report->machine.has_nvidia_driver) {
        how = report->machine.has_nvidia_gpu
                  ? "install the driver (Debian, non-free: apt install nvidia-driver) and restart; "
                    "in a container, start it with the GPU (docker run --gpus all)"
                  : "this machine shows no NVIDIA GPU; all of tulle works on the CPU without one";
    }
    add(report, tulle_device_missing(TULLE_CUDA), how);
}

static void remark_on_gpus(tool_doctor_report *report) {
    if (tulle_kernel_count(TULLE_CUDA) == 0) {
        add_missing_cuda_library(report);
    } else if (report->gpu_count == 0) {
        add_missing_gpu(report);
    }
    for (int i = 0; i < report->gpu_count; i++) {
        if (!report->gpu[i].works) {
            add(report, report->gpu[i].problem, "see whether nvidia-smi reports trouble");
        }
    }
}

static void remark_on_emulator(tool_doctor_report *report) {
    if (report->emulator.works) return;
    add(report, report->emulator.problem,
        "needed for tests only: make build in tulle's source tree builds it");
}

static void remark_on_packers(tool_doctor_report *report) {
    for (int i = 0; i < TOOL_PACKERS; i++) {
        const tool_packer *packer = &report->packers[i];
        if (packer->works) continue;
        add(report, packer->problem,
            packer->ending[0]
                ? "install a libarchive that knows it (Debian: apt install libarchive13)"
                : "check TMPDIR: the disk may be full or not writable");
    }
}

static void remark_on_threads(tool_doctor_report *report) {
    const tool_machine *machine = &report->machine;
    char what[256];
    if (report->cpu.works && report->cpu.device.threads < machine->usable) {
        snprintf(what, sizeof what, "%d of %d usable processors are used",
                 report->cpu.device.threads, machine->usable);
        add(report, what, "unset OMP_NUM_THREADS, or ask for them: --on cpu:THREADS");
    }
    if (machine->usable < machine->online) {
        snprintf(what, sizeof what, "this process may use %d of %d processors", machine->usable,
                 machine->online);
        add(report, what, "start it without taskset, or give the container more processors");
    }
}

/* Remarks that the machine is busy, or that timings scatter. Timings on a busy machine scatter, so
 * one remark is enough. */
static void remark_on_load(tool_doctor_report *report) {
    char what[TOOL_SCATTER_ROOM], how[TOOL_SCATTER_ROOM];
    const tool_load load = tool_load_now();
    if (tool_is_busy(&load, what, how)) {
        add(report, what, how);
    } else if (tool_scatter_remark(&report->cpu.timing, false, &load, what, how)) {
        add(report, what, how);
    }
    for (int i = 0; i < report->gpu_count; i++) {
        if (tool_scatter_remark(&report->gpu[i].timing, true, &load, what, how)) {
            add(report, what, how);
        }
    }
}

void tool_doctor_remark(tool_doctor_report *report) {
    if (!report->cpu.works) {
        add(report, report->cpu.problem, "this should never happen: please report it");
    }
    remark_on_threads(report);
    remark_on_load(report);
    remark_on_gpus(report);
    remark_on_emulator(report);
    remark_on_packers(report);
}
