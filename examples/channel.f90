! SPDX-License-Identifier: Apache-2.0
! Flow through a channel that a force stirs: in each time step the pressure makes the flow free of divergence again. The
! pressure of a cell is q h / dt, and A q = -(flow out of the cell); A stays, and so do multigrid's hierarchy and the solver.
! The flow enters on the left with velocity 1, leaves on the right at pressure 0, and walls close top and bottom.
! Usage: example-channel [a place such as cpu:2]
program channel
    use, intrinsic :: iso_fortran_env, only: int32, real64
    use tulle
    implicit none
    integer, parameter :: nx = 160, ny = 40, steps = 5
    real(real64), parameter :: h = 1.0_real64 / ny, dt = h / 2
    type(tulle_context) :: ctx
    type(tulle_matrix) :: A
    type(tulle_linop) :: L
    type(tulle_amg) :: M
    type(tulle_solver) :: cg
    type(tulle_vector) :: b, x
    type(tulle_report) :: report
    integer(int32) :: offsets(nx * ny + 1), columns(5 * nx * ny)
    real(real64) :: values(5 * nx * ny), q(nx, ny)
    real(real64) :: u(0:nx, ny), v(nx, 0:ny) ! velocities through vertical and horizontal faces
    character(32) :: place
    integer :: step, entries

    call assemble()
    call get_command_argument(1, place)
    if (place == '') place = 'auto'
    call ctx%create(place)
    call A%create_csr(ctx, offsets, columns(:entries), values(:entries))
    call L%from_matrix(ctx, A)
    call M%create(ctx, A)
    call cg%create(ctx, L, M, tolerance=1e-10_real64, guess=.true.)
    call b%create(ctx, nx * ny)
    call x%create(ctx, nx * ny)
    call x%fill(ctx, 0.0_real64)

    u = 1
    v = 0
    do step = 1, steps
        call stir(step * dt)
        call b%write(ctx, -outflow())
        call cg%run(ctx, b, x, report) ! the last step's x is the guess
        if (.not. report%converged()) error stop report%text()
        call x%read(ctx, q)
        u(1:nx - 1, :) = u(1:nx - 1, :) - (q(2:, :) - q(:nx - 1, :))
        u(nx, :) = u(nx, :) + 2 * q(nx, :)
        v(:, 1:ny - 1) = v(:, 1:ny - 1) - (q(:, 2:) - q(:, :ny - 1))
        print '(a, i0, a, i0, a, es8.1)', 'step ', step, ': ', report%iterations, ' iterations, divergence at most', &
            maxval(abs(outflow())) / h
    end do
    if (maxval(abs(outflow())) > 1e-7_real64) error stop 'the flow is not free of divergence'

contains

    ! Makes A in CSR with indices from 1 on: a face to a neighbour counts 1, one to the outlet, half as far away, 2.
    subroutine assemble()
        integer :: i, j, row
        real(real64) :: diagonal
        entries = 0
        do j = 1, ny
            do i = 1, nx
                row = i + (j - 1) * nx
                offsets(row) = entries + 1
                diagonal = count([j > 1, i > 1, i < nx, j < ny]) + merge(2, 0, i == nx)
                if (j > 1) call put(row - nx, -1.0_real64)
                if (i > 1) call put(row - 1, -1.0_real64)
                call put(row, diagonal)
                if (i < nx) call put(row + 1, -1.0_real64)
                if (j < ny) call put(row + nx, -1.0_real64)
            end do
        end do
        offsets(nx * ny + 1) = entries + 1
    end subroutine

    subroutine put(column, value)
        integer, intent(in) :: column
        real(real64), intent(in) :: value
        entries = entries + 1
        columns(entries) = column
        values(entries) = value
    end subroutine

    ! Adds a force that pushes up and down along the channel.
    subroutine stir(time)
        real(real64), intent(in) :: time
        integer :: i
        do i = 1, nx
            v(i, 1:ny - 1) = v(i, 1:ny - 1) + dt * sin(6 * i * h - 9 * time)
        end do
    end subroutine

    ! Returns the flow out of each cell.
    function outflow() result(out)
        real(real64) :: out(nx, ny)
        out = u(1:, :) - u(:nx - 1, :) + v(:, 1:) - v(:, :ny - 1)
    end function
end program
