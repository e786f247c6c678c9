/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/peers/petsc_process.h"

#include <stdio.h>
#include <stdlib.h>

#include "tools/common/error.h"

/* Open MPI's permissions: its processes may be root's, as in a container, and share cores. */
static const char *const variables[] = {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                                        "OMPI_MCA_rmaps_base_oversubscribe"};

tulle_status petsc_run(const char *script, int processes, const char *const arguments[],
                       char output[SCIPY_OUTPUT]) {
    char count[SCIPY_NUMBER];
    snprintf(count, SCIPY_NUMBER, "%d", processes);
    const scipy_script run = {
        .path = script, .needs = "mpiexec and petsc4py", .launcher = {"mpiexec", "-n", count}};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) setenv(variables[i], "1", 0);
    return scipy_run_script(&run, arguments, output);
}

tulle_status petsc_available(char version[BENCH_VERSION]) {
    const char *const arguments[] = {"--version", NULL};
    char output[SCIPY_OUTPUT];
    tulle_status status = petsc_run("petsc_peer.py", 1, arguments, output);
    if (status != TULLE_OK) return status;
    scipy_first_line(output);
    snprintf(version, BENCH_VERSION, "PETSc %.50s", output);
    return TULLE_OK;
}
