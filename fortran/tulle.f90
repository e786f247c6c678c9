! SPDX-License-Identifier: Apache-2.0
! The interface of tulle for Fortran 2018: sparse matrices with arrays that count from 1, products, factors, multigrid
! and solutions, on CPUs and GPUs. The headers in include/tulle say what each operation computes and its error bound.
!
!     call ctx%create('auto')
!     call A%create_csr(ctx, offsets, columns, values)
!     call b%create(ctx, right_hand_side)
!     call x%create(ctx, n)
!     call tulle_solve(ctx, A, b, x, report)
!     call x%read(ctx, solution)
!
! Integers of matrices are int32 or int64, or int64 for offsets and int32 for columns; values are real32 or real64. The
! kinds of the arrays choose. Arrays are copied, except by wrap of tulle_vector.
!
! Errors: a call that can fail takes the optional arguments stat and message, like allocate: stat becomes 0, or the
! status of tulle/status.h, and message says what is wrong. Without stat a failure prints the message and stops.
!
! Objects (tulle_context, tulle_matrix, tulle_vector, tulle_linop, tulle_factor, tulle_amg, tulle_solver, and of rows that
! threads or processes share tulle_comm, tulle_dist_matrix, tulle_dist_order) give up their memory when they go out of
! scope, when they are made anew, and by destroy. They are passed as arguments and are never assigned: assignment stops the
! program, since two owners would give up one object twice. Two other copies are as wrong, and compilers do not let the
! module see them: an allocation with source=, and the assignment of a structure that has objects in it. move_alloc moves
! allocatable objects. The order of their ends does not matter, as the library counts owners. One thread at a time uses a
! context.
module tulle
    use, intrinsic :: iso_c_binding, only: c_associated, c_bool, c_char, c_double, c_f_pointer, c_funptr, c_int, c_int64_t, &
        c_funloc, c_loc, c_null_char, c_null_funptr, c_null_ptr, c_ptr, c_size_t, c_sizeof
    use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
    implicit none
    private

    ! Statuses, as in tulle/status.h.
    integer, parameter, public :: tulle_ok = 0, tulle_invalid_argument = 1, tulle_out_of_memory = 2, tulle_shape_mismatch = 3, &
        tulle_space_mismatch = 4, tulle_type_mismatch = 5, tulle_aliased = 6, tulle_invalid_matrix = 7, tulle_unsupported = 8, &
        tulle_not_found = 9, tulle_no_device = 10, tulle_needs_plan = 11, tulle_cancelled = 12, tulle_too_large = 13, &
        tulle_zero_pivot = 16, tulle_peer_failed = 18, tulle_device_fault = -1

    ! op(A): A, or A transposed.
    integer(c_int), parameter, public :: tulle_n = 0, tulle_t = 1

    ! Triangles of a matrix, and their diagonals: of the matrix, or of ones.
    integer(c_int), parameter, public :: tulle_lower = 0, tulle_upper = 1, tulle_non_unit = 0, tulle_unit = 1

    ! Types of values.
    integer(c_int), parameter, public :: tulle_f32 = 1, tulle_f64 = 2

    ! Kinds of factors, and the value of fill that keeps all fill.
    integer(c_int), parameter, public :: tulle_lu = 0, tulle_cholesky = 1
    integer, parameter, public :: tulle_fill_all = -1

    ! Iterative methods of tulle_solver.
    integer(c_int), parameter, public :: tulle_cg = 0, tulle_bicgstab = 1, tulle_gmres = 2, tulle_chebyshev = 3, &
        tulle_minres = 4, tulle_fgmres = 5

    ! Outcomes of a solution, the component outcome of tulle_report.
    integer(c_int), parameter, public :: tulle_converged = 0, tulle_most_iterations = 1, tulle_most_time = 2, &
        tulle_stagnated = 3, tulle_broke_down = 4, tulle_indefinite = 5, tulle_not_a_number = 6, tulle_stopped = 7

    ! Families of multigrid, and parts that an update makes anew.
    integer(c_int), parameter, public :: tulle_amg_classical = 1, tulle_amg_aggregation = 2, tulle_amg_smoothed = 3
    integer(c_int), parameter, public :: tulle_amg_anew = 0, tulle_amg_keep_p = 1, tulle_amg_keep_coarsening = 2

    ! Index types, the format CSR, and the layout of vectors, in the numbers of the C library.
    integer(c_int), parameter :: index_i32 = 0, index_i64_i32 = 1, index_i64 = 2, format_csr = 1, column_major = 0

    ! The flag TULLE_SUM_DUPLICATES of conversions.
    integer(c_int), parameter :: sum_duplicates = 1

    ! tulle_dot(ctx, X, Y, results) and tulle_norm2(ctx, X, results) take a real64 for vectors of one column, or an array with
    ! an element for each column.
    ! With a communicator after ctx the sums are over the rows of all processes, which call.
    interface tulle_dot
        module procedure dot_one, dot_columns, dot_shared
    end interface
    interface tulle_norm2
        module procedure norm2_one, norm2_columns, norm2_shared
    end interface

    ! tulle_solve(ctx, A, b, x, report, ...) takes a tulle_matrix, or a tulle_dist_matrix.
    interface tulle_solve
        module procedure solve_matrix, solve_shared
    end interface

    ! tulle_check(status [, stat] [, message]) ends a call of a function of tulle.h that this module lacks, as calls of this
    ! module end.
    interface tulle_check
        module procedure finish
    end interface

    public :: tulle_spmv, tulle_spmm, tulle_spgemm, tulle_spgemm_update, tulle_spgemm_galerkin, tulle_spgemm_galerkin_update, &
        tulle_add, tulle_transpose, tulle_trisolve, tulle_solve, tulle_copy, tulle_axpby, tulle_dot, tulle_norm2, &
        tulle_comm_threads, tulle_check, tulle_error_row

    ! The owner of one object of the library; base of all others.
    type, abstract, public :: tulle_object
        private
        type(c_ptr) :: handle = c_null_ptr
    contains
        ! Returns the object, still owned, for functions of tulle.h that this module lacks; c_null_ptr where none is.
        procedure :: get => object_get
        ! Gives up its own object and takes over one that such a function made, of the type's kind.
        procedure :: take => object_take
        procedure(give_up), deferred :: destroy
        procedure, private :: refuse_copy
        generic :: assignment(=) => refuse_copy
    end type

    abstract interface
        ! Gives up the object; nothing where there is none.
        subroutine give_up(self)
            import :: tulle_object
            class(tulle_object), intent(inout) :: self
        end subroutine
    end interface

    ! A place where work runs, with its memory and settings.
    type, extends(tulle_object), public :: tulle_context
    contains
        procedure :: create => context_create
        procedure :: synchronize => context_synchronize
        procedure :: set_repeatable => context_set_repeatable
        procedure :: bytes_in_use => context_bytes_in_use
        procedure :: destroy => context_destroy
        final :: context_final
    end type

    ! A sparse matrix in CSR: an immutable pattern, and values.
    type, extends(tulle_object), public :: tulle_matrix
    contains
        ! create_csr(ctx, offsets, columns, values [, cols]) makes a matrix of size(offsets) - 1 rows and as many columns,
        ! or cols (of the kind of columns). Row i has the entries offsets(i) to offsets(i + 1) - 1; offsets(1) is 1.
        generic :: create_csr => csr_i32_r32, csr_i32_r64, csr_i64_i32_r32, csr_i64_i32_r64, csr_i64_r32, csr_i64_r64
        ! set_values(ctx, values) copies new values of the matrix's kind into it; pattern and plans stay.
        generic :: set_values => set_values_r32, set_values_r64
        ! read(ctx, offsets, columns, values) allocates the arrays, of the matrix's kinds, and copies it to them.
        generic :: read => read_i32_r32_arrays, read_i32_r64_arrays, read_i64_i32_r32_arrays, &
            read_i64_i32_r64_arrays, read_i64_r32_arrays, read_i64_r64_arrays
        procedure :: sum_repeated => matrix_sum_repeated
        procedure :: optimize => matrix_optimize
        procedure :: rows => matrix_rows
        procedure :: cols => matrix_cols
        procedure :: nnz => matrix_nnz
        procedure :: destroy => matrix_destroy
        procedure, private :: csr_i32_r32, csr_i32_r64, csr_i64_i32_r32, csr_i64_i32_r64, csr_i64_r32, csr_i64_r64
        procedure, private :: read_i32_r32_arrays, read_i32_r64_arrays, read_i64_i32_r32_arrays, &
            read_i64_i32_r64_arrays, read_i64_r32_arrays, read_i64_r64_arrays
        procedure, private :: set_values_r32, set_values_r64
        final :: matrix_final
    end type

    ! A vector, or several that are the columns of a dense matrix, by columns.
    type, extends(tulle_object), public :: tulle_vector
    contains
        ! create(ctx, n [, cols] [, type]) makes n x cols numbers, not initialised, of tulle_f64 unless type says otherwise.
        ! create(ctx, array [, cols]) makes a vector with a copy of all numbers of an array of any rank, in their order in
        ! memory, or cols columns of equal length of them, of which cols is a divisor.
        generic :: create => create_n32, create_n64, create_r32, create_r64
        ! wrap(ctx, array [, cols]) makes a vector around the array, which calls then read and write in place; otherwise as
        ! create. The array is a target, contiguous, in the context's memory, and outlives the vector. A section that is not
        ! contiguous ends as tulle_invalid_argument.
        generic :: wrap => wrap_r32, wrap_r64
        ! write(ctx, array) copies an array of the vector's kind and size, of any rank such as a grid's, into it.
        generic :: write => write_r32, write_r64
        ! read(ctx, array) copies the vector to an array of its kind and size, of any rank.
        generic :: read => read_r32, read_r64
        procedure :: fill => vector_fill
        procedure :: rows => vector_rows
        procedure :: cols => vector_cols
        procedure :: destroy => vector_destroy
        procedure, private :: create_n32, create_n64, create_r32, create_r64, wrap_r32, wrap_r64, write_r32, write_r64, &
            read_r32, read_r64
        final :: vector_final
    end type

    ! A communicator: the way of one process, or one thread, to the others that share rows. tulle_comm_threads makes those of
    ! threads, and module tulle_mpi (tulle_mpi.f90) that of MPI.
    type, extends(tulle_object), public :: tulle_comm
    contains
        procedure :: rank => comm_rank
        procedure :: ranks => comm_ranks
        procedure :: share => comm_share
        procedure :: set_checking => comm_set_checking
        procedure :: destroy => comm_destroy
        final :: comm_final
    end type

    ! A matrix whose rows are shared by the processes of a communicator. Each has rows that follow each other, and vectors of
    ! these rows. All processes call its procedures in the same order, unless one says otherwise; an array of a wrong length
    ! ends the call of a procedure that makes an object as tulle_peer_failed in the other processes.
    type, extends(tulle_object), public :: tulle_dist_matrix
    contains
        ! create_csr(ctx, comm, offsets, columns, values [, cols]) makes a matrix of this process's rows: size(offsets) - 1
        ! rows, whose columns are those of the whole matrix, from 1 on; offsets and columns are int64, offsets(1) is 1. cols
        ! is the number of rows of x that this process has, as many as rows where it is left out.
        generic :: create_csr => dist_csr_r32, dist_csr_r64
        ! set_values(offsets, columns, values) copies new values into this process's rows, for the offsets and columns that
        ! create_csr was given. Called by whoever has new values.
        generic :: set_values => dist_values_r32, dist_values_r64
        ! gather(ctx, comm, X, root, array) copies a vector, whose rows are shared as those of the matrix, to an array of
        ! process root, of the vector's kind, by columns; the array of other processes is not looked at.
        generic :: gather => gather_r32, gather_r64
        procedure :: multiply => dist_multiply
        procedure :: partition => dist_partition
        procedure :: rows => dist_rows
        procedure :: nnz => dist_nnz
        procedure :: first_row => dist_first_row
        procedure :: local_rows => dist_local_rows
        procedure :: destroy => dist_destroy
        procedure, private :: dist_csr_r32, dist_csr_r64, dist_values_r32, dist_values_r64, gather_r32, gather_r64
        final :: dist_final
    end type

    ! The way of vectors to rows that partition of tulle_dist_matrix has moved, and back.
    type, extends(tulle_object), public :: tulle_dist_order
    contains
        procedure :: permute => order_permute
        procedure :: unpermute => order_unpermute
        procedure :: destroy => order_destroy
        final :: order_final
    end type

    ! Factors of a matrix, complete or incomplete.
    type, extends(tulle_object), public :: tulle_factor
    contains
        procedure :: create => factor_create
        procedure :: update => factor_update
        procedure :: pivots => factor_pivots
        procedure :: solve => factor_solve
        procedure :: destroy => factor_destroy
        final :: factor_final
    end type

    ! A linear operator A of the caller's, such as a product without a matrix: a type that extends this one has the data.
    type, abstract, public :: tulle_operator
    contains
        procedure(apply_operator), deferred :: apply
    end type

    abstract interface
        ! Computes Y := A X, for vectors of as many columns as they please; ctx, X and Y are lent for the call. stat is 0, or a
        ! status of this module, with which the call that needed A then fails.
        subroutine apply_operator(self, ctx, X, Y, stat)
            import :: tulle_context, tulle_operator, tulle_vector
            class(tulle_operator), intent(inout) :: self
            type(tulle_context), intent(in) :: ctx
            type(tulle_vector), intent(in) :: X
            type(tulle_vector), intent(inout) :: Y
            integer, intent(out) :: stat
        end subroutine
    end interface

    ! An operator of the caller's on its way through the C library.
    type :: operator_box
        class(tulle_operator), pointer :: held => null()
    end type

    ! A linear operator or a preconditioner; it keeps the objects that it was made from.
    type, extends(tulle_object), public :: tulle_linop
    contains
        ! from_matrix(ctx, A) makes the operator of a tulle_matrix, or of this process's rows of a tulle_dist_matrix: a solver
        ! of that sums over all processes.
        generic :: from_matrix => linop_from_matrix, linop_from_shared
        procedure :: from_factor => linop_from_factor
        procedure :: from_operator => linop_from_operator
        procedure :: jacobi => linop_jacobi
        procedure :: apply => linop_apply
        procedure :: renew => linop_renew
        procedure :: destroy => linop_destroy
        procedure, private :: linop_from_matrix, linop_from_shared
        final :: linop_final
    end type

    ! The preconditioner that is one cycle of algebraic multigrid; it keeps the matrix.
    type, extends(tulle_linop), public :: tulle_amg
    contains
        ! create(ctx, A, ...) makes a hierarchy of a tulle_matrix, or over all processes' rows of a tulle_dist_matrix.
        generic :: create => amg_create, amg_create_shared
        procedure :: update => amg_update
        procedure :: levels => amg_levels
        procedure, private :: amg_create, amg_create_shared
    end type

    ! An iterative method with its vectors, for many systems with one operator.
    type, extends(tulle_object), public :: tulle_solver
    contains
        procedure :: create => solver_create
        procedure :: run => solver_run
        procedure :: destroy => solver_destroy
        final :: solver_final
    end type

    ! Outcome of a solution. The names and reasons are filled in by tulle_solve alone.
    type, public :: tulle_report
        integer(c_int) :: outcome = tulle_stopped  ! reason why the solution ended, tulle_converged or another
        integer(int64) :: iterations = 0           ! number of iterations
        real(real64) :: start_norm = 0             ! norm of the residual b - A x at the start
        real(real64) :: norm = 0                   ! norm of the residual at the end, computed anew from x
        real(real64) :: limit = 0                  ! limit that the norm was to reach
        real(real64) :: setup_ms = 0               ! time before the first iteration, in milliseconds
        real(real64) :: solve_ms = 0               ! time of the rest, in milliseconds
        character(16) :: method = ''               ! name of the method
        character(32) :: precond = ''              ! name of the preconditioner
        character(256) :: method_why = ''          ! reason for the method
        character(256) :: precond_why = ''         ! reason for the preconditioner
    contains
        procedure :: converged => report_converged
        procedure :: text => report_text
    end type

    ! Structs of the C library, in the order of their fields there. check_structs compares their sizes.
    type, bind(c) :: c_error
        integer(c_int) :: status
        type(c_ptr) :: function, argument
        integer(c_int64_t) :: row
        type(c_ptr) :: file
        integer(c_int64_t) :: line
        type(c_ptr) :: message
    end type
    type, bind(c) :: c_scalar
        real(c_double) :: number
        type(c_ptr) :: address
    end type
    type, bind(c) :: c_result
        type(c_ptr) :: number, address
    end type
    type, bind(c) :: c_memory_usage
        integer(c_size_t) :: in_use, high, pooled, workspace
    end type
    type, bind(c) :: c_mat_options
        integer(c_int) :: base = 1, ownership = 0
        type(c_funptr) :: release = c_null_funptr
        type(c_ptr) :: user = c_null_ptr
        logical(c_bool) :: pattern = .false._c_bool
    end type
    type, bind(c) :: c_storage
        integer(c_int64_t) :: stored, width, stride, head, slice, window, coded, block
        logical(c_bool) :: full
        integer(c_int) :: sections
        integer(c_int64_t) :: section_row(34), section_at(34), heads, block_cols
    end type
    type, bind(c) :: c_mat_info
        integer(c_int64_t) :: rows, cols, nnz
        integer(c_int) :: format, type, index, backend
        integer(c_int64_t) :: pattern_bytes, value_bytes, plan_bytes
        logical(c_bool) :: sorted
        integer(c_int64_t) :: min_row, max_row, empty_rows
        real(c_double) :: mean_row, sd_row
        integer(c_int64_t) :: bandwidth, row_histogram(33)
        type(c_storage) :: storage
    end type
    type, bind(c) :: c_vec_info
        integer(c_int64_t) :: rows = 0, cols = 0, ld = 0
        integer(c_int) :: type = 0, layout = 0, backend = 0
        integer(c_int64_t) :: bytes = 0
        type(c_ptr) :: data = c_null_ptr
    end type
    type, bind(c) :: c_factor_options
        integer(c_int) :: kind = 0, fill = 0, reads = 0
        type(c_ptr) :: order = c_null_ptr, row_scale = c_null_ptr, col_scale = c_null_ptr
        real(c_double) :: modified = 0, shift = 0, tiny = 0
        logical(c_bool) :: boost = .false._c_bool, inverted = .false._c_bool, single = .false._c_bool
    end type
    type, bind(c) :: c_factor_report
        integer(c_int64_t) :: tiny = 0, tiny_row = -1, bad = 0, bad_row = -1
    end type
    type, bind(c) :: c_factor_info
        integer(c_int64_t) :: rows
        integer(c_int) :: block, kind, type
        integer(c_int64_t) :: nnz_a, nnz_l, nnz_u, levels, bytes
        real(c_double) :: analysis_ms, flops
    end type
    type, bind(c) :: c_linop_functions
        type(c_funptr) :: apply = c_null_funptr, apply_transposed = c_null_funptr, diagonal = c_null_funptr, &
            destroy = c_null_funptr
        logical(c_bool) :: capturable = .false._c_bool
    end type
    type, bind(c) :: c_amg_options
        real(c_double) :: strength = 0, most_sum = 0
        integer(c_int) :: interpolation_entries = 0, degree = 0, most_levels = 0
        integer(c_int64_t) :: coarsest_rows = 0
        integer(c_int) :: passing = 0, family = 0
        logical(c_bool) :: keep_plans = .false._c_bool
        integer(c_int) :: precision = 0
        integer(c_int64_t) :: gathered_rows = 0
        integer(c_int) :: block = 0
        type(c_ptr) :: near_null = c_null_ptr
    end type
    type, bind(c) :: c_amg_info
        integer(c_int) :: levels
        real(c_double) :: operator_complexity, grid_complexity
        logical(c_bool) :: stalled, single
        real(c_double) :: setup_ms
        integer(c_int64_t) :: bytes
        integer(c_int) :: shared_levels, block, near_null
        integer(c_int64_t) :: dropped
    end type
    type, bind(c) :: c_solver_options
        integer(c_int) :: method = 0
        real(c_double) :: tolerance = 0, absolute = 0
        integer(c_int) :: norm = 0
        integer(c_int64_t) :: max_iterations = 0
        real(c_double) :: max_seconds = 0
        integer(c_int64_t) :: patience = 0
        logical(c_bool) :: guess = .false._c_bool
        integer(c_int) :: restart = 0
        real(c_double) :: lowest = 0, highest = 0
        logical(c_bool) :: constant_null_space = .false._c_bool
        type(c_ptr) :: null_space = c_null_ptr
        type(c_funptr) :: monitor = c_null_funptr
        type(c_ptr) :: monitor_user = c_null_ptr
        type(c_funptr) :: sum = c_null_funptr
        type(c_ptr) :: sum_user = c_null_ptr, single_A = c_null_ptr, single_M = c_null_ptr
        real(c_double) :: single_scale = 0
        type(c_ptr) :: comm = c_null_ptr
    end type
    type, bind(c) :: c_solver_report
        integer(c_int) :: outcome
        integer(c_int64_t) :: iterations, begun_anew, products, preconditions
        real(c_double) :: start_norm, norm, limit, setup_ms, solve_ms
    end type
    type, bind(c) :: c_solve_options
        type(c_ptr) :: method = c_null_ptr, precond = c_null_ptr
        real(c_double) :: shift = 0, precond_lowest = 0, precond_highest = 0
        logical(c_bool) :: keep_format = .false._c_bool, mixed = .false._c_bool
        type(c_ptr) :: instead = c_null_ptr
        integer(c_int) :: max_attempts = 0, block = 0
        type(c_ptr) :: near_null = c_null_ptr, keep_precond = c_null_ptr
        type(c_solver_options) :: solver
    end type
    type, bind(c) :: c_solve_attempt
        integer(c_int) :: method
        character(kind=c_char) :: precond(32)
        logical(c_bool) :: permuted, made
        integer(c_int) :: outcome
        integer(c_int64_t) :: iterations, row
        real(c_double) :: norm, ms
    end type
    type, bind(c) :: c_facts
        integer(c_int64_t) :: diagonal, diagonal_zero, diagonal_positive, empty_diagonal, off_diagonal, off_positive, &
            mirrored, equal, alike, opposite, indefinite_pairs, not_dominant, zeros, not_finite, bad_row, bad_column
        real(c_double) :: smallest, largest
        integer(c_int64_t) :: block
        real(c_double) :: block_filled
        logical(c_bool) :: symmetric
        integer(c_int64_t) :: uneven, near
        logical(c_bool) :: nearly_symmetric
    end type
    type, bind(c) :: c_solve_report
        type(c_solver_report) :: solver
        integer(c_int) :: method
        character(kind=c_char) :: precond(32)
        logical(c_bool) :: permuted
        integer(c_int) :: restart
        character(kind=c_char) :: method_why(256), precond_why(256), format_why(256)
        type(c_facts) :: facts
        type(c_factor_info) :: factors
        type(c_amg_info) :: hierarchy
        type(c_mat_info) :: solved
        integer(c_int) :: attempts, used
        type(c_solve_attempt) :: attempt(8)
        real(c_double) :: choose_ms, convert_ms, precond_ms, create_ms
    end type

    type, bind(c) :: c_dist_mat_info
        integer(c_int64_t) :: rows = 0, cols = 0, nnz = 0, first_row = -1, local_rows = 0, first_col = -1, local_cols = 0, &
            local_nnz = 0, edge_rows = 0, received = 0, sent = 0
        integer(c_int) :: receives_from = 0, sends_to = 0, type = 0
    end type

    ! Functions of the C library. A struct of options is followed by its size, so that a later library knows which fields
    ! this module has.
    interface
        function c_strlen(text) bind(c, name="strlen") result(code)
            import :: c_ptr, c_size_t
            type(c_ptr), value :: text
            integer(c_size_t) :: code
        end function
        function c_struct_size(name) bind(c, name="tulle_struct_size") result(code)
            import :: c_char, c_int64_t
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int64_t) :: code
        end function
        function c_last_error() bind(c, name="tulle_last_error") result(code)
            import :: c_ptr
            type(c_ptr) :: code
        end function
        function c_ctx_create_sized(place, options, options_size, ctx) bind(c, name="tulle_ctx_create_sized") result(code)
            import :: c_char, c_int, c_ptr, c_size_t
            character(kind=c_char), intent(in) :: place(*)
            type(c_ptr), value :: options
            integer(c_size_t), value :: options_size
            type(c_ptr), intent(inout) :: ctx
            integer(c_int) :: code
        end function
        function c_ctx_synchronize(ctx) bind(c, name="tulle_ctx_synchronize") result(code)
            import :: c_int, c_ptr
            type(c_ptr), value :: ctx
            integer(c_int) :: code
        end function
        function c_ctx_set_repeatable(ctx, on) bind(c, name="tulle_ctx_set_repeatable") result(code)
            import :: c_bool, c_int, c_ptr
            type(c_ptr), value :: ctx
            logical(c_bool), value :: on
            integer(c_int) :: code
        end function
        function c_ctx_memory(ctx, usage) bind(c, name="tulle_ctx_memory") result(code)
            import :: c_int, c_memory_usage, c_ptr
            type(c_ptr), value :: ctx
            type(c_memory_usage), intent(out) :: usage
            integer(c_int) :: code
        end function
        subroutine c_ctx_destroy(ctx) bind(c, name="tulle_ctx_destroy")
            import :: c_ptr
            type(c_ptr), value :: ctx
        end subroutine
        function c_mat_create_csr_sized(ctx, rows, cols, nnz, index, offsets, columns, type, values, options, &
                options_size, A) bind(c, name="tulle_mat_create_csr_sized") result(code)
            import :: c_int, c_int64_t, c_mat_options, c_ptr, c_size_t
            type(c_ptr), value :: ctx
            integer(c_int64_t), value :: rows, cols, nnz
            integer(c_int), value :: index
            type(*), intent(in) :: offsets(*), columns(*)
            integer(c_int), value :: type
            type(*), intent(in) :: values(*)
            type(c_mat_options), intent(in) :: options
            integer(c_size_t), value :: options_size
            type(c_ptr), intent(inout) :: A
            integer(c_int) :: code
        end function
        function c_mat_set_values(ctx, A, count, values) bind(c, name="tulle_mat_set_values") result(code)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: ctx, A
            integer(c_int64_t), value :: count
            type(*), intent(in) :: values(*)
            integer(c_int) :: code
        end function
        function c_mat_optimize(ctx, op, A, expected_calls) bind(c, name="tulle_mat_optimize") result(code)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: ctx
            integer(c_int), value :: op
            type(c_ptr), value :: A
            integer(c_int64_t), value :: expected_calls
            integer(c_int) :: code
        end function
        function c_mat_describe(A, info) bind(c, name="tulle_mat_describe") result(code)
            import :: c_int, c_mat_info, c_ptr
            type(c_ptr), value :: A
            type(c_mat_info), intent(out) :: info
            integer(c_int) :: code
        end function
        pure function c_mat_rows(A) bind(c, name="tulle_mat_rows") result(code)
            import :: c_int64_t, c_ptr
            type(c_ptr), value :: A
            integer(c_int64_t) :: code
        end function
        pure function c_mat_cols(A) bind(c, name="tulle_mat_cols") result(code)
            import :: c_int64_t, c_ptr
            type(c_ptr), value :: A
            integer(c_int64_t) :: code
        end function
        pure function c_mat_nnz(A) bind(c, name="tulle_mat_nnz") result(code)
            import :: c_int64_t, c_ptr
            type(c_ptr), value :: A
            integer(c_int64_t) :: code
        end function
        function c_mat_read(ctx, A, offsets, rows, columns, values) bind(c, name="tulle_mat_read") result(code)
            import :: c_int, c_ptr
            type(c_ptr), value :: ctx, A
            type(*), intent(inout) :: offsets(*)
            type(c_ptr), value :: rows
            type(*), intent(inout) :: columns(*), values(*)
            integer(c_int) :: code
        end function
        function c_mat_convert(ctx, A, format, index, flags, B) bind(c, name="tulle_mat_convert") result(code)
            import :: c_int, c_ptr
            type(c_ptr), value :: ctx, A
            integer(c_int), value :: format, index, flags
            type(c_ptr), intent(inout) :: B
            integer(c_int) :: code
        end function
        function c_mat_transpose(ctx, A, B) bind(c, name="tulle_mat_transpose") result(code)
            import :: c_int, c_ptr
            type(c_ptr), value :: ctx, A
            type(c_ptr), intent(inout) :: B
            integer(c_int) :: code
        end function
        subroutine c_mat_destroy(A) bind(c, name="tulle_mat_destroy")
            import :: c_ptr
            type(c_ptr), value :: A
        end subroutine
        function c_vec_create_columns(ctx, type, rows, cols, layout, ld, X) bind(c, &
                name="tulle_vec_create_columns") result(code)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: ctx
            integer(c_int), value :: type
            integer(c_int64_t), value :: rows, cols
            integer(c_int), value :: layout
            integer(c_int64_t), value :: ld
            type(c_ptr), intent(inout) :: X
            integer(c_int) :: code
        end function
        function c_vec_wrap(ctx, type, rows, cols, layout, ld, data, X) bind(c, name="tulle_vec_wrap") result(code)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: ctx
            integer(c_int), value :: type
            integer(c_int64_t), value :: rows, cols
            integer(c_int), value :: layout
            integer(c_int64_t), value :: ld
            type(c_ptr), value :: data
            type(c_ptr), intent(inout) :: X
            integer(c_int) :: code
        end function
        function c_vec_describe(X, info) bind(c, name="tulle_vec_describe") result(code)
            import :: c_int, c_ptr, c_vec_info
            type(c_ptr), value :: X
            type(c_vec_info), intent(inout) :: info
            integer(c_int) :: code
        end function
        function c_vec_write(ctx, X, host, ld) bind(c, name="tulle_vec_write") result(code)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: ctx, X, host
            integer(c_int64_t), value :: ld
            integer(c_int) :: code
        end function
        function c_vec_read(ctx, X, host, ld) bind(c, name="tulle_vec_read") result(code)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: ctx, X, host
            integer(c_int64_t), value :: ld
            integer(c_int) :: code
        end function
        function c_vec_fill(ctx, X, value) bind(c, name="tulle_vec_fill") result(code)
            import :: c_double, c_int, c_ptr
            type(c_ptr), value :: ctx, X
            real(c_double), value :: value
            integer(c_int) :: code
        end function
        function c_vec_copy(ctx, X, Y) bind(c, name="tulle_vec_copy") result(code)
            import :: c_int, c_ptr
            type(c_ptr), value :: ctx, X, Y
            integer(c_int) :: code
        end function
        function c_vec_axpby(ctx, alpha, X, beta, Y) bind(c, name="tulle_vec_axpby") result(code)
            import :: c_int, c_ptr, c_scalar
            type(c_ptr), value :: ctx
            type(c_scalar), value :: alpha
            type(c_ptr), value :: X
            type(c_scalar), value :: beta
            type(c_ptr), value :: Y
            integer(c_int) :: code
        end function
        function c_vec_dot(ctx, X, Y, results) bind(c, name="tulle_vec_dot") result(code)
            import :: c_int, c_ptr, c_result
            type(c_ptr), value :: ctx, X, Y
            type(c_result), value :: results
            integer(c_int) :: code
        end function
        function c_vec_norm2(ctx, X, results) bind(c, name="tulle_vec_norm2") result(code)
            import :: c_int, c_ptr, c_result
            type(c_ptr), value :: ctx, X
            type(c_result), value :: results
            integer(c_int) :: code
        end function
        subroutine c_vec_destroy(X) bind(c, name="tulle_vec_destroy")
            import :: c_ptr
            type(c_ptr), value :: X
        end subroutine
        function c_spmv(ctx, op, alpha, A, x, beta, y) bind(c, name="tulle_spmv") result(code)
            import :: c_int, c_ptr, c_scalar
            type(c_ptr), value :: ctx
            integer(c_int), value :: op
            type(c_scalar), value :: alpha
            type(c_ptr), value :: A, x
            type(c_scalar), value :: beta
            type(c_ptr), value :: y
            integer(c_int) :: code
        end function
        function c_spmm(ctx, op, alpha, A, X, beta, Y) bind(c, name="tulle_spmm") result(code)
            import :: c_int, c_ptr, c_scalar
            type(c_ptr), value :: ctx
            integer(c_int), value :: op
            type(c_scalar), value :: alpha
            type(c_ptr), value :: A, X
            type(c_scalar), value :: beta
            type(c_ptr), value :: Y
            integer(c_int) :: code
        end function
        function c_spgemm_sized(ctx, op_A, op_B, alpha, A, B, options, options_size, report, C) bind(c, &
                name="tulle_spgemm_sized") result(code)
            import :: c_int, c_ptr, c_scalar, c_size_t
            type(c_ptr), value :: ctx
            integer(c_int), value :: op_A, op_B
            type(c_scalar), value :: alpha
            type(c_ptr), value :: A, B, options
            integer(c_size_t), value :: options_size
            type(c_ptr), value :: report
            type(c_ptr), intent(inout) :: C
            integer(c_int) :: code
        end function
        function c_spgemm_update(ctx, op_A, op_B, alpha, A, B, C) bind(c, name="tulle_spgemm_update") result(code)
            import :: c_int, c_ptr, c_scalar
            type(c_ptr), value :: ctx
            integer(c_int), value :: op_A, op_B
            type(c_scalar), value :: alpha
            type(c_ptr), value :: A, B, C
            integer(c_int) :: code
        end function
        function c_spgemm_galerkin_sized(ctx, alpha, A, P, options, options_size, report, C) bind(c, &
                name="tulle_spgemm_galerkin_sized") result(code)
            import :: c_int, c_ptr, c_scalar, c_size_t
            type(c_ptr), value :: ctx
            type(c_scalar), value :: alpha
            type(c_ptr), value :: A, P, options
            integer(c_size_t), value :: options_size
            type(c_ptr), value :: report
            type(c_ptr), intent(inout) :: C
            integer(c_int) :: code
        end function
        function c_spgemm_galerkin_update(ctx, alpha, A, P, C) bind(c, name="tulle_spgemm_galerkin_update") result(code)
            import :: c_int, c_ptr, c_scalar
            type(c_ptr), value :: ctx
            type(c_scalar), value :: alpha
            type(c_ptr), value :: A, P, C
            integer(c_int) :: code
        end function
        function c_trisolve(ctx, part, diag, op, alpha, A, B, X) bind(c, name="tulle_trisolve") result(code)
            import :: c_int, c_ptr, c_scalar
            type(c_ptr), value :: ctx
            integer(c_int), value :: part, diag, op
            type(c_scalar), value :: alpha
            type(c_ptr), value :: A, B, X
            integer(c_int) :: code
        end function
        function c_add_sized(ctx, op_A, op_B, alpha, A, beta, B, options, options_size, report, C) bind(c, &
                name="tulle_add_sized") result(code)
            import :: c_int, c_ptr, c_scalar, c_size_t
            type(c_ptr), value :: ctx
            integer(c_int), value :: op_A, op_B
            type(c_scalar), value :: alpha
            type(c_ptr), value :: A
            type(c_scalar), value :: beta
            type(c_ptr), value :: B, options
            integer(c_size_t), value :: options_size
            type(c_ptr), value :: report
            type(c_ptr), intent(inout) :: C
            integer(c_int) :: code
        end function
        function c_factor_create_sized(ctx, A, options, options_size, F) bind(c, name="tulle_factor_create_sized") result(code)
            import :: c_factor_options, c_int, c_ptr, c_size_t
            type(c_ptr), value :: ctx, A
            type(c_factor_options), intent(in) :: options
            integer(c_size_t), value :: options_size
            type(c_ptr), intent(inout) :: F
            integer(c_int) :: code
        end function
        function c_factor_update(ctx, F, A) bind(c, name="tulle_factor_update") result(code)
            import :: c_int, c_ptr
            type(c_ptr), value :: ctx, F, A
            integer(c_int) :: code
        end function
        function c_factor_status(ctx, F, report) bind(c, name="tulle_factor_status") result(code)
            import :: c_factor_report, c_int, c_ptr
            type(c_ptr), value :: ctx, F
            type(c_factor_report), intent(inout) :: report
            integer(c_int) :: code
        end function
        function c_factor_solve(ctx, op, alpha, F, B, X) bind(c, name="tulle_factor_solve") result(code)
            import :: c_int, c_ptr, c_scalar
            type(c_ptr), value :: ctx
            integer(c_int), value :: op
            type(c_scalar), value :: alpha
            type(c_ptr), value :: F, B, X
            integer(c_int) :: code
        end function
        subroutine c_factor_destroy(F) bind(c, name="tulle_factor_destroy")
            import :: c_ptr
            type(c_ptr), value :: F
        end subroutine
        function c_linop_from_mat(ctx, A, L) bind(c, name="tulle_linop_from_mat") result(code)
            import :: c_int, c_ptr
            type(c_ptr), value :: ctx, A
            type(c_ptr), intent(inout) :: L
            integer(c_int) :: code
        end function
        function c_linop_from_factor(ctx, F, type, L) bind(c, name="tulle_linop_from_factor") result(code)
            import :: c_int, c_ptr
            type(c_ptr), value :: ctx, F
            integer(c_int), value :: type
            type(c_ptr), intent(inout) :: L
            integer(c_int) :: code
        end function
        function c_linop_create(ctx, type, rows, cols, functions, self, L) bind(c, name="tulle_linop_create") result(code)
            import :: c_int, c_int64_t, c_linop_functions, c_ptr
            type(c_ptr), value :: ctx
            integer(c_int), value :: type
            integer(c_int64_t), value :: rows, cols
            type(c_linop_functions), intent(in) :: functions
            type(c_ptr), value :: self
            type(c_ptr), intent(inout) :: L
            integer(c_int) :: code
        end function
        function c_linop_jacobi(ctx, A, L) bind(c, name="tulle_linop_jacobi") result(code)
            import :: c_int, c_ptr
            type(c_ptr), value :: ctx, A
            type(c_ptr), intent(inout) :: L
            integer(c_int) :: code
        end function
        function c_linop_apply(ctx, op, alpha, L, X, beta, Y) bind(c, name="tulle_linop_apply") result(code)
            import :: c_int, c_ptr, c_scalar
            type(c_ptr), value :: ctx
            integer(c_int), value :: op
            type(c_scalar), value :: alpha
            type(c_ptr), value :: L, X
            type(c_scalar), value :: beta
            type(c_ptr), value :: Y
            integer(c_int) :: code
        end function
        function c_linop_renew(ctx, L) bind(c, name="tulle_linop_renew") result(code)
            import :: c_int, c_ptr
            type(c_ptr), value :: ctx, L
            integer(c_int) :: code
        end function
        subroutine c_linop_destroy(L) bind(c, name="tulle_linop_destroy")
            import :: c_ptr
            type(c_ptr), value :: L
        end subroutine
        function c_amg_create_sized(ctx, A, options, options_size, M) bind(c, name="tulle_amg_create_sized") result(code)
            import :: c_amg_options, c_int, c_ptr, c_size_t
            type(c_ptr), value :: ctx, A
            type(c_amg_options), intent(in) :: options
            integer(c_size_t), value :: options_size
            type(c_ptr), intent(inout) :: M
            integer(c_int) :: code
        end function
        function c_amg_update(ctx, M, A, how) bind(c, name="tulle_amg_update") result(code)
            import :: c_int, c_ptr
            type(c_ptr), value :: ctx, M, A
            integer(c_int), value :: how
            integer(c_int) :: code
        end function
        function c_amg_describe(M, info) bind(c, name="tulle_amg_describe") result(code)
            import :: c_amg_info, c_int, c_ptr
            type(c_ptr), value :: M
            type(c_amg_info), intent(out) :: info
            integer(c_int) :: code
        end function
        function c_solver_create_sized(ctx, A, M, options, options_size, S) bind(c, &
                name="tulle_solver_create_sized") result(code)
            import :: c_int, c_ptr, c_size_t, c_solver_options
            type(c_ptr), value :: ctx, A, M
            type(c_solver_options), intent(in) :: options
            integer(c_size_t), value :: options_size
            type(c_ptr), intent(inout) :: S
            integer(c_int) :: code
        end function
        function c_solver_run(ctx, S, b, x, report) bind(c, name="tulle_solver_run") result(code)
            import :: c_int, c_ptr, c_solver_report
            type(c_ptr), value :: ctx, S, b, x
            type(c_solver_report), intent(out) :: report
            integer(c_int) :: code
        end function
        subroutine c_solver_destroy(S) bind(c, name="tulle_solver_destroy")
            import :: c_ptr
            type(c_ptr), value :: S
        end subroutine
        function c_solve_sized(ctx, A, b, x, options, options_size, report) bind(c, name="tulle_solve_sized") result(code)
            import :: c_int, c_ptr, c_size_t, c_solve_options, c_solve_report
            type(c_ptr), value :: ctx, A, b, x
            type(c_solve_options), intent(in) :: options
            integer(c_size_t), value :: options_size
            type(c_solve_report), intent(out) :: report
            integer(c_int) :: code
        end function
        function c_comm_create_threads(ranks, timeout, comms) bind(c, name="tulle_comm_create_threads") result(code)
            import :: c_double, c_int, c_ptr
            integer(c_int), value :: ranks
            real(c_double), value :: timeout
            type(c_ptr), intent(inout) :: comms(*)
            integer(c_int) :: code
        end function
        function c_comm_rank(comm) bind(c, name="tulle_comm_rank") result(code)
            import :: c_int, c_ptr
            type(c_ptr), value :: comm
            integer(c_int) :: code
        end function
        function c_comm_ranks(comm) bind(c, name="tulle_comm_ranks") result(code)
            import :: c_int, c_ptr
            type(c_ptr), value :: comm
            integer(c_int) :: code
        end function
        function c_comm_set_checking(comm, on) bind(c, name="tulle_comm_set_checking") result(code)
            import :: c_bool, c_int, c_ptr
            type(c_ptr), value :: comm
            logical(c_bool), value :: on
            integer(c_int) :: code
        end function
        subroutine c_comm_destroy(comm) bind(c, name="tulle_comm_destroy")
            import :: c_ptr
            type(c_ptr), value :: comm
        end subroutine
        function c_dist_share(n, ranks, rank, first) bind(c, name="tulle_dist_share") result(code)
            import :: c_int, c_int64_t
            integer(c_int64_t), value :: n
            integer(c_int), value :: ranks, rank
            integer(c_int64_t), intent(inout) :: first
            integer(c_int64_t) :: code
        end function
        function c_dist_mat_create(ctx, comm, rows, cols, offsets, columns, type, values, A) bind(c, &
                name="tulle_dist_mat_create") result(code)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: ctx, comm
            integer(c_int64_t), value :: rows, cols
            integer(c_int64_t), intent(in) :: offsets(*), columns(*)
            integer(c_int), value :: type
            type(*), intent(in) :: values(*)
            type(c_ptr), intent(inout) :: A
            integer(c_int) :: code
        end function
        function c_dist_mat_set_values(A, offsets, columns, values) bind(c, name="tulle_dist_mat_set_values") result(code)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: A
            integer(c_int64_t), intent(in) :: offsets(*), columns(*)
            type(*), intent(in) :: values(*)
            integer(c_int) :: code
        end function
        function c_dist_mat_describe(A, info) bind(c, name="tulle_dist_mat_describe") result(code)
            import :: c_dist_mat_info, c_int, c_ptr
            type(c_ptr), value :: A
            type(c_dist_mat_info), intent(inout) :: info
            integer(c_int) :: code
        end function
        function c_dist_mat_multiply(ctx, op, alpha, A, X, beta, Y) bind(c, name="tulle_dist_mat_multiply") result(code)
            import :: c_int, c_ptr, c_scalar
            type(c_ptr), value :: ctx
            integer(c_int), value :: op
            type(c_scalar), value :: alpha
            type(c_ptr), value :: A, X
            type(c_scalar), value :: beta
            type(c_ptr), value :: Y
            integer(c_int) :: code
        end function
        function c_dist_mat_partition(ctx, A, B, P) bind(c, name="tulle_dist_mat_partition") result(code)
            import :: c_int, c_ptr
            type(c_ptr), value :: ctx, A
            type(c_ptr), intent(inout) :: B, P
            integer(c_int) :: code
        end function
        subroutine c_dist_mat_destroy(A) bind(c, name="tulle_dist_mat_destroy")
            import :: c_ptr
            type(c_ptr), value :: A
        end subroutine
        function c_dist_vec_permute(ctx, P, X, Y) bind(c, name="tulle_dist_vec_permute") result(code)
            import :: c_int, c_ptr
            type(c_ptr), value :: ctx, P, X, Y
            integer(c_int) :: code
        end function
        function c_dist_vec_unpermute(ctx, P, Y, X) bind(c, name="tulle_dist_vec_unpermute") result(code)
            import :: c_int, c_ptr
            type(c_ptr), value :: ctx, P, Y, X
            integer(c_int) :: code
        end function
        subroutine c_dist_order_destroy(P) bind(c, name="tulle_dist_order_destroy")
            import :: c_ptr
            type(c_ptr), value :: P
        end subroutine
        function c_dist_dot(ctx, comm, X, Y, results) bind(c, name="tulle_dist_dot") result(code)
            import :: c_int, c_ptr
            type(c_ptr), value :: ctx, comm, X, Y, results
            integer(c_int) :: code
        end function
        function c_dist_norm2(ctx, comm, X, results) bind(c, name="tulle_dist_norm2") result(code)
            import :: c_int, c_ptr
            type(c_ptr), value :: ctx, comm, X, results
            integer(c_int) :: code
        end function
        function c_dist_gather(ctx, comm, X, root, host) bind(c, name="tulle_dist_gather") result(code)
            import :: c_int, c_ptr
            type(c_ptr), value :: ctx, comm, X
            integer(c_int), value :: root
            type(c_ptr), value :: host
            integer(c_int) :: code
        end function
        function c_linop_from_dist(ctx, A, L) bind(c, name="tulle_linop_from_dist") result(code)
            import :: c_int, c_ptr
            type(c_ptr), value :: ctx, A
            type(c_ptr), intent(inout) :: L
            integer(c_int) :: code
        end function
        function c_amg_create_dist_sized(ctx, A, options, options_size, M) bind(c, &
                name="tulle_amg_create_dist_sized") result(code)
            import :: c_amg_options, c_int, c_ptr, c_size_t
            type(c_ptr), value :: ctx, A
            type(c_amg_options), intent(in) :: options
            integer(c_size_t), value :: options_size
            type(c_ptr), intent(inout) :: M
            integer(c_int) :: code
        end function
        function c_dist_solve_sized(ctx, A, b, x, options, options_size, report) bind(c, &
                name="tulle_dist_solve_sized") result(code)
            import :: c_int, c_ptr, c_size_t, c_solve_options, c_solve_report
            type(c_ptr), value :: ctx, A, b, x
            type(c_solve_options), intent(in) :: options
            integer(c_size_t), value :: options_size
            type(c_solve_report), intent(out) :: report
            integer(c_int) :: code
        end function
        function c_method_name(method) bind(c, name="tulle_method_name") result(code)
            import :: c_int, c_ptr
            integer(c_int), value :: method
            type(c_ptr) :: code
        end function
        function c_outcome_text(outcome) bind(c, name="tulle_outcome_text") result(code)
            import :: c_int, c_ptr
            integer(c_int), value :: outcome
            type(c_ptr) :: code
        end function
    end interface

