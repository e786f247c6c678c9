/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Communicators over MPI, in the library libtulle-mpi (pkg-config: tulle-mpi; CMake: tulle::mpi),
 * which is built where MPI is found. It works with the MPI that it was compiled with.
 *
 *     MPI_Init(&argc, &argv);
 *     tulle_comm *comm;
 *     MPI_Comm world = MPI_COMM_WORLD;
 *     tulle_comm_create_mpi(&world, 0, &comm);
 *     ...
 *     tulle_comm_destroy(comm);
 *     MPI_Finalize();
 */
#ifndef TULLE_COMM_MPI_H
#define TULLE_COMM_MPI_H

#include <stdint.h>

#include "comm.h"
#include "export.h"
#include "status.h"

TULLE_BEGIN

/**
 * Makes a communicator of an MPI communicator, of which a duplicate is kept, so that messages of
 * tulle's meet no others. MPI calls are made by the threads that call tulle: where these are others
 * than the one that has called MPI_Init, MPI must permit that (MPI_Init_thread). MPI knows nothing
 * of GPUs here: what a GPU's context sends goes by way of page-locked host memory.
 *
 * @param mpi_comm address of an MPI_Comm
 * @param timeout  time in seconds after which a process that waits for others gives up; 0: 300
 *
 * All processes of the MPI communicator call. A process that fails the check of its own arguments
 * makes no duplicate: the others then fail after their timeout, and none may use the MPI
 * communicator for collective calls any more. Errors of MPI while the duplicate is made go to the
 * error handler of the MPI communicator, which by default ends the program; set MPI_ERRORS_RETURN
 * to have them returned. The duplicate returns errors.
 *
 * Where a process ends, an MPI launcher usually ends the others; where one stays away, calls of the
 * others return TULLE_PEER_FAILED after the timeout, and the duplicate and the memory of messages
 * are kept until the program ends. Otherwise destroy the communicator before MPI_Finalize, in all
 * processes: the last owner calls MPI_Comm_free, which is collective and has no timeout. An
 * exchange whose pieces differ in size from what is expected fails; gatherings of different sizes
 * are errors that MPI need not find (tulle_comm_set_checking does), and that Open MPI hands to the
 * error handler of MPI_COMM_WORLD, which by default ends the program.
 *
 * Synchronises: waits for the other processes, but for no context.
 *
 * Errors: TULLE_INVALID_ARGUMENT (a NULL, a negative timeout, MPI is not initialised or finalised,
 * MPI_COMM_NULL, an intercommunicator), TULLE_OUT_OF_MEMORY, TULLE_PEER_FAILED (an error of MPI;
 * the message has its text).
 */
TULLE_API tulle_status tulle_comm_create_mpi(const void *mpi_comm, double timeout,
                                             tulle_comm **comm);

/**
 * Makes a communicator of an MPI communicator of Fortran's, which is an integer, such as
 * MPI_COMM_WORLD there: tulle_comm_create_mpi of what MPI_Comm_f2c makes of it. The module
 * tulle_mpi (fortran/tulle_mpi.f90) calls it. Synchronises, and errors: as tulle_comm_create_mpi.
 */
TULLE_API tulle_status tulle_comm_create_mpi_fortran(int64_t mpi_comm, double timeout,
                                                     tulle_comm **comm);

/**
 * For a program that is not linked with MPI, and opens libtulle-mpi when it finds that a launcher
 * has started it: initialises MPI unless that is done, and makes a communicator of MPI_COMM_WORLD
 * (tulle_comm_create_mpi). All processes call. Errors: as tulle_comm_create_mpi; TULLE_PEER_FAILED
 * (MPI cannot be initialised).
 */
TULLE_API tulle_status tulle_mpi_begin(double timeout, tulle_comm **comm);

/** Finalises MPI, if it is initialised; all processes call, after the last owner of each
 * communicator has given it up. */
TULLE_API void tulle_mpi_end(void);

/** Ends all processes of the program, this one with the exit code (MPI_Abort), which launchers hand
 * on. Does not return. */
TULLE_API void tulle_mpi_abort(int code);

TULLE_END
#endif
