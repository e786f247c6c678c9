/* SPDX-License-Identifier: Apache-2.0 */
/* Runs NVIDIA's Nsight Compute on a command and reads the CSV that it prints. */
#ifndef PAPERS_NCU_H
#define PAPERS_NCU_H

#include <stdbool.h>
#include <stdint.h>

/* The counters: name, the profiler's metric, the factor from the metric's unit to the counter's
 * (percent, bytes, milliseconds), and true when launches add up; false: the counter is the mean
 * over launches, weighted by their times. */
#define NCU_COUNTERS(X)                                                                            \
    X(occupancy, "sm__warps_active.avg.pct_of_peak_sustained_active", 1, false)                    \
    X(warp_efficiency, "smsp__thread_inst_executed_per_inst_executed.ratio", 100.0 / 32, false)    \
    X(load_efficiency, "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", 1, false)  \
    X(l1_hit, "l1tex__t_sector_hit_rate.pct", 1, false)                                            \
    X(shared_load, "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_active",  \
      1, false)                                                                                    \
    X(dram_bytes, "dram__bytes.sum", 1, true)                                                      \
    X(ms, "gpu__time_duration.sum", 1e-6, true)

enum {
#define X(name, metric, factor, adds) NCU_##name,
    NCU_COUNTERS(X)
#undef X
        NCU_COUNT
};

/* Counters of one product, which is the launches between two separators. NaN: not counted. */
typedef struct ncu_product {
    int64_t launches;
    double counter[NCU_COUNT];
} ncu_product;

/* Products in the order of their launches; item is released with free. */
typedef struct ncu_products {
    ncu_product *item;
    int count, room;
} ncu_products;

/* Finds the profiler's path: $TULLE_NCU, on the PATH, or in the folder of the CUDA toolkit. False:
 * there is none. */
bool ncu_find(char path[4096]);

/* Runs a command under the profiler, which watches between the command's marks. The first launch
 * that the profiler sees is the separator. False, and the reason in one line in `why`, when nothing
 * was counted. */
bool ncu_run(const char *ncu, char *const command[], ncu_products *products, char why[512]);

#endif
