/* SPDX-License-Identifier: Apache-2.0 */
/* The operating system says this of the machine. */
#ifndef TOOL_MACHINE_H
#define TOOL_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tool_machine {
    int online;               /* processors that run */
    int usable;               /* of those, what this process may use */
    int numa_nodes;           /* 0: unknown */
    const char *omp_threads;  /* OMP_NUM_THREADS, or NULL */
    int64_t l1, l2, l3;       /* bytes of a data cache; 0: unknown */
    int64_t memory;           /* bytes of all memory */
    int64_t memory_available; /* without swapping; 0: unknown */
    int64_t memory_limit;     /* of this process's control group; 0: none */
    bool has_nvidia_gpu;      /* on the PCI bus */
    bool has_nvidia_driver;   /* loaded */
    bool has_nvcc;            /* on the PATH */
} tool_machine;

tool_machine tool_look_at_machine(void);

#endif
