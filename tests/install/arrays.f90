! SPDX-License-Identifier: Apache-2.0
! A program of somebody else, in Fortran 2018, against the installed module tulle: answers in each combination of kinds,
! errors, and memory that goes out of scope. With the argument "stop" it makes an error that nobody asks for, with "copy" it
! assigns an object, with "copies" an array of objects; each ends the program.
module differences
    use, intrinsic :: iso_fortran_env, only: real64
    use tulle
    implicit none

    ! Second differences without a matrix, which can be made to fail.
    type, extends(tulle_operator) :: second_differences
        integer :: calls = 0, fails_with = 0
    contains
        procedure :: apply
    end type

contains

    subroutine apply(self, ctx, X, Y, stat)
        class(second_differences), intent(inout) :: self
        type(tulle_context), intent(in) :: ctx
        type(tulle_vector), intent(in) :: X
        type(tulle_vector), intent(inout) :: Y
        integer, intent(out) :: stat
        real(real64), allocatable :: from(:), to(:)
        integer :: n
        n = int(X%rows())
        allocate (from(n), to(n))
        call X%read(ctx, from)
        to = 2 * from
        to(2:) = to(2:) - from(:n - 1)
        to(:n - 1) = to(:n - 1) - from(2:)
        call Y%write(ctx, to)
        self%calls = self%calls + 1
        stat = self%fails_with
    end subroutine
end module

program arrays
    use, intrinsic :: iso_c_binding, only: c_int, c_null_ptr, c_ptr
    use, intrinsic :: iso_fortran_env, only: error_unit, int32, int64, real32, real64
    use differences
    implicit none
    integer(int32), parameter :: offsets(5) = [1, 3, 6, 9, 11], columns(10) = [1, 2, 1, 2, 3, 2, 3, 4, 3, 4]
    real(real64), parameter :: values(10) = [2, -1, -1, 2, -1, -1, 2, -1, -1, 2], ones(4) = 1, ends(4) = [1, 0, 0, 1]
    type(tulle_context) :: ctx
    character(8) :: ending
    integer :: failures, round
    integer(int64) :: held

    ! A function of tulle.h that the module lacks.
    interface
        function linop_product(ctx, A, B, L) bind(c, name="tulle_linop_product") result(status)
            import :: c_int, c_ptr
            type(c_ptr), value :: ctx, A, B
            type(c_ptr), intent(out) :: L
            integer(c_int) :: status
        end function
    end interface

    failures = 0
    call ctx%create('cpu:2')
    call get_command_argument(1, ending)
    if (ending /= '') call end_by(ending)
    do round = 1, 2
        held = ctx%bytes_in_use()
        call check_products()
        call check_triangles()
        call check_galerkin()
        call check_kinds()
        call check_several()
        call check_solutions()
        call check_errors()
    end do
    call expect(ctx%bytes_in_use() == held, 'objects that go out of scope give up their memory')
    call check_scope()
    print '(a, i0, a)', 'module tulle: ', failures, ' failed'
    if (failures > 0) error stop 1

