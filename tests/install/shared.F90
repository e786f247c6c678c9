! SPDX-License-Identifier: Apache-2.0
! A program of somebody else, in Fortran 2018, whose rows are shared: by three threads of OpenMP, or, with TULLE_TEST_MPI
! defined, by processes of MPI.
module shared_checks
    use, intrinsic :: iso_fortran_env, only: error_unit, int64, real32, real64
    use tulle
    implicit none
    integer :: failures = 0
contains

    subroutine expect(ok, what)
        logical, intent(in) :: ok
        character(*), intent(in) :: what
        if (ok) return
        write (error_unit, '(2a)') 'failed: ', what
        !$omp atomic
        failures = failures + 1
    end subroutine

    ! Makes this process's rows of second differences.
    subroutine make_rows(first, rows, n, offsets, columns, values)
        integer(int64), intent(in) :: first, rows, n
        integer(int64), allocatable, intent(out) :: offsets(:), columns(:)
        real(real64), allocatable, intent(out) :: values(:)
        integer(int64) :: i, j
        allocate (offsets(rows + 1), columns(0), values(0))
        offsets(1) = 1
        do i = first, first + rows - 1
            do j = max(i - 1, 1_int64), min(i + 1, n)
                columns = [columns, j]
                values = [values, merge(2.0_real64, -1.0_real64, i == j)]
            end do
            offsets(i - first + 2) = size(columns, kind=int64) + 1
        end do
    end subroutine

    ! What one thread or process does; of two rows the third has none.
    subroutine check_rank(comm)
        type(tulle_comm), intent(inout) :: comm
        type(tulle_context) :: ctx
        call ctx%create('cpu:1')
        call comm%set_checking(.true.)
        call check_products(ctx, comm, 40_int64)
        call check_solutions(ctx, comm, 40_int64)
        call check_solutions(ctx, comm, 2_int64)
        call check_errors(ctx, comm, 5_int64)
    end subroutine

    subroutine check_products(ctx, comm, n)
        type(tulle_context), intent(in) :: ctx
        type(tulle_comm), intent(in) :: comm
        integer(int64), intent(in) :: n
        type(tulle_dist_matrix) :: A, B
        type(tulle_dist_order) :: P
        type(tulle_vector) :: x, y, moved
        integer(int64), allocatable :: offsets(:), columns(:)
        real(real64), allocatable :: values(:)
        integer(int64) :: first, rows
        real(real64) :: whole(n), expected(n), total(1)
        real(real32) :: narrow(n)
        call comm%share(n, first, rows)
        call make_rows(first, rows, n, offsets, columns, values)
        call A%create_csr(ctx, comm, offsets, columns, values)
        call expect(A%rows() == n .and. A%nnz() == 3 * n - 2, 'a shared matrix')
        call expect(A%first_row() == first .and. A%local_rows() == rows, 'the rows of this process')
        call x%create(ctx, rows)
        call y%create(ctx, rows)
        call x%fill(ctx, 1.0_real64)
        call A%multiply(ctx, tulle_n, 1.0_real64, x, 0.0_real64, y)
        expected = 0
        expected([1_int64, n]) = 1
        whole = -1
        call A%gather(ctx, comm, y, 1, whole)
        call expect(merge(all(whole == expected), all(whole == -1), comm%rank() == 1), 'a product in process 1')
        call tulle_dot(ctx, comm, x, y, total)
        call expect(total(1) == 2, 'an inner product of all rows')
        call tulle_norm2(ctx, comm, y, total)
        call expect(total(1) == sqrt(2.0_real64), 'a norm of all rows')
        call A%set_values(offsets, columns, 3 * values)
        call A%multiply(ctx, tulle_t, 1.0_real64, x, 0.0_real64, y)
        call A%gather(ctx, comm, y, 1, whole)
        call expect(comm%rank() /= 1 .or. all(whole == 3 * expected), 'other values')

        call A%partition(ctx, B, P)
        call moved%create(ctx, B%local_rows())
        call P%permute(ctx, y, moved)
        call P%unpermute(ctx, moved, x)
        call A%gather(ctx, comm, x, 1, whole)
        call expect(B%nnz() == A%nnz() .and. (comm%rank() /= 1 .or. all(whole == 3 * expected)), 'there and back')

        call A%create_csr(ctx, comm, offsets, columns, real(values, real32), cols=rows)
        call x%create(ctx, rows, type=tulle_f32)
        call y%create(ctx, rows, type=tulle_f32)
        call x%fill(ctx, 1.0_real64)
        call A%multiply(ctx, tulle_n, 1.0_real64, x, 0.0_real64, y)
        call A%gather(ctx, comm, y, 0, narrow)
        call expect(comm%rank() /= 0 .or. all(narrow == expected), 'a product in real32')
        call A%set_values(offsets, columns, 2 * real(values, real32))
    end subroutine

    ! Solves A x = b, whose x is ones.
    subroutine check_solutions(ctx, comm, n)
        type(tulle_context), intent(in) :: ctx
        type(tulle_comm), intent(in) :: comm
        integer(int64), intent(in) :: n
        type(tulle_dist_matrix) :: A
        type(tulle_linop) :: L
        type(tulle_amg) :: M
        type(tulle_solver) :: S
        type(tulle_vector) :: ones, b, x
        type(tulle_report) :: report
        integer(int64), allocatable :: offsets(:), columns(:)
        real(real64), allocatable :: values(:)
        integer(int64) :: first, rows
        call comm%share(n, first, rows)
        call make_rows(first, rows, n, offsets, columns, values)
        call A%create_csr(ctx, comm, offsets, columns, values)
        call ones%create(ctx, rows)
        call ones%fill(ctx, 1.0_real64)
        call b%create(ctx, rows)
        call x%create(ctx, rows)
        call A%multiply(ctx, tulle_n, 1.0_real64, ones, 0.0_real64, b)
        call tulle_solve(ctx, A, b, x, report, precond='jacobi', tolerance=1e-10_real64)
        call expect(report%converged() .and. report%precond == 'jacobi' .and. distance() < 1e-6_real64, 'a shared system')
        call L%from_matrix(ctx, A)
        call M%create(ctx, A, gathered_rows=10_int64)
        call S%create(ctx, L, M, tolerance=1e-10_real64)
        call S%run(ctx, b, x, report)
        call expect(report%converged() .and. distance() < 1e-6_real64, 'shared multigrid')
    contains
        function distance()
            real(real64) :: distance, norms(1)
            call tulle_axpby(ctx, -1.0_real64, ones, 1.0_real64, x)
            call tulle_norm2(ctx, comm, x, norms)
            distance = norms(1)
        end function
    end subroutine

    ! Process 0 makes mistakes; the others hear, and the communicator stays fit for use.
    subroutine check_errors(ctx, comm, n)
        type(tulle_context), intent(in) :: ctx
        type(tulle_comm), intent(in) :: comm
        integer(int64), intent(in) :: n
        type(tulle_dist_matrix) :: A
        type(tulle_dist_order) :: P
        type(tulle_vector) :: X
        integer(int64), allocatable :: offsets(:), columns(:)
        real(real64), allocatable :: values(:)
        integer(int64) :: first, rows, few
        real(real64) :: room(2 * n - 1), results(2)
        integer :: stat
        character(200) :: message
        call comm%share(n, first, rows)
        call make_rows(first, rows, n, offsets, columns, values)
        few = size(values, kind=int64) - merge(1, 0, comm%rank() == 0)
        call A%create_csr(ctx, comm, offsets, columns, values(:few), stat=stat, message=message)
        call expect(stat == merge(tulle_shape_mismatch, tulle_peer_failed, comm%rank() == 0), 'a value too few in process 0')
        call A%create_csr(ctx, comm, offsets, columns, values)
        call A%partition(ctx, A, P, stat)
        call expect(stat == tulle_aliased, 'a matrix that becomes its own partition')
        call X%create(ctx, rows, 2_int64)
        call X%fill(ctx, 1.0_real64)
        call A%gather(ctx, comm, X, 0, room, stat)
        call expect(stat == merge(tulle_shape_mismatch, tulle_invalid_argument, comm%rank() == 0), 'too small an array')
        call tulle_norm2(ctx, comm, X, results(:2 - merge(1, 0, comm%rank() == 0)), stat)
        call expect(stat == merge(tulle_shape_mismatch, tulle_peer_failed, comm%rank() == 0), 'too few results')
        call A%set_values(offsets, columns, real(values, real32), stat)
        call expect(stat == tulle_type_mismatch, 'values of another kind')
        call A%set_values(offsets, columns, values(:1), stat)
        call expect(stat == tulle_shape_mismatch, 'values of another number')
        call tulle_dot(ctx, comm, X, X, results)
        call expect(all(results == real(n, real64)), 'sums after errors')
    end subroutine
