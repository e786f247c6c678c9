/* SPDX-License-Identifier: Apache-2.0 */
/* Runs PETSc in MPI processes of Python, as scipy_process.h runs SciPy in one process. */
#ifndef BENCH_PEERS_PETSC_PROCESS_H
#define BENCH_PEERS_PETSC_PROCESS_H

#include "lab/peers/scipy_process.h"

/* Runs a script with arguments (then NULL) in so many processes and returns its output. */
tulle_status petsc_run(const char *script, int processes, const char *const arguments[],
                       char output[SCIPY_OUTPUT]);

tulle_status petsc_available(char version[BENCH_VERSION]);

#endif