contains

    ! Errors.

    ! Ends a call with the status of the C library: stat and message as the head of this file says.
    subroutine finish(status, stat, message)
        integer(c_int), intent(in) :: status
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        type(c_error), pointer :: last
        if (status == tulle_ok) then
            if (present(stat)) stat = tulle_ok
            return
        end if
        call c_f_pointer(c_last_error(), last)
        call fail(int(status), counted_from_1(text_at(last%message), last%row + 1), stat, message)
    end subroutine

    ! Returns the text of a failure in which a row, 0 for none, is counted as in Fortran: where the library counts from 0, as
    ! it does unless arrays that count from 1 are at fault, the row stands before the text.
    pure function counted_from_1(text, row) result(counted)
        character(*), intent(in) :: text
        integer(int64), intent(in) :: row
        character(:), allocatable :: counted
        character(20) :: number
        counted = text
        if (row < 1) return
        write (number, '(i0)') row
        if (index(text, 'row ' // trim(number)) > 0) return
        counted = 'row ' // trim(number) // ', counted from 1; the rest counts from 0: ' // text
    end function

    ! Ends a call that this module refuses. The library then has no older record of a row at fault: its last failure is that
    ! of a context that is missing, which has none.
    subroutine refuse(status, text, stat, message)
        integer, intent(in) :: status
        character(*), intent(in) :: text
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        integer(c_int) :: ignored
        ignored = c_ctx_synchronize(c_null_ptr)
        call fail(status, text, stat, message)
    end subroutine

    ! Ends a call that has failed: stores status and text, or prints the text and stops.
    subroutine fail(status, text, stat, message)
        integer, intent(in) :: status
        character(*), intent(in) :: text
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        if (present(message)) message = text
        if (.not. present(stat)) error stop text
        stat = status
    end subroutine

    ! Returns the row at fault of the last failure on this thread, from 1 on; 0: none.
    function tulle_error_row() result(row)
        integer(int64) :: row
        type(c_error), pointer :: last
        call c_f_pointer(c_last_error(), last)
        row = last%row + 1
    end function

    ! Returns the text at an address, which ends with a zero byte.
    function text_at(address) result(text)
        type(c_ptr), intent(in) :: address
        character(:), allocatable :: text
        character(kind=c_char), pointer :: letters(:)
        if (.not. c_associated(address)) then
            text = ''
        else
            call c_f_pointer(address, letters, [c_strlen(address)])
            text = text_of(letters)
        end if
    end function

    ! Returns the letters up to a zero byte or the end.
    pure function text_of(letters) result(text)
        character(kind=c_char), intent(in) :: letters(:)
        character(:), allocatable :: text
        integer :: i, length
        length = findloc(letters, c_null_char, 1) - 1
        if (length < 0) length = size(letters)
        allocate (character(length) :: text)
        do i = 1, length
            text(i:i) = letters(i)
        end do
    end function

    ! Compares the structs of this module with those that the library was compiled with; false after a failure, which names
    ! the struct.
    function check_structs(stat, message) result(fits)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        logical :: fits
        type(c_error), pointer :: error
        type(c_scalar) :: scalar
        type(c_result) :: result
        type(c_memory_usage) :: usage
        type(c_mat_options) :: mat_options
        type(c_storage) :: storage
        type(c_mat_info) :: mat_info
        type(c_vec_info) :: vec_info
        type(c_factor_options) :: factor_options
        type(c_factor_report) :: factor_report
        type(c_factor_info) :: factor_info
        type(c_linop_functions) :: linop_functions
        type(c_amg_options) :: amg_options
        type(c_amg_info) :: amg_info
        type(c_solver_options) :: solver_options
        type(c_solver_report) :: solver_report
        type(c_solve_options) :: solve_options
        type(c_solve_attempt) :: solve_attempt
        type(c_facts) :: facts
        type(c_solve_report) :: solve_report
        type(c_dist_mat_info) :: dist_mat_info
        nullify (error)
        fits = same('tulle_error', c_sizeof(error)) .and. same('tulle_scalar', c_sizeof(scalar)) .and. &
            same('tulle_result', c_sizeof(result)) .and. same('tulle_memory_usage', c_sizeof(usage)) .and. &
            same('tulle_mat_options', c_sizeof(mat_options)) .and. same('tulle_storage', c_sizeof(storage)) .and. &
            same('tulle_mat_info', c_sizeof(mat_info)) .and. same('tulle_vec_info', c_sizeof(vec_info)) .and. &
            same('tulle_factor_options', c_sizeof(factor_options)) .and. &
            same('tulle_factor_report', c_sizeof(factor_report)) .and. &
            same('tulle_linop_functions', c_sizeof(linop_functions)) .and. &
            same('tulle_factor_info', c_sizeof(factor_info)) .and. same('tulle_amg_options', c_sizeof(amg_options)) .and. &
            same('tulle_amg_info', c_sizeof(amg_info)) .and. same('tulle_solver_options', c_sizeof(solver_options)) .and. &
            same('tulle_solver_report', c_sizeof(solver_report)) .and. &
            same('tulle_solve_options', c_sizeof(solve_options)) .and. &
            same('tulle_solve_attempt', c_sizeof(solve_attempt)) .and. same('tulle_facts', c_sizeof(facts)) .and. &
            same('tulle_solve_report', c_sizeof(solve_report)) .and. &
            same('tulle_dist_mat_info', c_sizeof(dist_mat_info))
    contains
        ! Compares one struct; once one has failed no further one is compared.
        function same(name, here) result(equal)
            character(*), intent(in) :: name
            integer(c_size_t), intent(in) :: here
            logical :: equal
            character(20) :: sizes(2)
            integer(c_int64_t) :: there
            there = c_struct_size(name // c_null_char)
            equal = there == int(here, c_int64_t)
            if (equal) return
            write (sizes, '(i0)') there, here
            call refuse(tulle_unsupported, name // ' has ' // trim(sizes(1)) // ' bytes in the library and ' // trim(sizes(2)) // &
                ' in tulle.f90: compile the tulle.f90 of the installed release', stat, message)
        end function
    end function

    ! Objects.

    ! Returns the object for functions of tulle.h.
    pure function object_get(self) result(handle)
        class(tulle_object), intent(in) :: self
        type(c_ptr) :: handle
        handle = self%handle
    end function

    ! Takes over an object that a function of tulle.h made.
    subroutine object_take(self, handle)
        class(tulle_object), intent(inout) :: self
        type(c_ptr), intent(in) :: handle
        call self%destroy()
        self%handle = handle
    end subroutine

    ! Compares the variable of a new object with an operand, whose object would be given up before it is read; true after a
    ! failure, which leaves the object as it is.
    function is_operand(new, operand, stat, message) result(is)
        class(tulle_object), intent(in) :: new, operand
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        logical :: is
        is = c_associated(new%handle, operand%handle)
        if (is) call refuse(tulle_aliased, 'the result is a variable of an operand: use another one', stat, message)
    end function

    ! Stops: two owners of one object would give it up twice.
    impure elemental subroutine refuse_copy(to, from)
        class(tulle_object), intent(inout) :: to
        class(tulle_object), intent(in) :: from
        if (.not. (c_associated(to%handle) .or. c_associated(from%handle))) return
        error stop 'tulle: an object is passed as an argument, and not assigned'
    end subroutine

    ! Gives up a context; its memory goes when the last object that lives in it does; nothing where there is none.
    subroutine context_destroy(self)
        class(tulle_context), intent(inout) :: self
        call c_ctx_destroy(self%handle)
        self%handle = c_null_ptr
    end subroutine

    impure elemental subroutine context_final(self)
        type(tulle_context), intent(inout) :: self
        call context_destroy(self)
    end subroutine

    ! Gives up a matrix; nothing where there is none.
    subroutine matrix_destroy(self)
        class(tulle_matrix), intent(inout) :: self
        call c_mat_destroy(self%handle)
        self%handle = c_null_ptr
    end subroutine

    impure elemental subroutine matrix_final(self)
        type(tulle_matrix), intent(inout) :: self
        call matrix_destroy(self)
    end subroutine

    ! Gives up a vector; nothing where there is none.
    subroutine vector_destroy(self)
        class(tulle_vector), intent(inout) :: self
        call c_vec_destroy(self%handle)
        self%handle = c_null_ptr
    end subroutine

    impure elemental subroutine vector_final(self)
        type(tulle_vector), intent(inout) :: self
        call vector_destroy(self)
    end subroutine

    ! Gives up a communicator, over MPI in all processes in the same order; nothing where there is none.
    subroutine comm_destroy(self)
        class(tulle_comm), intent(inout) :: self
        call c_comm_destroy(self%handle)
        self%handle = c_null_ptr
    end subroutine

    impure elemental subroutine comm_final(self)
        type(tulle_comm), intent(inout) :: self
        call comm_destroy(self)
    end subroutine

    ! Gives up a matrix whose rows are shared; nothing where there is none.
    subroutine dist_destroy(self)
        class(tulle_dist_matrix), intent(inout) :: self
        call c_dist_mat_destroy(self%handle)
        self%handle = c_null_ptr
    end subroutine

    impure elemental subroutine dist_final(self)
        type(tulle_dist_matrix), intent(inout) :: self
        call dist_destroy(self)
    end subroutine

    ! Gives up an order of shared rows; nothing where there is none.
    subroutine order_destroy(self)
        class(tulle_dist_order), intent(inout) :: self
        call c_dist_order_destroy(self%handle)
        self%handle = c_null_ptr
    end subroutine

    impure elemental subroutine order_final(self)
        type(tulle_dist_order), intent(inout) :: self
        call order_destroy(self)
    end subroutine

    ! Gives up factors; nothing where there is none.
    subroutine factor_destroy(self)
        class(tulle_factor), intent(inout) :: self
        call c_factor_destroy(self%handle)
        self%handle = c_null_ptr
    end subroutine

    impure elemental subroutine factor_final(self)
        type(tulle_factor), intent(inout) :: self
        call factor_destroy(self)
    end subroutine

    ! Gives up an operator or a hierarchy; nothing where there is none.
    subroutine linop_destroy(self)
        class(tulle_linop), intent(inout) :: self
        call c_linop_destroy(self%handle)
        self%handle = c_null_ptr
    end subroutine

    impure elemental subroutine linop_final(self)
        type(tulle_linop), intent(inout) :: self
        call linop_destroy(self)
    end subroutine

    ! Gives up a solver; nothing where there is none.
    subroutine solver_destroy(self)
        class(tulle_solver), intent(inout) :: self
        call c_solver_destroy(self%handle)
        self%handle = c_null_ptr
    end subroutine

    impure elemental subroutine solver_final(self)
        type(tulle_solver), intent(inout) :: self
        call solver_destroy(self)
    end subroutine

    ! Contexts.

    ! Makes a context at 'cpu', 'cpu:8' (threads), 'cuda', 'cuda:1' (device) or 'auto' (a GPU where there is one).
    subroutine context_create(self, place, stat, message)
        class(tulle_context), intent(inout) :: self
        character(*), intent(in) :: place
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call self%destroy()
        if (.not. check_structs(stat, message)) return
        call finish(c_ctx_create_sized(trim(place) // c_null_char, c_null_ptr, 0_c_size_t, self%handle), stat, message)
    end subroutine

    ! Waits for all work of the context.
    subroutine context_synchronize(self, stat, message)
        class(tulle_context), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call finish(c_ctx_synchronize(self%handle), stat, message)
    end subroutine

    ! Allows only kernels whose results are bitwise the same in every run, or all again.
    subroutine context_set_repeatable(self, on, stat, message)
        class(tulle_context), intent(in) :: self
        logical, intent(in) :: on
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call finish(c_ctx_set_repeatable(self%handle, logical(on, c_bool)), stat, message)
    end subroutine

    ! Returns the bytes that live objects of the context hold; 0 without a context.
    function context_bytes_in_use(self) result(bytes)
        class(tulle_context), intent(in) :: self
        integer(int64) :: bytes
        type(c_memory_usage) :: usage
        bytes = 0
        if (c_ctx_memory(self%handle, usage) == tulle_ok) bytes = int(usage%in_use, int64)
    end function

    ! Matrices.

    ! Makes a matrix with offsets of int32, columns of int32 and values of real32.
    subroutine csr_i32_r32(self, ctx, offsets, columns, values, cols, stat, message)
        class(tulle_matrix), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        integer(int32), intent(in), contiguous :: offsets(:)
        integer(int32), intent(in), contiguous :: columns(:)
        real(real32), intent(in), contiguous :: values(:)
        integer(int32), intent(in), optional :: cols
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        integer(int64) :: width
        width = size(offsets, kind=int64) - 1
        if (present(cols)) width = int(cols, int64)
        call make_csr(self, ctx, size(offsets, kind=int64), width, [size(columns, kind=int64), size(values, kind=int64)], &
            index_i32, offsets, columns, tulle_f32, values, stat, message)
    end subroutine

    ! Makes a matrix with offsets of int32, columns of int32 and values of real64.
    subroutine csr_i32_r64(self, ctx, offsets, columns, values, cols, stat, message)
        class(tulle_matrix), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        integer(int32), intent(in), contiguous :: offsets(:)
        integer(int32), intent(in), contiguous :: columns(:)
        real(real64), intent(in), contiguous :: values(:)
        integer(int32), intent(in), optional :: cols
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        integer(int64) :: width
        width = size(offsets, kind=int64) - 1
        if (present(cols)) width = int(cols, int64)
        call make_csr(self, ctx, size(offsets, kind=int64), width, [size(columns, kind=int64), size(values, kind=int64)], &
            index_i32, offsets, columns, tulle_f64, values, stat, message)
    end subroutine

    ! Makes a matrix with offsets of int64, columns of int32 and values of real32.
    subroutine csr_i64_i32_r32(self, ctx, offsets, columns, values, cols, stat, message)
        class(tulle_matrix), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        integer(int64), intent(in), contiguous :: offsets(:)
        integer(int32), intent(in), contiguous :: columns(:)
        real(real32), intent(in), contiguous :: values(:)
        integer(int32), intent(in), optional :: cols
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        integer(int64) :: width
        width = size(offsets, kind=int64) - 1
        if (present(cols)) width = int(cols, int64)
        call make_csr(self, ctx, size(offsets, kind=int64), width, [size(columns, kind=int64), size(values, kind=int64)], &
            index_i64_i32, offsets, columns, tulle_f32, values, stat, message)
    end subroutine

    ! Makes a matrix with offsets of int64, columns of int32 and values of real64.
    subroutine csr_i64_i32_r64(self, ctx, offsets, columns, values, cols, stat, message)
        class(tulle_matrix), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        integer(int64), intent(in), contiguous :: offsets(:)
        integer(int32), intent(in), contiguous :: columns(:)
        real(real64), intent(in), contiguous :: values(:)
        integer(int32), intent(in), optional :: cols
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        integer(int64) :: width
        width = size(offsets, kind=int64) - 1
        if (present(cols)) width = int(cols, int64)
        call make_csr(self, ctx, size(offsets, kind=int64), width, [size(columns, kind=int64), size(values, kind=int64)], &
            index_i64_i32, offsets, columns, tulle_f64, values, stat, message)
    end subroutine

    ! Makes a matrix with offsets of int64, columns of int64 and values of real32.
    subroutine csr_i64_r32(self, ctx, offsets, columns, values, cols, stat, message)
        class(tulle_matrix), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        integer(int64), intent(in), contiguous :: offsets(:)
        integer(int64), intent(in), contiguous :: columns(:)
        real(real32), intent(in), contiguous :: values(:)
        integer(int64), intent(in), optional :: cols
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        integer(int64) :: width
        width = size(offsets, kind=int64) - 1
        if (present(cols)) width = int(cols, int64)
        call make_csr(self, ctx, size(offsets, kind=int64), width, [size(columns, kind=int64), size(values, kind=int64)], &
            index_i64, offsets, columns, tulle_f32, values, stat, message)
    end subroutine

    ! Makes a matrix with offsets of int64, columns of int64 and values of real64.
    subroutine csr_i64_r64(self, ctx, offsets, columns, values, cols, stat, message)
        class(tulle_matrix), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        integer(int64), intent(in), contiguous :: offsets(:)
        integer(int64), intent(in), contiguous :: columns(:)
        real(real64), intent(in), contiguous :: values(:)
        integer(int64), intent(in), optional :: cols
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        integer(int64) :: width
        width = size(offsets, kind=int64) - 1
        if (present(cols)) width = int(cols, int64)
        call make_csr(self, ctx, size(offsets, kind=int64), width, [size(columns, kind=int64), size(values, kind=int64)], &
            index_i64, offsets, columns, tulle_f64, values, stat, message)
    end subroutine

    ! Makes a matrix from arrays of any kinds, whose lengths are given.
    subroutine make_csr(self, ctx, starts, cols, counts, index, offsets, columns, type, values, stat, message)
        class(tulle_matrix), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        integer(int64), intent(in) :: starts, cols, counts(2)
        integer(c_int), intent(in) :: index, type
        type(*), intent(in) :: offsets(*), columns(*), values(*)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        type(c_mat_options) :: options
        call self%destroy()
        if (starts < 1) then
            call refuse(tulle_shape_mismatch, 'offsets has no elements and should have one more than rows', stat, message)
        else if (counts(1) /= counts(2)) then
            call refuse(tulle_shape_mismatch, 'columns and values have different lengths', stat, message)
        else
            call finish(c_mat_create_csr_sized(ctx%handle, starts - 1, cols, counts(1), index, offsets, columns, type, &
                values, options, c_sizeof(options), self%handle), stat, message)
        end if
    end subroutine

    ! Copies new values of real32 into a matrix.
    subroutine set_values_r32(self, ctx, values, stat, message)
        class(tulle_matrix), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        real(real32), intent(in), contiguous :: values(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call put_values(self, ctx, tulle_f32, size(values, kind=int64), values, stat, message)
    end subroutine

    ! Copies new values of real64 into a matrix.
    subroutine set_values_r64(self, ctx, values, stat, message)
        class(tulle_matrix), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        real(real64), intent(in), contiguous :: values(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call put_values(self, ctx, tulle_f64, size(values, kind=int64), values, stat, message)
    end subroutine

    ! Copies values of the given type into a matrix of that type.
    subroutine put_values(self, ctx, type, count, values, stat, message)
        class(tulle_matrix), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        integer(c_int), intent(in) :: type
        integer(int64), intent(in) :: count
        type(*), intent(in) :: values(*)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        type(c_mat_info) :: info
        integer(c_int) :: status
        status = c_mat_describe(self%handle, info)
        if (status /= tulle_ok) then
            call finish(status, stat, message)
        else if (info%type /= type) then
            call refuse(tulle_type_mismatch, 'values has another kind than the matrix', stat, message)
        else
            call finish(c_mat_set_values(ctx%handle, self%handle, count, values), stat, message)
        end if
    end subroutine

    ! Copies a matrix to offsets of int32, columns of int32 and values of real32.
    subroutine read_i32_r32_arrays(self, ctx, offsets, columns, values, stat, message)
        class(tulle_matrix), intent(in) :: self
        class(tulle_context), intent(in) :: ctx
        integer(int32), intent(out), allocatable :: offsets(:)
        integer(int32), intent(out), allocatable :: columns(:)
        real(real32), intent(out), allocatable :: values(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        integer(int64) :: lengths(2)
        lengths = lengths_of(self, index_i32, tulle_f32, stat, message)
        if (lengths(1) < 0) return
        allocate (offsets(lengths(1)), columns(lengths(2)), values(lengths(2)))
        offsets = 0
        columns = 0
        call finish(c_mat_read(ctx%handle, self%handle, offsets, c_null_ptr, columns, values), stat, message)
        offsets = offsets + 1_int32
        columns = columns + 1_int32
    end subroutine

    ! Copies a matrix to offsets of int32, columns of int32 and values of real64.
    subroutine read_i32_r64_arrays(self, ctx, offsets, columns, values, stat, message)
        class(tulle_matrix), intent(in) :: self
        class(tulle_context), intent(in) :: ctx
        integer(int32), intent(out), allocatable :: offsets(:)
        integer(int32), intent(out), allocatable :: columns(:)
        real(real64), intent(out), allocatable :: values(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        integer(int64) :: lengths(2)
        lengths = lengths_of(self, index_i32, tulle_f64, stat, message)
        if (lengths(1) < 0) return
        allocate (offsets(lengths(1)), columns(lengths(2)), values(lengths(2)))
        offsets = 0
        columns = 0
        call finish(c_mat_read(ctx%handle, self%handle, offsets, c_null_ptr, columns, values), stat, message)
        offsets = offsets + 1_int32
        columns = columns + 1_int32
    end subroutine

    ! Copies a matrix to offsets of int64, columns of int32 and values of real32.
    subroutine read_i64_i32_r32_arrays(self, ctx, offsets, columns, values, stat, message)
        class(tulle_matrix), intent(in) :: self
        class(tulle_context), intent(in) :: ctx
        integer(int64), intent(out), allocatable :: offsets(:)
        integer(int32), intent(out), allocatable :: columns(:)
        real(real32), intent(out), allocatable :: values(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        integer(int64) :: lengths(2)
        lengths = lengths_of(self, index_i64_i32, tulle_f32, stat, message)
        if (lengths(1) < 0) return
        allocate (offsets(lengths(1)), columns(lengths(2)), values(lengths(2)))
        offsets = 0
        columns = 0
        call finish(c_mat_read(ctx%handle, self%handle, offsets, c_null_ptr, columns, values), stat, message)
        offsets = offsets + 1_int64
        columns = columns + 1_int32
    end subroutine

    ! Copies a matrix to offsets of int64, columns of int32 and values of real64.
    subroutine read_i64_i32_r64_arrays(self, ctx, offsets, columns, values, stat, message)
        class(tulle_matrix), intent(in) :: self
        class(tulle_context), intent(in) :: ctx
        integer(int64), intent(out), allocatable :: offsets(:)
        integer(int32), intent(out), allocatable :: columns(:)
        real(real64), intent(out), allocatable :: values(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        integer(int64) :: lengths(2)
        lengths = lengths_of(self, index_i64_i32, tulle_f64, stat, message)
        if (lengths(1) < 0) return
        allocate (offsets(lengths(1)), columns(lengths(2)), values(lengths(2)))
        offsets = 0
        columns = 0
        call finish(c_mat_read(ctx%handle, self%handle, offsets, c_null_ptr, columns, values), stat, message)
        offsets = offsets + 1_int64
        columns = columns + 1_int32
    end subroutine

    ! Copies a matrix to offsets of int64, columns of int64 and values of real32.
    subroutine read_i64_r32_arrays(self, ctx, offsets, columns, values, stat, message)
        class(tulle_matrix), intent(in) :: self
        class(tulle_context), intent(in) :: ctx
        integer(int64), intent(out), allocatable :: offsets(:)
        integer(int64), intent(out), allocatable :: columns(:)
        real(real32), intent(out), allocatable :: values(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        integer(int64) :: lengths(2)
        lengths = lengths_of(self, index_i64, tulle_f32, stat, message)
        if (lengths(1) < 0) return
        allocate (offsets(lengths(1)), columns(lengths(2)), values(lengths(2)))
        offsets = 0
        columns = 0
        call finish(c_mat_read(ctx%handle, self%handle, offsets, c_null_ptr, columns, values), stat, message)
        offsets = offsets + 1_int64
        columns = columns + 1_int64
    end subroutine

    ! Copies a matrix to offsets of int64, columns of int64 and values of real64.
    subroutine read_i64_r64_arrays(self, ctx, offsets, columns, values, stat, message)
        class(tulle_matrix), intent(in) :: self
        class(tulle_context), intent(in) :: ctx
        integer(int64), intent(out), allocatable :: offsets(:)
        integer(int64), intent(out), allocatable :: columns(:)
        real(real64), intent(out), allocatable :: values(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        integer(int64) :: lengths(2)
        lengths = lengths_of(self, index_i64, tulle_f64, stat, message)
        if (lengths(1) < 0) return
        allocate (offsets(lengths(1)), columns(lengths(2)), values(lengths(2)))
        offsets = 0
        columns = 0
        call finish(c_mat_read(ctx%handle, self%handle, offsets, c_null_ptr, columns, values), stat, message)
        offsets = offsets + 1_int64
        columns = columns + 1_int64
    end subroutine

    ! Returns the lengths of offsets and of columns of a matrix that is CSR with these types; -1 after a failure.
    function lengths_of(self, index, type, stat, message) result(lengths)
        class(tulle_matrix), intent(in) :: self
        integer(c_int), intent(in) :: index, type
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        integer(int64) :: lengths(2)
        type(c_mat_info) :: info
        integer(c_int) :: status
        lengths = -1
        status = c_mat_describe(self%handle, info)
        if (status /= tulle_ok) then
            call finish(status, stat, message)
        else if (info%format /= format_csr) then
            call refuse(tulle_unsupported, 'the matrix is not in CSR', stat, message)
        else if (info%index /= index .or. info%type /= type) then
            call refuse(tulle_type_mismatch, 'the matrix has other kinds than the arrays', stat, message)
        else
            lengths = [info%rows + 1, info%nnz]
        end if
    end function

    ! Makes B, which is A with columns in ascending order and repeated entries added up, as factors need them. B is another
    ! variable than A, or the call ends as tulle_aliased.
    subroutine matrix_sum_repeated(self, ctx, B, stat, message)
        class(tulle_matrix), intent(in) :: self
        class(tulle_context), intent(in) :: ctx
        class(tulle_matrix), intent(inout) :: B
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        type(c_mat_info) :: info
        integer(c_int) :: status
        if (is_operand(B, self, stat, message)) return
        call B%destroy()
        status = c_mat_describe(self%handle, info)
        if (status == tulle_ok) status = c_mat_convert(ctx%handle, self%handle, format_csr, info%index, sum_duplicates, B%handle)
        call finish(status, stat, message)
    end subroutine

    ! Prepares products op(A) x, of which about expected_calls follow.
    subroutine matrix_optimize(self, ctx, op, expected_calls, stat, message)
        class(tulle_matrix), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        integer(c_int), intent(in) :: op
        integer, intent(in) :: expected_calls
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call finish(c_mat_optimize(ctx%handle, op, self%handle, int(expected_calls, c_int64_t)), stat, message)
    end subroutine

    ! Returns the number of rows; 0 without a matrix.
    pure function matrix_rows(self) result(rows)
        class(tulle_matrix), intent(in) :: self
        integer(int64) :: rows
        rows = 0
        if (c_associated(self%handle)) rows = c_mat_rows(self%handle)
    end function

    ! Returns the number of columns; 0 without a matrix.
    pure function matrix_cols(self) result(cols)
        class(tulle_matrix), intent(in) :: self
        integer(int64) :: cols
        cols = 0
        if (c_associated(self%handle)) cols = c_mat_cols(self%handle)
    end function

    ! Returns the number of stored entries; 0 without a matrix.
    pure function matrix_nnz(self) result(nnz)
        class(tulle_matrix), intent(in) :: self
        integer(int64) :: nnz
        nnz = 0
        if (c_associated(self%handle)) nnz = c_mat_nnz(self%handle)
    end function

    ! Rows that threads or processes share.

    ! Makes communicators for the threads of one process: comms(r + 1) is for the thread of rank r, which has a context of its
    ! own. A thread waits at most timeout seconds for the others, 60 where timeout is left out; one that ends early destroys its
    ! own communicator, so that calls of the others fail at once.
    subroutine tulle_comm_threads(comms, timeout, stat, message)
        type(tulle_comm), intent(inout) :: comms(:)
        real(real64), intent(in), optional :: timeout
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        type(c_ptr) :: made(size(comms))
        real(real64) :: seconds
        integer(c_int) :: status
        integer :: r
        seconds = 0
        if (present(timeout)) seconds = timeout
        made = c_null_ptr
        status = c_comm_create_threads(int(size(comms), c_int), seconds, made)
        do r = 1, size(comms)
            call comms(r)%take(made(r))
        end do
        call finish(status, stat, message)
    end subroutine

    ! Returns the rank of this process, from 0 on; -1 without a communicator.
    function comm_rank(self) result(rank)
        class(tulle_comm), intent(in) :: self
        integer :: rank
        rank = -1
        if (c_associated(self%handle)) rank = int(c_comm_rank(self%handle))
    end function

    ! Returns the number of processes; 0 without a communicator.
    function comm_ranks(self) result(ranks)
        class(tulle_comm), intent(in) :: self
        integer :: ranks
        ranks = 0
        if (c_associated(self%handle)) ranks = int(c_comm_ranks(self%handle))
    end function

    ! Tells this process's rows where n rows are shared evenly: the first, from 1 on, and their number.
    subroutine comm_share(self, n, first, rows)
        class(tulle_comm), intent(in) :: self
        integer(int64), intent(in) :: n
        integer(int64), intent(out) :: first, rows
        first = 0
        rows = c_dist_share(n, int(self%ranks(), c_int), int(self%rank(), c_int), first)
        first = first + 1
    end subroutine

    ! Compares the calls of all processes before each message, or no longer; for finding mistakes.
    subroutine comm_set_checking(self, on, stat, message)
        class(tulle_comm), intent(in) :: self
        logical, intent(in) :: on
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call finish(c_comm_set_checking(self%handle, logical(on, c_bool)), stat, message)
    end subroutine

    ! Makes a matrix from this process's rows with values of real32.
    subroutine dist_csr_r32(self, ctx, comm, offsets, columns, values, cols, stat, message)
        class(tulle_dist_matrix), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        class(tulle_comm), intent(in) :: comm
        integer(int64), intent(in) :: offsets(:), columns(:)
        real(real32), intent(in), contiguous :: values(:)
        integer(int64), intent(in), optional :: cols
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call make_dist(self, ctx, comm, offsets, columns, tulle_f32, values, size(values, kind=int64), cols, stat, message)
    end subroutine

    ! Copies new values of real32 into this process's rows.
    subroutine dist_values_r32(self, offsets, columns, values, stat, message)
        class(tulle_dist_matrix), intent(inout) :: self
        integer(int64), intent(in) :: offsets(:), columns(:)
        real(real32), intent(in), contiguous :: values(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call put_dist(self, offsets, columns, tulle_f32, values, size(values, kind=int64), stat, message)
    end subroutine

    ! Gathers a vector of real32 in one process.
    subroutine gather_r32(self, ctx, comm, X, root, array, stat, message)
        class(tulle_dist_matrix), intent(in) :: self
        class(tulle_context), intent(in) :: ctx
        class(tulle_comm), intent(in) :: comm
        class(tulle_vector), intent(in) :: X
        integer, intent(in) :: root
        real(real32), intent(inout), contiguous, target :: array(..)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call gather(self, ctx, comm, X, root, tulle_f32, size(array, kind=int64), c_loc(array), stat, message)
    end subroutine

    ! Makes a matrix from this process's rows with values of real64.
    subroutine dist_csr_r64(self, ctx, comm, offsets, columns, values, cols, stat, message)
        class(tulle_dist_matrix), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        class(tulle_comm), intent(in) :: comm
        integer(int64), intent(in) :: offsets(:), columns(:)
        real(real64), intent(in), contiguous :: values(:)
        integer(int64), intent(in), optional :: cols
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call make_dist(self, ctx, comm, offsets, columns, tulle_f64, values, size(values, kind=int64), cols, stat, message)
    end subroutine

    ! Copies new values of real64 into this process's rows.
    subroutine dist_values_r64(self, offsets, columns, values, stat, message)
        class(tulle_dist_matrix), intent(inout) :: self
        integer(int64), intent(in) :: offsets(:), columns(:)
        real(real64), intent(in), contiguous :: values(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call put_dist(self, offsets, columns, tulle_f64, values, size(values, kind=int64), stat, message)
    end subroutine

    ! Gathers a vector of real64 in one process.
    subroutine gather_r64(self, ctx, comm, X, root, array, stat, message)
        class(tulle_dist_matrix), intent(in) :: self
        class(tulle_context), intent(in) :: ctx
        class(tulle_comm), intent(in) :: comm
        class(tulle_vector), intent(in) :: X
        integer, intent(in) :: root
        real(real64), intent(inout), contiguous, target :: array(..)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call gather(self, ctx, comm, X, root, tulle_f64, size(array, kind=int64), c_loc(array), stat, message)
    end subroutine

    ! Makes a matrix from this process's rows, whose values have the given type and number.
    subroutine make_dist(self, ctx, comm, offsets, columns, type, values, count, cols, stat, message)
        class(tulle_dist_matrix), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        class(tulle_comm), intent(in) :: comm
        integer(int64), intent(in) :: offsets(:), columns(:), count
        integer(c_int), intent(in) :: type
        type(*), intent(in) :: values(*)
        integer(int64), intent(in), optional :: cols
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        integer(int64) :: rows, width
        integer(c_int) :: status
        logical :: fits
        call self%destroy()
        fits = fit(offsets, columns, count)
        rows = merge(size(offsets, kind=int64) - 1, -1_int64, fits) ! -1 fails here and tells the others, who would wait
        width = rows
        if (present(cols)) width = cols
        status = c_dist_mat_create(ctx%handle, comm%handle, rows, width, offsets - 1, columns - 1, type, values, self%handle)
        if (fits) then
            call finish(status, stat, message)
        else
            call refuse_rows(stat, message)
        end if
    end subroutine

    ! Copies values of the given type and number into this process's rows.
    subroutine put_dist(self, offsets, columns, type, values, count, stat, message)
        class(tulle_dist_matrix), intent(inout) :: self
        integer(int64), intent(in) :: offsets(:), columns(:), count
        integer(c_int), intent(in) :: type
        type(*), intent(in) :: values(*)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        type(c_dist_mat_info) :: info
        integer(c_int) :: status
        status = c_dist_mat_describe(self%handle, info)
        if (status /= tulle_ok) then
            call finish(status, stat, message)
        else if (info%type /= type) then
            call refuse(tulle_type_mismatch, 'values has another kind than the matrix', stat, message)
        else if (size(offsets, kind=int64) /= info%local_rows + 1 .or. .not. fit(offsets, columns, count)) then
            call refuse_rows(stat, message)
        else
            call finish(c_dist_mat_set_values(self%handle, offsets - 1, columns - 1, values), stat, message)
        end if
    end subroutine

    ! Returns true when offsets say as many entries as there are columns and values.
    pure function fit(offsets, columns, count) result(fits)
        integer(int64), intent(in) :: offsets(:), columns(:), count
        logical :: fits
        fits = .false.
        if (size(offsets) < 1) return
        fits = size(columns, kind=int64) == count .and. offsets(size(offsets)) - 1 == count
    end function

    subroutine refuse_rows(stat, message)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call refuse(tulle_shape_mismatch, 'offsets, columns and values have lengths that do not fit together', stat, message)
    end subroutine

    ! Gathers a vector in one process, in the array at an address, of the given type and length.
    subroutine gather(A, ctx, comm, X, root, type, length, array, stat, message)
        class(tulle_dist_matrix), intent(in) :: A
        class(tulle_context), intent(in) :: ctx
        class(tulle_comm), intent(in) :: comm
        class(tulle_vector), intent(in) :: X
        integer, intent(in) :: root
        integer(c_int), intent(in) :: type
        integer(int64), intent(in) :: length
        type(c_ptr), intent(in) :: array
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        type(c_vec_info) :: info
        type(c_ptr) :: host
        integer(c_int) :: status
        logical :: same_kind, same_size
        status = c_vec_describe(X%handle, info)
        same_kind = comm%rank() /= root .or. info%type == type
        same_size = comm%rank() /= root .or. length == A%rows() * info%cols
        host = c_null_ptr ! fails in all processes
        if (same_kind .and. same_size) host = array
        status = c_dist_gather(ctx%handle, comm%handle, X%handle, int(root, c_int), host)
        if (.not. same_kind) then
            call refuse(tulle_type_mismatch, 'the array has another kind than the vector', stat, message)
        else if (.not. same_size) then
            call refuse(tulle_shape_mismatch, 'the array has not one element for each row and column', stat, message)
        else
            call finish(status, stat, message)
        end if
    end subroutine

    ! Computes Y := alpha op(A) X + beta Y, X and Y of this process's rows.
    subroutine dist_multiply(self, ctx, op, alpha, X, beta, Y, stat, message)
        class(tulle_dist_matrix), intent(in) :: self
        class(tulle_context), intent(in) :: ctx
        integer(c_int), intent(in) :: op
        real(real64), intent(in) :: alpha, beta
        class(tulle_vector), intent(in) :: X
        class(tulle_vector), intent(inout) :: Y
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call finish(c_dist_mat_multiply(ctx%handle, op, scalar(alpha), self%handle, X%handle, scalar(beta), Y%handle), stat, &
            message)
    end subroutine

    ! Makes B := P A P^T, whose rows METIS has moved to processes such that products send little, and P, the way of vectors. B
    ! is another variable than A, or the call ends as tulle_aliased.
    subroutine dist_partition(self, ctx, B, P, stat, message)
        class(tulle_dist_matrix), intent(in) :: self
        class(tulle_context), intent(in) :: ctx
        class(tulle_dist_matrix), intent(inout) :: B
        class(tulle_dist_order), intent(inout) :: P
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        if (is_operand(B, self, stat, message)) return
        call B%destroy()
        call P%destroy()
        call finish(c_dist_mat_partition(ctx%handle, self%handle, B%handle, P%handle), stat, message)
    end subroutine

    ! Computes Y := P X: the rows of X go to the processes that have them now.
    subroutine order_permute(self, ctx, X, Y, stat, message)
        class(tulle_dist_order), intent(in) :: self
        class(tulle_context), intent(in) :: ctx
        class(tulle_vector), intent(in) :: X
        class(tulle_vector), intent(inout) :: Y
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call finish(c_dist_vec_permute(ctx%handle, self%handle, X%handle, Y%handle), stat, message)
    end subroutine

    ! Computes X := P^T Y: the rows of Y, such as a solution, go back.
    subroutine order_unpermute(self, ctx, Y, X, stat, message)
        class(tulle_dist_order), intent(in) :: self
        class(tulle_context), intent(in) :: ctx
        class(tulle_vector), intent(in) :: Y
        class(tulle_vector), intent(inout) :: X
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call finish(c_dist_vec_unpermute(ctx%handle, self%handle, Y%handle, X%handle), stat, message)
    end subroutine

    ! Returns the number of rows of the whole matrix; 0 without a matrix. Called by whoever wants.
    function dist_rows(self) result(rows)
        class(tulle_dist_matrix), intent(in) :: self
        integer(int64) :: rows
        type(c_dist_mat_info) :: info
        rows = 0
        if (c_dist_mat_describe(self%handle, info) == tulle_ok) rows = info%rows
    end function

    ! Returns the number of entries of the whole matrix; 0 without a matrix. Called by whoever wants.
    function dist_nnz(self) result(nnz)
        class(tulle_dist_matrix), intent(in) :: self
        integer(int64) :: nnz
        type(c_dist_mat_info) :: info
        nnz = 0
        if (c_dist_mat_describe(self%handle, info) == tulle_ok) nnz = info%nnz
    end function

    ! Returns the first of this process's rows, from 1 on; 0 without a matrix. Called by whoever wants.
    function dist_first_row(self) result(row)
        class(tulle_dist_matrix), intent(in) :: self
        integer(int64) :: row
        type(c_dist_mat_info) :: info
        row = 0
        if (c_dist_mat_describe(self%handle, info) == tulle_ok) row = info%first_row + 1
    end function

    ! Returns the number of this process's rows; 0 without a matrix. Called by whoever wants.
    function dist_local_rows(self) result(rows)
        class(tulle_dist_matrix), intent(in) :: self
        integer(int64) :: rows
        type(c_dist_mat_info) :: info
        rows = 0
        if (c_dist_mat_describe(self%handle, info) == tulle_ok) rows = info%local_rows
    end function

    ! Vectors.

    ! Makes a vector of a number of rows of int32.
    subroutine create_n32(self, ctx, rows, cols, type, stat, message)
        class(tulle_vector), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        integer(int32), intent(in) :: rows
        integer(int32), intent(in), optional :: cols
        integer(c_int), intent(in), optional :: type
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        integer(int64) :: columns
        integer(c_int) :: numbers
        columns = 1
        numbers = tulle_f64
        if (present(cols)) columns = int(cols, int64)
        if (present(type)) numbers = type
        call make_vector(self, ctx, int(rows, int64), columns, numbers, stat, message)
    end subroutine

    ! Makes a vector of a number of rows of int64.
    subroutine create_n64(self, ctx, rows, cols, type, stat, message)
        class(tulle_vector), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        integer(int64), intent(in) :: rows
        integer(int64), intent(in), optional :: cols
        integer(c_int), intent(in), optional :: type
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        integer(int64) :: columns
        integer(c_int) :: numbers
        columns = 1
        numbers = tulle_f64
        if (present(cols)) columns = int(cols, int64)
        if (present(type)) numbers = type
        call make_vector(self, ctx, int(rows, int64), columns, numbers, stat, message)
    end subroutine

    ! Makes a vector with a copy of an array of real32.
    subroutine create_r32(self, ctx, array, cols, stat, message)
        class(tulle_vector), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        real(real32), intent(in), contiguous, target :: array(..)
        integer, intent(in), optional :: cols
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        integer(int64) :: shape(2)
        call self%destroy()
        shape = columns_of(size(array, kind=int64), cols, stat, message)
        if (shape(1) < 0) return
        call make_vector(self, ctx, shape(1), shape(2), tulle_f32, stat, message)
        if (c_associated(self%handle)) call put(self, ctx, tulle_f32, size(array, kind=int64), c_loc(array), stat, message)
    end subroutine

    ! Copies an array of real32 into a vector.
    subroutine write_r32(self, ctx, array, stat, message)
        class(tulle_vector), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        real(real32), intent(in), contiguous, target :: array(..)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call put(self, ctx, tulle_f32, size(array, kind=int64), c_loc(array), stat, message)
    end subroutine

    ! Copies a vector to an array of real32.
    subroutine read_r32(self, ctx, array, stat, message)
        class(tulle_vector), intent(in) :: self
        class(tulle_context), intent(in) :: ctx
        real(real32), intent(inout), contiguous, target :: array(..)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call fetch(self, ctx, tulle_f32, size(array, kind=int64), c_loc(array), stat, message)
    end subroutine

    ! Makes a vector around an array of real32.
    subroutine wrap_r32(self, ctx, array, cols, stat, message)
        class(tulle_vector), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        real(real32), intent(inout), target :: array(..)
        integer, intent(in), optional :: cols
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        integer(int64) :: shape(2)
        call self%destroy()
        shape = columns_of(size(array, kind=int64), cols, stat, message)
        if (shape(1) < 0) return
        if (is_contiguous(array)) then
            call finish(c_vec_wrap(ctx%handle, tulle_f32, shape(1), shape(2), column_major, 0_c_int64_t, c_loc(array), &
                self%handle), stat, message)
        else
            call refuse(tulle_invalid_argument, 'the array is not contiguous: create copies it', stat, message)
        end if
    end subroutine

    ! Makes a vector with a copy of an array of real64.
    subroutine create_r64(self, ctx, array, cols, stat, message)
        class(tulle_vector), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        real(real64), intent(in), contiguous, target :: array(..)
        integer, intent(in), optional :: cols
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        integer(int64) :: shape(2)
        call self%destroy()
        shape = columns_of(size(array, kind=int64), cols, stat, message)
        if (shape(1) < 0) return
        call make_vector(self, ctx, shape(1), shape(2), tulle_f64, stat, message)
        if (c_associated(self%handle)) call put(self, ctx, tulle_f64, size(array, kind=int64), c_loc(array), stat, message)
    end subroutine

    ! Copies an array of real64 into a vector.
    subroutine write_r64(self, ctx, array, stat, message)
        class(tulle_vector), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        real(real64), intent(in), contiguous, target :: array(..)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call put(self, ctx, tulle_f64, size(array, kind=int64), c_loc(array), stat, message)
    end subroutine

    ! Copies a vector to an array of real64.
    subroutine read_r64(self, ctx, array, stat, message)
        class(tulle_vector), intent(in) :: self
        class(tulle_context), intent(in) :: ctx
        real(real64), intent(inout), contiguous, target :: array(..)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call fetch(self, ctx, tulle_f64, size(array, kind=int64), c_loc(array), stat, message)
    end subroutine

    ! Makes a vector around an array of real64.
    subroutine wrap_r64(self, ctx, array, cols, stat, message)
        class(tulle_vector), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        real(real64), intent(inout), target :: array(..)
        integer, intent(in), optional :: cols
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        integer(int64) :: shape(2)
        call self%destroy()
        shape = columns_of(size(array, kind=int64), cols, stat, message)
        if (shape(1) < 0) return
        if (is_contiguous(array)) then
            call finish(c_vec_wrap(ctx%handle, tulle_f64, shape(1), shape(2), column_major, 0_c_int64_t, c_loc(array), &
                self%handle), stat, message)
        else
            call refuse(tulle_invalid_argument, 'the array is not contiguous: create copies it', stat, message)
        end if
    end subroutine

    ! Returns rows and columns of an array of so many numbers that has cols columns, 1 where cols is left out; rows are -1
    ! after a failure.
    function columns_of(length, cols, stat, message) result(shape)
        integer(int64), intent(in) :: length
        integer, intent(in), optional :: cols
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        integer(int64) :: shape(2)
        shape = [length, 1_int64]
        if (.not. present(cols)) return
        shape = -1
        if (cols < 1) then
            call refuse(tulle_invalid_argument, 'cols is below 1', stat, message)
        else if (modulo(length, int(cols, int64)) /= 0) then
            call refuse(tulle_shape_mismatch, 'the elements of the array are no cols columns of equal length', stat, message)
        else
            shape = [length / cols, int(cols, int64)]
        end if
    end function

    ! Makes a vector of rows x cols numbers.
    subroutine make_vector(self, ctx, rows, cols, type, stat, message)
        class(tulle_vector), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        integer(int64), intent(in) :: rows, cols
        integer(c_int), intent(in) :: type
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call self%destroy()
        call finish(c_vec_create_columns(ctx%handle, type, rows, cols, column_major, 0_c_int64_t, self%handle), stat, message)
    end subroutine

    ! Copies the array at an address, of the given type and length, into a vector.
    subroutine put(self, ctx, type, length, array, stat, message)
        class(tulle_vector), intent(in) :: self
        class(tulle_context), intent(in) :: ctx
        integer(c_int), intent(in) :: type
        integer(int64), intent(in) :: length
        type(c_ptr), intent(in) :: array
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        if (.not. matches(self, type, length, stat, message)) return
        call finish(c_vec_write(ctx%handle, self%handle, array, 0_c_int64_t), stat, message)
    end subroutine

    ! Copies a vector to the array at an address, of the given type and length.
    subroutine fetch(self, ctx, type, length, array, stat, message)
        class(tulle_vector), intent(in) :: self
        class(tulle_context), intent(in) :: ctx
        integer(c_int), intent(in) :: type
        integer(int64), intent(in) :: length
        type(c_ptr), intent(in) :: array
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        if (.not. matches(self, type, length, stat, message)) return
        call finish(c_vec_read(ctx%handle, self%handle, array, 0_c_int64_t), stat, message)
    end subroutine

    ! Compares type and length of an array with those of a vector; false after a failure.
    function matches(self, type, length, stat, message) result(fits)
        class(tulle_vector), intent(in) :: self
        integer(c_int), intent(in) :: type
        integer(int64), intent(in) :: length
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        logical :: fits
        type(c_vec_info) :: info
        integer(c_int) :: status
        fits = .false.
        status = c_vec_describe(self%handle, info)
        if (status /= tulle_ok) then
            call finish(status, stat, message)
        else if (info%type /= type) then
            call refuse(tulle_type_mismatch, 'the array has another kind than the vector', stat, message)
        else if (length /= info%rows * info%cols) then
            call refuse(tulle_shape_mismatch, 'the array has another number of elements than the vector', stat, message)
        else
            fits = .true.
        end if
    end function

    ! Sets every number to value.
    subroutine vector_fill(self, ctx, value, stat, message)
        class(tulle_vector), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        real(real64), intent(in) :: value
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call finish(c_vec_fill(ctx%handle, self%handle, value), stat, message)
    end subroutine

    ! Returns the number of rows; 0 without a vector.
    function vector_rows(self) result(rows)
        class(tulle_vector), intent(in) :: self
        integer(int64) :: rows
        type(c_vec_info) :: info
        rows = 0
        if (c_vec_describe(self%handle, info) == tulle_ok) rows = info%rows
    end function

    ! Returns the number of columns; 0 without a vector.
    function vector_cols(self) result(cols)
        class(tulle_vector), intent(in) :: self
        integer(int64) :: cols
        type(c_vec_info) :: info
        cols = 0
        if (c_vec_describe(self%handle, info) == tulle_ok) cols = info%cols
    end function

    ! Returns the scalar operand of a number.
    pure function scalar(number) result(operand)
        real(real64), intent(in) :: number
        type(c_scalar) :: operand
        operand = c_scalar(number, c_null_ptr)
    end function

    ! Computes Y := X.
    subroutine tulle_copy(ctx, X, Y, stat, message)
        class(tulle_context), intent(in) :: ctx
        class(tulle_vector), intent(in) :: X
        class(tulle_vector), intent(inout) :: Y
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call finish(c_vec_copy(ctx%handle, X%handle, Y%handle), stat, message)
    end subroutine

    ! Computes Y := alpha X + beta Y.
    subroutine tulle_axpby(ctx, alpha, X, beta, Y, stat, message)
        class(tulle_context), intent(in) :: ctx
        real(real64), intent(in) :: alpha, beta
        class(tulle_vector), intent(in) :: X
        class(tulle_vector), intent(inout) :: Y
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call finish(c_vec_axpby(ctx%handle, scalar(alpha), X%handle, scalar(beta), Y%handle), stat, message)
    end subroutine

    ! Computes the inner product of two vectors of one column each.
    subroutine dot_one(ctx, x, y, result, stat, message)
        class(tulle_context), intent(in) :: ctx
        class(tulle_vector), intent(in) :: x, y
        real(real64), intent(out) :: result
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        real(real64) :: results(1)
        call dot_columns(ctx, x, y, results, stat, message)
        result = results(1)
    end subroutine

    ! Computes the 2-norm of a vector of one column.
    subroutine norm2_one(ctx, x, result, stat, message)
        class(tulle_context), intent(in) :: ctx
        class(tulle_vector), intent(in) :: x
        real(real64), intent(out) :: result
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        real(real64) :: results(1)
        call norm2_columns(ctx, x, results, stat, message)
        result = results(1)
    end subroutine

    ! Computes the inner products of the columns of X and Y into results, an element for each column.
    subroutine dot_columns(ctx, X, Y, results, stat, message)
        class(tulle_context), intent(in) :: ctx
        class(tulle_vector), intent(in) :: X, Y
        real(real64), intent(out), contiguous, target :: results(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        results = 0
        if (X%cols() /= size(results, kind=int64)) then
            call refuse(tulle_shape_mismatch, 'results has not one element for each column', stat, message)
        else
            call finish(c_vec_dot(ctx%handle, X%handle, Y%handle, c_result(c_loc(results), c_null_ptr)), stat, message)
        end if
    end subroutine

    ! Computes the 2-norms of the columns of X into results, an element for each column.
    subroutine norm2_columns(ctx, X, results, stat, message)
        class(tulle_context), intent(in) :: ctx
        class(tulle_vector), intent(in) :: X
        real(real64), intent(out), contiguous, target :: results(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        results = 0
        if (X%cols() /= size(results, kind=int64)) then
            call refuse(tulle_shape_mismatch, 'results has not one element for each column', stat, message)
        else
            call finish(c_vec_norm2(ctx%handle, X%handle, c_result(c_loc(results), c_null_ptr)), stat, message)
        end if
    end subroutine

    ! Computes the inner products of the columns of X and Y over the rows of all processes, an element for each column.
    subroutine dot_shared(ctx, comm, X, Y, results, stat, message)
        class(tulle_context), intent(in) :: ctx
        class(tulle_comm), intent(in) :: comm
        class(tulle_vector), intent(in) :: X, Y
        real(real64), intent(out), contiguous, target :: results(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        integer(c_int) :: status
        results = 0
        status = c_dist_dot(ctx%handle, comm%handle, X%handle, Y%handle, place_of(X, results))
        call finish_sums(X, results, status, stat, message)
    end subroutine

    ! Computes the 2-norms of the columns of X over the rows of all processes, an element for each column.
    subroutine norm2_shared(ctx, comm, X, results, stat, message)
        class(tulle_context), intent(in) :: ctx
        class(tulle_comm), intent(in) :: comm
        class(tulle_vector), intent(in) :: X
        real(real64), intent(out), contiguous, target :: results(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        integer(c_int) :: status
        results = 0
        status = c_dist_norm2(ctx%handle, comm%handle, X%handle, place_of(X, results))
        call finish_sums(X, results, status, stat, message)
    end subroutine

    ! Returns the address of results for the columns of X; where their number is another, c_null_ptr, which fails in all
    ! processes.
    function place_of(X, results) result(place)
        class(tulle_vector), intent(in) :: X
        real(real64), intent(in), contiguous, target :: results(:)
        type(c_ptr) :: place
        place = c_null_ptr
        if (X%cols() == size(results, kind=int64)) place = c_loc(results)
    end function

    ! Ends sums over all processes.
    subroutine finish_sums(X, results, status, stat, message)
        class(tulle_vector), intent(in) :: X
        real(real64), intent(in) :: results(:)
        integer(c_int), intent(in) :: status
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        if (X%cols() /= size(results, kind=int64)) then
            call refuse(tulle_shape_mismatch, 'results has not one element for each column', stat, message)
        else
            call finish(status, stat, message)
        end if
    end subroutine

    ! Products, sums and transposes.

    ! Computes y := alpha op(A) x + beta y for vectors.
    subroutine tulle_spmv(ctx, op, alpha, A, x, beta, y, stat, message)
        class(tulle_context), intent(in) :: ctx
        integer(c_int), intent(in) :: op
        real(real64), intent(in) :: alpha, beta
        class(tulle_matrix), intent(in) :: A
        class(tulle_vector), intent(in) :: x
        class(tulle_vector), intent(inout) :: y
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call finish(c_spmv(ctx%handle, op, scalar(alpha), A%handle, x%handle, scalar(beta), y%handle), stat, message)
    end subroutine

    ! Computes Y := alpha op(A) X + beta Y for vectors of several columns.
    subroutine tulle_spmm(ctx, op, alpha, A, X, beta, Y, stat, message)
        class(tulle_context), intent(in) :: ctx
        integer(c_int), intent(in) :: op
        real(real64), intent(in) :: alpha, beta
        class(tulle_matrix), intent(in) :: A
        class(tulle_vector), intent(in) :: X
        class(tulle_vector), intent(inout) :: Y
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call finish(c_spmm(ctx%handle, op, scalar(alpha), A%handle, X%handle, scalar(beta), Y%handle), stat, message)
    end subroutine

    ! Computes X := alpha op(T)^-1 B, T a triangle of A (tulle_lower, tulle_upper) whose diagonal is A's (tulle_non_unit) or
    ! ones (tulle_unit).
    subroutine tulle_trisolve(ctx, part, diag, op, alpha, A, B, X, stat, message)
        class(tulle_context), intent(in) :: ctx
        integer(c_int), intent(in) :: part, diag, op
        real(real64), intent(in) :: alpha
        class(tulle_matrix), intent(in) :: A
        class(tulle_vector), intent(in) :: B
        class(tulle_vector), intent(inout) :: X
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call finish(c_trisolve(ctx%handle, part, diag, op, scalar(alpha), A%handle, B%handle, X%handle), stat, message)
    end subroutine

    ! Makes C := alpha op(A) op(B), a new matrix. C is another variable than A and B, or the call ends as tulle_aliased.
    subroutine tulle_spgemm(ctx, op_A, op_B, alpha, A, B, C, stat, message)
        class(tulle_context), intent(in) :: ctx
        integer(c_int), intent(in) :: op_A, op_B
        real(real64), intent(in) :: alpha
        class(tulle_matrix), intent(in) :: A, B
        class(tulle_matrix), intent(inout) :: C
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        if (is_operand(C, A, stat, message)) return
        if (is_operand(C, B, stat, message)) return
        call C%destroy()
        call finish(c_spgemm_sized(ctx%handle, op_A, op_B, scalar(alpha), A%handle, B%handle, c_null_ptr, 0_c_size_t, &
            c_null_ptr, C%handle), stat, message)
    end subroutine

    ! Computes the values of alpha op(A) op(B) anew, on the pattern that C has.
    subroutine tulle_spgemm_update(ctx, op_A, op_B, alpha, A, B, C, stat, message)
        class(tulle_context), intent(in) :: ctx
        integer(c_int), intent(in) :: op_A, op_B
        real(real64), intent(in) :: alpha
        class(tulle_matrix), intent(in) :: A, B
        class(tulle_matrix), intent(inout) :: C
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call finish(c_spgemm_update(ctx%handle, op_A, op_B, scalar(alpha), A%handle, B%handle, C%handle), stat, message)
    end subroutine

    ! Makes C := alpha P^T A P, a new matrix. C is another variable than A and P, or the call ends as tulle_aliased.
    subroutine tulle_spgemm_galerkin(ctx, alpha, A, P, C, stat, message)
        class(tulle_context), intent(in) :: ctx
        real(real64), intent(in) :: alpha
        class(tulle_matrix), intent(in) :: A, P
        class(tulle_matrix), intent(inout) :: C
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        if (is_operand(C, A, stat, message)) return
        if (is_operand(C, P, stat, message)) return
        call C%destroy()
        call finish(c_spgemm_galerkin_sized(ctx%handle, scalar(alpha), A%handle, P%handle, c_null_ptr, 0_c_size_t, c_null_ptr, &
            C%handle), stat, message)
    end subroutine

    ! Computes the values of alpha P^T A P anew, on the pattern that C has.
    subroutine tulle_spgemm_galerkin_update(ctx, alpha, A, P, C, stat, message)
        class(tulle_context), intent(in) :: ctx
        real(real64), intent(in) :: alpha
        class(tulle_matrix), intent(in) :: A, P
        class(tulle_matrix), intent(inout) :: C
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call finish(c_spgemm_galerkin_update(ctx%handle, scalar(alpha), A%handle, P%handle, C%handle), stat, message)
    end subroutine

    ! Makes C := alpha op(A) + beta op(B), a new matrix. C is another variable than A and B, or the call ends as
    ! tulle_aliased.
    subroutine tulle_add(ctx, op_A, op_B, alpha, A, beta, B, C, stat, message)
        class(tulle_context), intent(in) :: ctx
        integer(c_int), intent(in) :: op_A, op_B
        real(real64), intent(in) :: alpha, beta
        class(tulle_matrix), intent(in) :: A, B
        class(tulle_matrix), intent(inout) :: C
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        if (is_operand(C, A, stat, message)) return
        if (is_operand(C, B, stat, message)) return
        call C%destroy()
        call finish(c_add_sized(ctx%handle, op_A, op_B, scalar(alpha), A%handle, scalar(beta), B%handle, c_null_ptr, &
            0_c_size_t, c_null_ptr, C%handle), stat, message)
    end subroutine

    ! Makes B := A^T, a new matrix. B is another variable than A, or the call ends as tulle_aliased.
    subroutine tulle_transpose(ctx, A, B, stat, message)
        class(tulle_context), intent(in) :: ctx
        class(tulle_matrix), intent(in) :: A
        class(tulle_matrix), intent(inout) :: B
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        if (is_operand(B, A, stat, message)) return
        call B%destroy()
        call finish(c_mat_transpose(ctx%handle, A%handle, B%handle), stat, message)
    end subroutine

    ! Factors.

    ! Computes factors of A: ILU(0), or with fill up to a level (tulle_fill_all: complete), L L^T with kind tulle_cholesky.
    ! modified is the share of what is dropped that is taken off the diagonal, shift multiplies the diagonal by 1 + shift,
    ! single stores the factors in f32. Pivots of at most tiny times the largest number of their row of A are replaced by that
    ! bound where boost is true. A has no repeated entries (sum_repeated).
    subroutine factor_create(self, ctx, A, kind, fill, modified, shift, single, tiny, boost, stat, message)
        class(tulle_factor), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        class(tulle_matrix), intent(in) :: A
        integer(c_int), intent(in), optional :: kind
        integer, intent(in), optional :: fill
        real(real64), intent(in), optional :: modified, shift, tiny
        logical, intent(in), optional :: single, boost
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        type(c_factor_options) :: options
        if (present(kind)) options%kind = kind
        if (present(fill)) options%fill = int(fill, c_int)
        if (present(modified)) options%modified = modified
        if (present(shift)) options%shift = shift
        if (present(single)) options%single = logical(single, c_bool)
        if (present(tiny)) options%tiny = tiny
        if (present(boost)) options%boost = logical(boost, c_bool)
        call self%destroy()
        call finish(c_factor_create_sized(ctx%handle, A%handle, options, c_sizeof(options), self%handle), stat, message)
    end subroutine

    ! Computes the values anew from those of A, whose pattern is the one factorised, and does not look at the pivots: pivots
    ! tells them.
    subroutine factor_update(self, ctx, A, stat, message)
        class(tulle_factor), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        class(tulle_matrix), intent(in) :: A
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call finish(c_factor_update(ctx%handle, self%handle, A%handle), stat, message)
    end subroutine

    ! Tells the pivots that the last computation of values met; waits for it. bad is the number of pivots that were zero, Inf
    ! or NaN, or negative for tulle_cholesky: with one of them solutions are of no use. bad_row is the row of the first, from 1
    ! on, or 0.
    subroutine factor_pivots(self, ctx, bad, bad_row, stat, message)
        class(tulle_factor), intent(in) :: self
        class(tulle_context), intent(in) :: ctx
        integer(int64), intent(out) :: bad
        integer(int64), intent(out), optional :: bad_row
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        type(c_factor_report) :: report
        integer(c_int) :: status
        status = c_factor_status(ctx%handle, self%handle, report)
        bad = report%bad
        if (present(bad_row)) bad_row = report%bad_row + 1
        call finish(status, stat, message)
    end subroutine

    ! Computes x := alpha op(M)^-1 b, M being about A.
    subroutine factor_solve(self, ctx, op, alpha, b, x, stat, message)
        class(tulle_factor), intent(in) :: self
        class(tulle_context), intent(in) :: ctx
        integer(c_int), intent(in) :: op
        real(real64), intent(in) :: alpha
        class(tulle_vector), intent(in) :: b
        class(tulle_vector), intent(inout) :: x
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call finish(c_factor_solve(ctx%handle, op, scalar(alpha), self%handle, b%handle, x%handle), stat, message)
    end subroutine

    ! Operators.

    ! Makes the operator of A.
    subroutine linop_from_matrix(self, ctx, A, stat, message)
        class(tulle_linop), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        class(tulle_matrix), intent(in) :: A
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call self%destroy()
        call finish(c_linop_from_mat(ctx%handle, A%handle, self%handle), stat, message)
    end subroutine

    ! Makes the operator of a matrix whose rows are shared.
    subroutine linop_from_shared(self, ctx, A, stat, message)
        class(tulle_linop), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        class(tulle_dist_matrix), intent(in) :: A
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call self%destroy()
        call finish(c_linop_from_dist(ctx%handle, A%handle, self%handle), stat, message)
    end subroutine

    ! Makes the operator that solves with factors, on vectors of tulle_f64 unless type says otherwise.
    subroutine linop_from_factor(self, ctx, F, type, stat, message)
        class(tulle_linop), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        class(tulle_factor), intent(in) :: F
        integer(c_int), intent(in), optional :: type
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        integer(c_int) :: vectors
        vectors = tulle_f64
        if (present(type)) vectors = type
        call self%destroy()
        call finish(c_linop_from_factor(ctx%handle, F%handle, vectors, self%handle), stat, message)
    end subroutine

    ! Makes an operator of the caller's A, of rows x cols, cols as many as rows where it is left out, on vectors of tulle_f64
    ! unless type says otherwise. A is a target that is not copied and outlives the operator, and objects that keep it. It is
    ! not applied transposed, and does not know its diagonal.
    subroutine linop_from_operator(self, ctx, rows, A, cols, type, stat, message)
        class(tulle_linop), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        integer(int64), intent(in) :: rows
        class(tulle_operator), intent(inout), target :: A
        integer(int64), intent(in), optional :: cols
        integer(c_int), intent(in), optional :: type
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        type(operator_box), pointer :: box
        type(c_linop_functions) :: functions
        integer(int64) :: width
        integer(c_int) :: vectors, status
        width = rows
        vectors = tulle_f64
        if (present(cols)) width = cols
        if (present(type)) vectors = type
        functions%apply = c_funloc(apply_box)
        functions%destroy = c_funloc(destroy_box)
        allocate (box)
        box%held => A
        call self%destroy()
        status = c_linop_create(ctx%handle, vectors, rows, width, functions, c_loc(box), self%handle)
        if (status /= tulle_ok) deallocate (box)
        call finish(status, stat, message)
    end subroutine

    ! Applies an operator of the caller's for the C library, whose objects it lends.
    function apply_box(self, ctx, X, Y) bind(c, name="") result(status)
        type(c_ptr), value :: self, ctx, X, Y
        integer(c_int) :: status
        type(operator_box), pointer :: box
        type(tulle_context) :: place
        type(tulle_vector) :: from, to
        integer :: stat
        call c_f_pointer(self, box)
        place%handle = ctx
        from%handle = X
        to%handle = Y
        call box%held%apply(place, from, to, stat)
        place%handle = c_null_ptr
        from%handle = c_null_ptr
        to%handle = c_null_ptr
        status = int(merge(stat, tulle_invalid_argument, stat >= 0), c_int)
    end function

    ! Frees the box of an operator of the caller's.
    subroutine destroy_box(self) bind(c, name="")
        type(c_ptr), value :: self
        type(operator_box), pointer :: box
        call c_f_pointer(self, box)
        deallocate (box)
    end subroutine

    ! Makes Jacobi's preconditioner diag(A)^-1 of another operator; of itself the call ends as tulle_aliased.
    subroutine linop_jacobi(self, ctx, A, stat, message)
        class(tulle_linop), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        class(tulle_linop), intent(in) :: A
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        if (is_operand(self, A, stat, message)) return
        call self%destroy()
        call finish(c_linop_jacobi(ctx%handle, A%handle, self%handle), stat, message)
    end subroutine

    ! Computes Y := alpha op(L) X + beta Y.
    subroutine linop_apply(self, ctx, op, alpha, X, beta, Y, stat, message)
        class(tulle_linop), intent(in) :: self
        class(tulle_context), intent(in) :: ctx
        integer(c_int), intent(in) :: op
        real(real64), intent(in) :: alpha, beta
        class(tulle_vector), intent(in) :: X
        class(tulle_vector), intent(inout) :: Y
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call finish(c_linop_apply(ctx%handle, op, scalar(alpha), self%handle, X%handle, scalar(beta), Y%handle), stat, message)
    end subroutine

    ! Computes anew what was computed from values that have changed since.
    subroutine linop_renew(self, ctx, stat, message)
        class(tulle_linop), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        call finish(c_linop_renew(ctx%handle, self%handle), stat, message)
    end subroutine

    ! Multigrid.

    ! Makes a hierarchy of A. Options that are left out are the library's choice (tulle/amg.h); keep_plans makes updates
    ! with tulle_amg_keep_p faster and takes more memory. block is the number of unknowns of a node, 1 to 16, whose rows follow
    ! each other, as of velocities and pressure; such systems have the family tulle_amg_smoothed.
    subroutine amg_create(self, ctx, A, family, strength, degree, keep_plans, block, stat, message)
        class(tulle_amg), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        class(tulle_matrix), intent(in) :: A
        integer(c_int), intent(in), optional :: family
        integer, intent(in), optional :: degree, block
        real(real64), intent(in), optional :: strength
        logical, intent(in), optional :: keep_plans
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        type(c_amg_options) :: options
        if (present(family)) options%family = family
        if (present(strength)) options%strength = strength
        if (present(degree)) options%degree = int(degree, c_int)
        if (present(block)) options%block = int(block, c_int)
        if (present(keep_plans)) options%keep_plans = logical(keep_plans, c_bool)
        call self%destroy()
        call finish(c_amg_create_sized(ctx%handle, A%handle, options, c_sizeof(options), self%handle), stat, message)
    end subroutine

    ! Makes a hierarchy over the rows of all processes, which call (tulle_amg_create_dist). A level of at most gathered_rows rows
    ! is gathered in all processes.
    subroutine amg_create_shared(self, ctx, A, family, strength, degree, gathered_rows, stat, message)
        class(tulle_amg), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        class(tulle_dist_matrix), intent(in) :: A
        integer(c_int), intent(in), optional :: family
        integer, intent(in), optional :: degree
        real(real64), intent(in), optional :: strength
        integer(int64), intent(in), optional :: gathered_rows
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        type(c_amg_options) :: options
        if (present(family)) options%family = family
        if (present(strength)) options%strength = strength
        if (present(degree)) options%degree = int(degree, c_int)
        if (present(gathered_rows)) options%gathered_rows = gathered_rows
        call self%destroy()
        call finish(c_amg_create_dist_sized(ctx%handle, A%handle, options, c_sizeof(options), self%handle), stat, message)
    end subroutine

    ! Brings the hierarchy to the values that its own matrix has now, or to those of another matrix A.
    subroutine amg_update(self, ctx, how, A, stat, message)
        class(tulle_amg), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        integer(c_int), intent(in) :: how
        class(tulle_matrix), intent(in), optional :: A
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        type(c_ptr) :: other
        other = c_null_ptr
        if (present(A)) other = A%handle
        call finish(c_amg_update(ctx%handle, self%handle, other, how), stat, message)
    end subroutine

    ! Returns the number of levels; 0 without a hierarchy.
    function amg_levels(self) result(levels)
        class(tulle_amg), intent(in) :: self
        integer :: levels
        type(c_amg_info) :: info
        levels = 0
        if (c_amg_describe(self%handle, info) == tulle_ok) levels = int(info%levels)
    end function

    ! Solutions.

    ! Makes a solver of A x = b with the preconditioner M, if given; it keeps both. Options that are left out are zeros of
    ! tulle_solver_options (tulle/solver.h): tulle_cg, to a tolerance of 1e-8 (1e-5 in f32), from x = 0. A norm of the residual
    ! of at most absolute ends a solution, too. constant_null_space says that A is singular, as of a pressure that is given
    ! nowhere, and that its null space and that of its transpose are the constant vectors: x then has the mean 0, and the mean
    ! of b is left out.
    subroutine solver_create(self, ctx, A, M, method, tolerance, max_iterations, guess, restart, absolute, max_seconds, &
            constant_null_space, stat, message)
        class(tulle_solver), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        class(tulle_linop), intent(in) :: A
        class(tulle_linop), intent(in), optional :: M
        integer(c_int), intent(in), optional :: method
        real(real64), intent(in), optional :: tolerance, absolute, max_seconds
        integer, intent(in), optional :: max_iterations, restart
        logical, intent(in), optional :: guess, constant_null_space
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        type(c_solver_options) :: options
        type(c_ptr) :: precond
        precond = c_null_ptr
        if (present(M)) precond = M%handle
        if (present(method)) options%method = method
        if (present(restart)) options%restart = int(restart, c_int)
        call set_limits(options, tolerance, max_iterations, guess, absolute, max_seconds, constant_null_space)
        call self%destroy()
        call finish(c_solver_create_sized(ctx%handle, A%handle, precond, options, c_sizeof(options), self%handle), stat, message)
    end subroutine

    ! Solves A x = b; x holds the guess where the solver was made with guess. No convergence is no error.
    subroutine solver_run(self, ctx, b, x, report, stat, message)
        class(tulle_solver), intent(inout) :: self
        class(tulle_context), intent(in) :: ctx
        class(tulle_vector), intent(in) :: b
        class(tulle_vector), intent(inout) :: x
        type(tulle_report), intent(out) :: report
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        type(c_solver_report) :: told
        integer(c_int) :: status
        status = c_solver_run(ctx%handle, self%handle, b%handle, x%handle, told)
        if (status == tulle_ok) call tell(told, report)
        call finish(status, stat, message)
    end subroutine

    ! Solves A x = b by a method and a preconditioner that facts of A choose, unless their names are given (tulle/solve.h):
    ! method 'cg', 'bicgstab', 'gmres', 'minres'; precond 'jacobi', 'ilu:0', 'amg', 'lu' and others. The other options are those
    ! of solver's create, and block is that of tulle_amg's. No convergence is no error.
    subroutine solve_matrix(ctx, A, b, x, report, method, precond, tolerance, max_iterations, max_seconds, guess, absolute, &
            constant_null_space, block, stat, message)
        class(tulle_context), intent(in) :: ctx
        class(tulle_matrix), intent(in) :: A
        class(tulle_vector), intent(in) :: b
        class(tulle_vector), intent(inout) :: x
        type(tulle_report), intent(out) :: report
        character(*), intent(in), optional :: method, precond
        real(real64), intent(in), optional :: tolerance, max_seconds, absolute
        integer, intent(in), optional :: max_iterations, block
        logical, intent(in), optional :: guess, constant_null_space
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        type(c_solve_options) :: options
        if (present(block)) options%block = int(block, c_int)
        call set_limits(options%solver, tolerance, max_iterations, guess, absolute, max_seconds, constant_null_space)
        call solve_either(ctx, A, .false., b, x, report, options, method, precond, stat, message)
    end subroutine

    ! Solves A x = b for rows that are shared, as of a matrix, with b and x of this process's rows; all processes call.
    ! Preconditioners but 'jacobi', 'chebyshev' and multigrid's are of the block of each process's rows (tulle_dist_solve).
    subroutine solve_shared(ctx, A, b, x, report, method, precond, tolerance, max_iterations, max_seconds, guess, absolute, &
            constant_null_space, stat, message)
        class(tulle_context), intent(in) :: ctx
        class(tulle_dist_matrix), intent(in) :: A
        class(tulle_vector), intent(in) :: b
        class(tulle_vector), intent(inout) :: x
        type(tulle_report), intent(out) :: report
        character(*), intent(in), optional :: method, precond
        real(real64), intent(in), optional :: tolerance, max_seconds, absolute
        integer, intent(in), optional :: max_iterations
        logical, intent(in), optional :: guess, constant_null_space
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        type(c_solve_options) :: options
        call set_limits(options%solver, tolerance, max_iterations, guess, absolute, max_seconds, constant_null_space)
        call solve_either(ctx, A, .true., b, x, report, options, method, precond, stat, message)
    end subroutine

    ! Solves A x = b for a matrix, or for one whose rows are shared.
    subroutine solve_either(ctx, A, shared, b, x, report, options, method, precond, stat, message)
        class(tulle_context), intent(in) :: ctx
        class(tulle_object), intent(in) :: A
        logical, intent(in) :: shared
        class(tulle_vector), intent(in) :: b
        class(tulle_vector), intent(inout) :: x
        type(tulle_report), intent(inout) :: report
        type(c_solve_options), intent(inout) :: options
        character(*), intent(in), optional :: method, precond
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: message
        type(c_solve_report) :: told
        character(kind=c_char, len=:), allocatable, target :: method_text, precond_text
        integer(c_int) :: status
        if (present(method)) then
            method_text = trim(method) // c_null_char
            options%method = c_loc(method_text)
        end if
        if (present(precond)) then
            precond_text = trim(precond) // c_null_char
            options%precond = c_loc(precond_text)
        end if
        if (shared) then
            status = c_dist_solve_sized(ctx%handle, A%handle, b%handle, x%handle, options, c_sizeof(options), told)
        else
            status = c_solve_sized(ctx%handle, A%handle, b%handle, x%handle, options, c_sizeof(options), told)
        end if
        if (status == tulle_ok) then
            call tell(told%solver, report)
            report%method = text_at(c_method_name(told%method))
            report%precond = text_of(told%precond)
            report%method_why = text_of(told%method_why)
            report%precond_why = text_of(told%precond_why)
        end if
        call finish(status, stat, message)
    end subroutine

    ! Stores the options of a solution that are given.
    subroutine set_limits(options, tolerance, max_iterations, guess, absolute, max_seconds, constant_null_space)
        type(c_solver_options), intent(inout) :: options
        real(real64), intent(in), optional :: tolerance, absolute, max_seconds
        integer, intent(in), optional :: max_iterations
        logical, intent(in), optional :: guess, constant_null_space
        if (present(tolerance)) options%tolerance = tolerance
        if (present(max_iterations)) options%max_iterations = int(max_iterations, c_int64_t)
        if (present(guess)) options%guess = logical(guess, c_bool)
        if (present(absolute)) options%absolute = absolute
        if (present(max_seconds)) options%max_seconds = max_seconds
        if (present(constant_null_space)) options%constant_null_space = logical(constant_null_space, c_bool)
    end subroutine

    ! Copies the report of a solver.
    subroutine tell(told, report)
        type(c_solver_report), intent(in) :: told
        type(tulle_report), intent(inout) :: report
        report%outcome = told%outcome
        report%iterations = told%iterations
        report%start_norm = told%start_norm
        report%norm = told%norm
        report%limit = told%limit
        report%setup_ms = told%setup_ms
        report%solve_ms = told%solve_ms
    end subroutine

    ! Returns true when the residual of x itself is small enough.
    pure function report_converged(self) result(yes)
        class(tulle_report), intent(in) :: self
        logical :: yes
        yes = self%outcome == tulle_converged
    end function

    ! Returns one line of text for the outcome.
    function report_text(self) result(text)
        class(tulle_report), intent(in) :: self
        character(:), allocatable :: text
        text = text_at(c_outcome_text(self%outcome))
    end function
end module
