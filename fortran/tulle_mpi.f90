! SPDX-License-Identifier: Apache-2.0
! Communicators over MPI for module tulle (tulle_dist_matrix). Compile this file after tulle.f90, and link libtulle-mpi
! (pkg-config: tulle-mpi).
!
!     call tulle_comm_mpi(comm, MPI_COMM_WORLD)            with module mpi; with mpi_f08, MPI_COMM_WORLD%MPI_VAL
!     ...
!     call comm%destroy()                                  after all objects that were made with it, in all processes
!     call MPI_Finalize(ierror)
module tulle_mpi
    use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t, c_null_ptr, c_ptr
    use, intrinsic :: iso_fortran_env, only: real64
    use tulle, only: tulle_check, tulle_comm
    implicit none
    private
    public :: tulle_comm_mpi

    interface
        function c_create(mpi_comm, timeout, comm) bind(c, name="tulle_comm_create_mpi_fortran") result(code)
            import :: c_double, c_int, c_int64_t, c_ptr
            integer(c_int64_t), value :: mpi_comm
            real(c_double), value :: timeout
            type(c_ptr), intent(inout) :: comm
            integer(c_int) :: code
        end function
    end interface

contains

    ! Makes a communicator of an MPI communicator, of which a duplicate is kept; all of its processes call. A process waits at
    ! most timeout seconds for the others, 300 where timeout is left out. Errors of MPI while the duplicate is made go to the
    ! error handler of the MPI communicator, which by default ends the program (tulle_comm_create_mpi in tulle/comm_mpi.h).
    subroutine tulle_comm_mpi(comm, mpi_comm, timeout, stat, message)
        class(tulle_comm), intent(inout) :: comm
        integer, intent(in) :: mpi_comm
        real(real64), intent(in), optional :: timeout
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        real(real64) :: seconds
        type(c_ptr) :: made
        integer(c_int) :: status
        seconds = 0
        if (present(timeout)) seconds = timeout
        made = c_null_ptr
        status = c_create(int(mpi_comm, c_int64_t), seconds, made)
        call comm%take(made)
        call tulle_check(status, stat, message)
    end subroutine
end module