contains

    subroutine expect(ok, what)
        logical, intent(in) :: ok
        character(*), intent(in) :: what
        if (ok) return
        write (error_unit, '(2a)') 'failed: ', what
        failures = failures + 1
    end subroutine

    ! Whole numbers as small as here are exact in every order of sums.
    subroutine check_products()
        type(tulle_matrix) :: A, S, C, T
        type(tulle_vector) :: x, y
        integer(int32), allocatable :: starts(:), places(:)
        real(real64), allocatable :: entries(:)
        real(real64) :: numbers(4), total(1), norm, product
        call A%create_csr(ctx, offsets, columns, values)
        call x%create(ctx, ones)
        call y%create(ctx, 4)
        call tulle_spmv(ctx, tulle_n, 2.0_real64, A, x, 0.0_real64, y)
        call y%read(ctx, numbers)
        call expect(all(numbers == [2, 0, 0, 2]), 'a product')
        call tulle_axpby(ctx, 3.0_real64, x, -1.0_real64, y)
        call tulle_dot(ctx, x, y, total)
        call expect(total(1) == 8, 'an inner product')
        call tulle_copy(ctx, x, y)
        call tulle_norm2(ctx, y, total)
        call tulle_norm2(ctx, y, norm)
        call tulle_dot(ctx, x, y, product)
        call expect(total(1) == 2 .and. norm == 2 .and. product == 4, 'a norm and an inner product of one column')

        call tulle_spgemm(ctx, tulle_n, tulle_n, 1.0_real64, A, A, C)
        call tulle_spgemm_update(ctx, tulle_n, tulle_n, 2.0_real64, A, A, C)
        call tulle_transpose(ctx, C, T)
        call T%read(ctx, starts, places, entries)
        call expect(all(starts == [1, 4, 8, 12, 15]), 'offsets of a product, from 1 on')
        call expect(all(places(1:4) == [1, 2, 3, 1]) .and. all(entries(1:3) == [10, -8, 2]), 'entries of a product')
        call tulle_add(ctx, tulle_n, tulle_t, 1.0_real64, A, -1.0_real64, A, S)
        call S%read(ctx, starts, places, entries)
        call expect(S%nnz() == 10 .and. all(entries == 0), 'a symmetric matrix less its transpose')
        call check_bounds(A)
        call A%set_values(ctx, 2 * values)
        call A%optimize(ctx, tulle_n, 10)
        call tulle_spmv(ctx, tulle_n, 1.0_real64, A, x, 0.0_real64, y)
        call y%read(ctx, numbers)
        call expect(all(numbers == [2, 0, 0, 2]), 'other values')
    end subroutine

    ! Systems with triangles of A, of whose diagonals quotients are exact.
    subroutine check_triangles()
        type(tulle_matrix) :: A
        type(tulle_vector) :: b, x
        character(200) :: message
        integer :: stat
        call A%create_csr(ctx, offsets, columns, values)
        call b%create(ctx, [2, 1, 1, 1] * 1.0_real64)
        call x%create(ctx, 4)
        call tulle_trisolve(ctx, tulle_lower, tulle_non_unit, tulle_n, 1.0_real64, A, b, x)
        call expect(holds(x, ones), 'a lower triangle')
        call tulle_trisolve(ctx, tulle_upper, tulle_non_unit, tulle_t, 3.0_real64, A, b, x)
        call expect(holds(x, 3 * ones), 'an upper triangle, transposed')
        call b%create(ctx, ends)
        call tulle_trisolve(ctx, tulle_lower, tulle_unit, tulle_n, 1.0_real64, A, b, x)
        call expect(holds(x, [1, 1, 1, 2] * 1.0_real64), 'a lower triangle with ones')
        call A%create_csr(ctx, int([1, 2, 3], int32), int([1, 1], int32), ones(:2))
        call b%create(ctx, ones(:2))
        call x%create(ctx, 2)
        call tulle_trisolve(ctx, tulle_lower, tulle_non_unit, tulle_n, 1.0_real64, A, b, x, stat, message)
        call expect(stat == tulle_unsupported .and. tulle_error_row() == 2 .and. index(message, 'row 2') > 0, &
            'a diagonal that lacks an entry')
    end subroutine

    ! Two sums of neighbours make of the second difference one on a grid of two points.
    subroutine check_galerkin()
        type(tulle_matrix) :: A, P, C
        integer(int32), allocatable :: starts(:), places(:)
        real(real64), allocatable :: entries(:)
        integer :: stat
        call A%create_csr(ctx, offsets, columns, values)
        call P%create_csr(ctx, int([1, 2, 3, 4, 5], int32), int([1, 1, 2, 2], int32), ones)
        call tulle_spgemm_galerkin(ctx, 1.0_real64, A, P, C)
        call C%read(ctx, starts, places, entries)
        call expect(all(starts == [1, 3, 5]) .and. all(places == [1, 2, 1, 2]) .and. all(entries == [2, -1, -1, 2]), &
            'a Galerkin product')
        call A%set_values(ctx, 5 * values)
        call tulle_spgemm_galerkin_update(ctx, 2.0_real64, A, P, C)
        call C%read(ctx, starts, places, entries)
        call expect(all(entries == [20, -10, -10, 20]), 'a Galerkin product with other values')
        call tulle_spgemm_galerkin(ctx, 1.0_real64, A, P, P, stat)
        call expect(stat == tulle_aliased .and. P%nnz() == 4, 'an operand that becomes its Galerkin product')
    end subroutine

    logical function holds(x, wanted)
        type(tulle_vector), intent(in) :: x
        real(real64), intent(in) :: wanted(:)
        real(real64) :: numbers(size(wanted))
        call x%read(ctx, numbers)
        holds = all(numbers == wanted)
    end function

    ! Numbers of a matrix are bounds of automatic arrays, too.
    subroutine check_bounds(A)
        type(tulle_matrix), intent(in) :: A
        real(real64) :: x(A%rows(), A%cols()), entries(A%nnz())
        call expect(all(shape(x) == [4, 4]) .and. size(entries) == 10, 'bounds by a matrix')
    end subroutine

    subroutine check_kinds()
        type(tulle_matrix) :: A
        integer(int32), allocatable :: places(:)
        integer(int64), allocatable :: starts(:), far(:)
        real(real32), allocatable :: narrow(:)
        real(real64), allocatable :: wide(:)
        call A%create_csr(ctx, int(offsets, int64), columns, real(values, real32), cols=6_int32)
        call A%read(ctx, starts, places, narrow)
        call expect(all(starts == offsets) .and. all(places == columns) .and. all(narrow == values), 'int64, int32, real32')
        call expect(A%rows() == 4 .and. A%cols() == 6, 'more columns than rows')
        call A%create_csr(ctx, int(offsets, int64), int(columns, int64), values)
        call A%read(ctx, starts, far, wide)
        call expect(all(starts == offsets) .and. all(far == columns) .and. all(wide == values), 'int64, int64, real64')
        call A%create_csr(ctx, int(offsets, int64), columns, values)
        call A%create_csr(ctx, offsets, columns, real(values, real32))
        call A%create_csr(ctx, int(offsets, int64), int(columns, int64), real(values, real32))
        call expect(A%nnz() == 10, 'the other kinds')
    end subroutine

    ! A vector of several columns, around an array of the caller's, and arrays that are not contiguous.
    subroutine check_several()
        type(tulle_matrix) :: A
        type(tulle_vector) :: X, Y
        real(real32), target :: products(4, 2)
        real(real32) :: every(8, 2), grid(2, 2)
        every = 0
        every(1::2, 1) = 1
        every(7, 2) = 1
        call A%create_csr(ctx, offsets, columns, real(values, real32))
        call X%create(ctx, every(1::2, :), cols=2)
        call Y%create(ctx, 4_int64, 2_int64, tulle_f32)
        call tulle_spmm(ctx, tulle_n, 1.0_real64, A, X, 0.0_real64, Y)
        call Y%read(ctx, products)
        call expect(all(products == reshape([1, 0, 0, 1, 0, 0, -1, 2], [4, 2])), 'a product of two columns')
        call expect(X%rows() == 4 .and. X%cols() == 2, 'a shape')
        call X%write(ctx, products)
        call X%read(ctx, every(2::2, :))
        call expect(all(every(2::2, :) == products), 'a strided array')
        call X%wrap(ctx, products(:, 1))
        call X%fill(ctx, 3.0_real64)
        call expect(all(products(:, 1) == 3), 'an array in place')
        call X%read(ctx, grid)
        call expect(all(grid == 3), 'an array of the shape of a grid')
        call X%wrap(ctx, products, cols=2)
        call expect(X%rows() == 4 .and. X%cols() == 2, 'two columns in place')
        call tulle_spmm(ctx, tulle_n, 1.0_real64, A, X, 0.0_real64, Y)
        call X%create(ctx, products(:, 1))
        call expect(all(products(:, 1) == 3) .and. all(products(:, 2) == [0, 0, -1, 2]), 'columns in place are read')
    end subroutine

    ! Solves A x = b, whose x is ones.
    subroutine check_solutions()
        type(tulle_matrix) :: A
        type(tulle_factor) :: F
        type(tulle_linop) :: L, precond
        type(tulle_amg) :: M
        type(tulle_solver) :: S
        type(tulle_vector) :: b, x
        type(tulle_report) :: report
        type(c_ptr) :: square
        real(real64) :: numbers(4)
        call A%create_csr(ctx, offsets, columns, values)
        call b%create(ctx, ends)
        call x%create(ctx, 4)
        call tulle_solve(ctx, A, b, x, report)
        call expect(report%converged() .and. near_ones(x), 'tulle_solve')
        call expect(report%method == 'cg' .and. report%method_why /= '' .and. report%text() == 'converged', 'reasons')
        call expect(report%norm <= report%limit .and. report%start_norm > report%limit, 'norms')
        call tulle_solve(ctx, A, b, x, report, method='gmres', precond='jacobi', tolerance=1e-12_real64, max_iterations=50, &
            guess=.false., max_seconds=100.0_real64)
        call expect(report%converged() .and. near_ones(x), 'gmres')
        call expect(report%method == 'gmres' .and. report%precond == 'jacobi' .and. report%method_why == '', 'given names')

        call F%create(ctx, A, fill=tulle_fill_all)
        call F%update(ctx, A)
        call F%solve(ctx, tulle_n, 1.0_real64, b, x)
        call expect(near_ones(x), 'complete factors')
        call F%create(ctx, A, kind=tulle_cholesky, shift=0.0_real64, modified=0.0_real64, single=.false.)
        call precond%from_factor(ctx, F)
        call L%from_matrix(ctx, A)
        call S%create(ctx, L, precond)
        call S%run(ctx, b, x, report)
        call expect(report%converged() .and. near_ones(x), 'incomplete factors')

        call M%create(ctx, A, family=tulle_amg_smoothed, keep_plans=.true., strength=0.1_real64, degree=2)
        call A%set_values(ctx, 2 * values)
        call M%update(ctx, tulle_amg_keep_p)
        call M%update(ctx, tulle_amg_anew, A)
        call S%create(ctx, L, M, method=tulle_fgmres, tolerance=1e-10_real64, max_iterations=20, guess=.true., restart=10)
        call S%run(ctx, b, x, report)
        call tulle_axpby(ctx, 2.0_real64, x, 0.0_real64, x)
        call expect(report%converged() .and. near_ones(x) .and. M%levels() >= 1, 'multigrid')

        call check_pivots(A)
        call check_singular()
        call check_nodes(A, b, x)
        call check_operator(b, x)
        call A%set_values(ctx, values)
        call expect(linop_product(ctx%get(), L%get(), L%get(), square) == tulle_ok, 'a function of tulle.h')
        call precond%take(square)
        call precond%apply(ctx, tulle_n, 1.0_real64, b, 0.0_real64, x)
        call x%read(ctx, numbers)
        call expect(all(numbers == [5, -3, -3, 5]), 'an operator that was taken over')
        call M%create(ctx, A)
        call M%take(c_null_ptr)
        call expect(M%levels() == 0, 'nothing taken over')

        call precond%jacobi(ctx, L)
        call precond%renew(ctx)
        call precond%apply(ctx, tulle_n, 2.0_real64, b, 0.0_real64, x)
        call x%read(ctx, numbers)
        call expect(all(numbers == ends), 'Jacobi''s preconditioner')
    end subroutine

    ! An update goes past a pivot of zero, which is asked for.
    subroutine check_pivots(A)
        type(tulle_matrix), intent(inout) :: A
        type(tulle_factor) :: F
        real(real64) :: singular(10)
        integer(int64) :: bad, row
        integer :: stat
        call A%set_values(ctx, values)
        call F%create(ctx, A)
        call F%pivots(ctx, bad, row)
        call expect(bad == 0 .and. row == 0, 'pivots without a zero')
        singular = values
        singular(4) = 0.5_real64
        call A%set_values(ctx, singular)
        call F%update(ctx, A)
        call F%pivots(ctx, bad, row)
        call expect(bad > 0 .and. row == 2, 'a pivot of zero after an update')
        call F%destroy()
        call F%pivots(ctx, bad, stat=stat)
        call expect(stat == tulle_invalid_argument, 'pivots of nothing')
    end subroutine

    ! A pressure that is given nowhere: its equation has constants as null space, and b a mean that is left out.
    subroutine check_singular()
        type(tulle_matrix) :: A
        type(tulle_linop) :: L
        type(tulle_solver) :: S
        type(tulle_vector) :: b, x
        type(tulle_report) :: report
        real(real64) :: numbers(4), neumann(10)
        neumann = values
        neumann([1, 10]) = 1
        call A%create_csr(ctx, offsets, columns, neumann)
        call b%create(ctx, [2, 1, 1, 0] * 1.0_real64)
        call x%create(ctx, 4)
        call tulle_solve(ctx, A, b, x, report, tolerance=1e-12_real64, constant_null_space=.true.)
        call x%read(ctx, numbers)
        call expect(report%converged() .and. all(abs(numbers - [1.5, 0.5, -0.5, -1.5]) < 1e-9_real64), 'a singular system')
        call L%from_matrix(ctx, A)
        call S%create(ctx, L, method=tulle_minres, tolerance=1e-12_real64, constant_null_space=.true., max_seconds=100.0_real64)
        call S%run(ctx, b, x, report)
        call x%read(ctx, numbers)
        call expect(report%converged() .and. all(abs(numbers - [1.5, 0.5, -0.5, -1.5]) < 1e-9_real64), 'the same by a solver')
        call S%create(ctx, L, method=tulle_minres, tolerance=1e-12_real64, absolute=4.0_real64)
        call S%run(ctx, b, x, report)
        call expect(report%converged() .and. report%iterations == 0, 'a norm that is small enough at the start')
    end subroutine

    ! A system without a matrix.
    subroutine check_operator(b, x)
        type(tulle_vector), intent(inout) :: b, x
        type(second_differences), target :: A
        type(tulle_linop) :: L
        type(tulle_solver) :: S
        type(tulle_report) :: report
        integer :: stat
        call L%from_operator(ctx, 4_int64, A)
        call S%create(ctx, L, method=tulle_gmres)
        call S%run(ctx, b, x, report)
        call expect(report%converged() .and. near_ones(x) .and. A%calls >= 2, 'a system without a matrix')
        A%fails_with = tulle_cancelled
        call S%run(ctx, b, x, report, stat)
        call expect(stat == tulle_cancelled, 'an operator that fails')
        A%fails_with = -3
        call L%apply(ctx, tulle_n, 1.0_real64, b, 0.0_real64, x, stat)
        call expect(stat == tulle_invalid_argument, 'an operator that fails with what is no status')
        call L%apply(ctx, tulle_t, 1.0_real64, b, 0.0_real64, x, stat)
        call expect(stat == tulle_unsupported, 'an operator without a transpose')
        call L%from_operator(ctx, -1_int64, A, stat=stat)
        call expect(stat == tulle_invalid_argument, 'an operator of no size')
        call L%from_operator(ctx, 4_int64, A, cols=4_int64, type=tulle_f32)
    end subroutine

    ! Two nodes of two unknowns each.
    subroutine check_nodes(A, b, x)
        type(tulle_matrix), intent(inout) :: A
        type(tulle_vector), intent(inout) :: b, x
        type(tulle_amg) :: M
        type(tulle_report) :: report
        integer :: stat
        call A%set_values(ctx, values)
        call M%create(ctx, A, family=tulle_amg_smoothed, block=2)
        call expect(M%levels() >= 1, 'multigrid of nodes')
        call M%create(ctx, A, family=tulle_amg_smoothed, block=3, stat=stat)
        call expect(stat == tulle_shape_mismatch, 'four rows in nodes of three')
        call tulle_solve(ctx, A, b, x, report, block=2)
        call expect(report%converged() .and. near_ones(x) .and. report%precond(1:12) == 'amg-smoothed', 'a system of nodes')
    end subroutine

    function near_ones(x) result(near)
        type(tulle_vector), intent(inout) :: x
        logical :: near
        real(real64) :: numbers(4)
        call x%read(ctx, numbers)
        near = all(abs(numbers - 1) < 1e-7_real64)
        call x%fill(ctx, 0.0_real64)
    end function

    subroutine check_errors()
        type(tulle_context) :: nowhere
        type(tulle_matrix) :: A, B
        type(tulle_factor) :: F
        type(tulle_vector) :: x
        type(tulle_report) :: report
        integer(int32) :: bad(10)
        integer(int32), allocatable :: starts(:), places(:)
        real(real32), allocatable :: narrow(:)
        real(real64), target :: wrong(10)
        real(real64), allocatable :: sums(:)
        integer :: stat
        character(200) :: message
        type(tulle_linop) :: L
        message = 'none'
        stat = -5
        call A%create_csr(ctx, offsets, columns, values, stat=stat, message=message)
        call expect(stat == 0 .and. message == 'none', 'success leaves the message alone')
        call A%read(ctx, starts, places, narrow, stat, message)
        call expect(stat == tulle_type_mismatch .and. index(message, 'kinds') > 0, 'another kind')
        call A%set_values(ctx, real(values, real32), stat)
        call expect(stat == tulle_type_mismatch, 'values of another kind')
        call x%create(ctx, 3)
        call x%read(ctx, wrong(:4), stat, message)
        call expect(stat == tulle_shape_mismatch, 'an array of another size')
        call tulle_solve(ctx, A, x, x, report, stat=stat, message=message)
        call expect(stat == tulle_shape_mismatch .and. .not. report%converged(), 'vectors of another size')

        wrong = [2, -1, -1, 0, -1, -1, 2, -1, -1, 2]
        wrong(4) = 0.5_real64
        call A%set_values(ctx, wrong)
        call F%create(ctx, A, stat=stat, message=message)
        call expect(stat == tulle_zero_pivot .and. tulle_error_row() == 2 .and. index(message, 'row 2, counted from 1; ') == 1, &
            'a pivot of zero in row 2')
        call F%create(ctx, A, tiny=1e-8_real64, boost=.true.)
        call A%create_csr(ctx, int([1, 3, 4], int32), int([2, 2, 1], int32), [1, 2, 4] * 1.0_real64)
        call F%create(ctx, A, stat=stat, message=message)
        call expect(stat == tulle_unsupported .and. index(message, 'row 1, counted from 1; ') == 1, 'repeated entries')
        call A%sum_repeated(ctx, B)
        call B%read(ctx, starts, places, sums)
        call expect(all(starts == [1, 2, 3]) .and. all(places == [2, 1]) .and. all(sums == [3, 4]), 'sums of repeated entries')
        call A%sum_repeated(ctx, A, stat)
        call expect(stat == tulle_aliased .and. A%nnz() == 3, 'a matrix that becomes its own sums')
        call A%create_csr(ctx, offsets, columns, values)
        bad = columns
        bad(6) = 5
        call A%create_csr(ctx, offsets, bad, values, stat=stat, message=message)
        call expect(stat == tulle_invalid_matrix .and. tulle_error_row() == 3 .and. index(message, 'row 3: ') == 1, &
            'a column too large')
        call expect(A%rows() == 0, 'no matrix after a failure')
        call A%create_csr(ctx, offsets, columns, values)
        call A%set_values(ctx, real(values, real32), stat)
        call expect(stat == tulle_type_mismatch .and. tulle_error_row() == 0, 'the row of an older failure is forgotten')
        call tulle_transpose(ctx, A, A, stat)
        call expect(stat == tulle_aliased, 'a matrix that becomes its own transpose')
        call tulle_spgemm(ctx, tulle_n, tulle_n, 1.0_real64, A, A, A, stat)
        call expect(stat == tulle_aliased, 'a matrix that becomes its own square')
        call tulle_add(ctx, tulle_n, tulle_n, 1.0_real64, A, 1.0_real64, A, A, stat)
        call expect(stat == tulle_aliased .and. A%nnz() == 10, 'a matrix that becomes its own sum')
        call L%from_matrix(ctx, A)
        call L%jacobi(ctx, L, stat)
        call expect(stat == tulle_aliased, 'an operator that becomes its own preconditioner')
        call x%create(ctx, wrong, cols=3, stat=stat)
        call expect(stat == tulle_shape_mismatch .and. x%rows() == 0, 'ten numbers in three columns')
        call x%create(ctx, wrong, cols=0, stat=stat)
        call expect(stat == tulle_invalid_argument .and. x%rows() == 0, 'no columns')
        call x%wrap(ctx, wrong(1::2), stat=stat, message=message)
        call expect(stat == tulle_invalid_argument .and. index(message, 'contiguous') > 0, 'every other number in place')
        call A%destroy()
        call tulle_spmv(ctx, tulle_n, 1.0_real64, A, x, 0.0_real64, x, stat)
        call expect(stat == tulle_invalid_argument, 'an object that was never made')
        call A%create_csr(ctx, offsets, bad(:9), values, stat=stat)
        call expect(stat == tulle_shape_mismatch, 'a column too few')
        call A%create_csr(ctx, offsets(:0), bad(:0), values(:0), stat=stat)
        call expect(stat == tulle_shape_mismatch, 'no offsets')
        call nowhere%create('nowhere', stat, message)
        call expect(stat == tulle_invalid_argument .and. index(message, 'nowhere') > 0, 'an unknown place')
    end subroutine

    ! A vector of 100,000 numbers gives up its memory where it is made anew, and where it is destroyed.
    subroutine check_scope()
        type(tulle_vector) :: x
        integer(int64) :: before, one
        before = ctx%bytes_in_use()
        call x%create(ctx, 100000)
        one = ctx%bytes_in_use()
        call x%create(ctx, 100000)
        call expect(ctx%bytes_in_use() == one .and. one >= before + 800000, 'a vector that is made anew')
        call x%destroy()
        call x%destroy()
        call ctx%synchronize()
        call ctx%set_repeatable(.true.)
        call expect(ctx%bytes_in_use() == before, 'a vector that was destroyed')
    end subroutine

    subroutine end_by(how)
        character(*), intent(in) :: how
        type(tulle_vector) :: x, y, several(2), others(2)
        if (how == 'stop') call x%create(ctx, -1)
        call x%create(ctx, 1)
        if (how == 'copy') y = x
        call several(2)%create(ctx, 1)
        if (how == 'copies') others = several
        print '(a)', 'still there'
    end subroutine
end program