end module

program shared
#ifdef TULLE_TEST_MPI
    use mpi
    use tulle_mpi
#endif
    use shared_checks
    implicit none
#ifdef TULLE_TEST_MPI
    type(tulle_comm) :: comm
    integer :: ierror, stat, rank
    call tulle_comm_mpi(comm, MPI_COMM_WORLD, stat=stat)
    call expect(stat == tulle_invalid_argument .and. comm%ranks() == 0, 'MPI that is not initialised')
    call MPI_Init(ierror)
    call tulle_comm_mpi(comm, MPI_COMM_NULL, stat=stat)
    call expect(stat == tulle_invalid_argument, 'no communicator of MPI')
    call tulle_comm_mpi(comm, MPI_COMM_WORLD, timeout=60.0_real64)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call expect(comm%rank() == rank, 'ranks of MPI')
    call check_rank(comm)
    call comm%destroy()
    call MPI_Finalize(ierror)
#else
    type(tulle_comm) :: comms(3), none(0)
    integer :: rank, stat
    call tulle_comm_threads(none, stat=stat)
    call expect(stat == tulle_invalid_argument, 'no threads')
    call tulle_comm_threads(comms, timeout=60.0_real64)
    !$omp parallel do num_threads(3) schedule(static, 1)
    do rank = 0, 2
        call expect(comms(rank + 1)%rank() == rank .and. comms(rank + 1)%ranks() == 3, 'ranks of threads')
        call check_rank(comms(rank + 1))
    end do
#endif
    print '(a, i0, a)', 'shared rows: ', failures, ' failed'
    if (failures > 0) error stop 1
end program
