# SPDX-License-Identifier: Apache-2.0
"""Chemistry in thousands of cells: Robertson's reactions, whose rates differ by nine orders of magnitude, in each cell
at a temperature of its own. A step solves a small system in every cell, all of them in one call.

Usage: python stiff.py [CELLS]
"""
import sys
import time

import numpy as np

import tulle

END = 40.0


def rates(y, speed):
    """The rates at which the three species of each cell change, and their derivatives."""
    slow, fast, pair = 0.04 * speed, 1e4, 3e7 * speed
    a, b, c = y.T
    forth, back, burnt = slow * a, fast * b * c, pair * b * b
    J = np.zeros((len(y), 3, 3))
    J[:, 0] = np.stack([-slow, fast * c, fast * b], axis=1)
    J[:, 2, 1] = 2 * pair * b
    J[:, 1] = -J[:, 0] - J[:, 2]
    return np.stack([back - forth, forth - back - burnt, burnt], axis=1), J


def step(y, dt, speed):
    """A step of the Rosenbrock method of order 2 that damps stiff parts: two systems with one matrix in each cell."""
    gamma = 1 - 1 / np.sqrt(2)
    f, J = rates(y, speed)
    F = tulle.uniform.lu(np.eye(3) - gamma * dt * J)
    first = F.solve(f)
    second = F.solve(rates(y + dt * first, speed)[0] - 2 * first)
    return y + dt * (1.5 * first + 0.5 * second)


def main(cells=20_000):
    speed = np.exp(np.linspace(-1, 1, cells | 1))  # an odd number of cells, so that the middle one has speed 1
    y = np.tile([1.0, 0.0, 0.0], (len(speed), 1))
    ends = np.concatenate([[0], np.geomspace(1e-6, END, 300)])
    begin = time.perf_counter()
    for dt in np.diff(ends):
        y = step(y, dt, speed)
    spent = time.perf_counter() - begin
    a, b, c = y[len(y) // 2]
    steps = len(ends) - 1
    print(f"{len(y):,} cells, {steps} steps: {1e9 * spent / (len(y) * steps):.0f} ns for each step of a cell")
    print(f"middle cell at time {END:g}: {a:.5f} {b:.4e} {c:.5f}")
    print(f"largest change of mass: {np.abs(y.sum(axis=1) - 1).max():.1e}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
