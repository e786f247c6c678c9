/* SPDX-License-Identifier: Apache-2.0 */
/* A program's way into MPI and out again, for programs that are not linked with MPI. */
#include <mpi.h>
#include <stdlib.h>

#include "core/error.h"
#include "tulle/comm_mpi.h"

static bool is_on(int (*ask)(int *)) {
    int on = 0;
    return ask(&on) == MPI_SUCCESS && on;
}

tulle_status tulle_mpi_begin(double timeout, tulle_comm **comm) {
    MPI_Comm world = MPI_COMM_WORLD;
    int given;
    TULLE__NEED(comm);
    *comm = NULL;
    if (!is_on(MPI_Initialized) &&
        MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS) {
        return tulle__fail(TULLE_PEER_FAILED, __func__, NULL, -1, "MPI_Init_thread failed");
    }
    return tulle_comm_create_mpi(&world, timeout, comm);
}

void tulle_mpi_end(void) {
    if (is_on(MPI_Initialized) && !is_on(MPI_Finalized)) MPI_Finalize();
}

void tulle_mpi_abort(int code) {
    if (is_on(MPI_Initialized) && !is_on(MPI_Finalized)) MPI_Abort(MPI_COMM_WORLD, code);
    exit(code);
}
