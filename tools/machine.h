/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of the machine, as the operating system tells them. */
#ifndef TOOL_MACHINE_H
#define TOOL_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tool_machine {
    int online;               /* number of processors that run */
    int usable;               /* number of running processors that this process may use */
    int numa_nodes;           /* number of NUMA nodes; 0: unknown */
    const char *omp_threads;  /* OMP_NUM_THREADS, or NULL */
    int64_t l1, l2, l3;       /* bytes of a data cache of each level; 0: unknown */
    int64_t memory;           /* bytes of all memory */
    int64_t memory_available; /* bytes that can be had before the system swaps; 0: unknown */
    int64_t memory_limit;     /* limit in bytes of this process's control group; 0: none */
    bool has_nvidia_gpu;      /* true when a GPU of NVIDIA's is on the PCI bus */
    bool has_nvidia_driver;   /* true when NVIDIA's driver is loaded */
    bool has_nvcc;            /* true when nvcc is on the PATH */
} tool_machine;

tool_machine tool_look_at_machine(void);

#endif
