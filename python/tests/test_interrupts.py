# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C at every step of Python that begins or ends a long call: nothing of it is left in the library."""
import sys
import types

import numpy as np
import pytest
import scipy.sparse as sp

import tulle
from tulle import _errors, _interrupts, _solve
from tulle._context import cpu
from tulle._library import ffi, lib
from tulle._progress import Progress

MOST_STEPS = 5000  # of a call; it has some hundreds


class Pressed(KeyboardInterrupt):
    """Ctrl-C of this test."""


def pressed_at(step, call):
    """Calls, and raises Pressed before the given step of the package's Python code; returns whether it came so far."""
    passed, done = 0, False

    def trace(frame, event, _argument):
        nonlocal passed, done
        if "/tulle/_" not in frame.f_code.co_filename and "contextlib" not in frame.f_code.co_filename:
            return None
        frame.f_trace_opcodes = True
        passed += event == "opcode"
        if passed > step and not done:
            done = True
            raise Pressed
        return trace
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return done


def steps(call):
    """Yields after each call that was interrupted, at one step after the other, once Pressed has come out."""
    for step in range(MOST_STEPS):
        came_out = False
        try:
            came_so_far = pressed_at(step, call)
        except Pressed:
            came_out = True  # here the exception still keeps the frames that it came through
        if not came_out:
            assert not came_so_far, f"the interrupt at step {step} was lost"
            return
        yield step
    pytest.fail("the call does not end")


def test_the_library_keeps_no_callback_that_is_gone(monkeypatch):
    asked = []

    def set_progress(context, callback, user):
        asked.append(callback)
        return lib.tulle_ctx_set_progress(context, callback, user)

    def call():
        with _interrupts.interruptible():
            pass
    monkeypatch.setattr(_interrupts, "lib", types.SimpleNamespace(tulle_ctx_set_progress=set_progress))
    call()
    assert asked[-1] == ffi.NULL
    count = 0
    for count, _ in enumerate(steps(call)):
        assert asked[-1] in (ffi.NULL, cpu().asks)
        call()
        assert asked[-1] == ffi.NULL and not cpu().blocks
    assert count > 50


def test_what_was_made_is_destroyed():
    """Ctrl-C that came while the library made an object is raised when the object is there."""
    destroyed = []

    def maker(out):
        out[0] = ffi.cast("tulle_mat *", 8)
        raise Pressed
    with pytest.raises(Pressed):
        _errors.made(maker, "tulle_mat **", destroyed.append)
    assert destroyed == [ffi.cast("tulle_mat *", 8)]


def test_long_calls_ask(monkeypatch):
    """Ctrl-C is heard where the library asks whether to go on, in conversions and preparations, too."""
    S = sp.random(3000, 3000, 0.06, format="csr", random_state=1)
    A, B = tulle.csr_array(S), tulle.csr((S.data, S.indices, S.indptr), shape=S.shape)
    want = S @ np.ones(3000)

    def tell(*_step):
        raise Pressed
    for call in (A.tocsc, A.T.tocsr, lambda: A.optimize(10**9), lambda: A.T.optimize(10**9),
                 lambda: B.optimize(10**9), lambda: B.T.optimize(10**9), lambda: tulle.solve(B.T, np.ones(3000))):
        with monkeypatch.context() as pressing:
            pressing.setattr(Progress, "tell", tell)
            with pytest.raises(Pressed):
                call()
        assert np.allclose(A @ np.ones(3000), want) and np.allclose(B @ np.ones(3000), want)


def test_an_exception_of_a_callback_comes_once():
    A = tulle.csr_array(sp.eye(30, format="csr"))

    def fails(_x):
        raise Pressed
    preconditioner = sp.linalg.LinearOperator(A.shape, fails, dtype=float)
    with pytest.raises(Pressed) as raised:
        tulle.cg(A, np.ones(30), M=preconditioner)
    assert raised.value.__context__ is None
    assert tulle.cg(A, np.ones(30))[1] == 0


def test_a_second_interrupt_does_not_hide_the_first(monkeypatch):
    """Where Ctrl-C comes again before the exception of the first one is kept, the library has only the callback's 1."""
    A = tulle.csr_array(sp.eye(30, format="csr"))
    monkeypatch.setattr(_solve, "callback", lambda signature, function: ffi.callback(signature, lambda *step: 1))
    for call in (tulle.solve, tulle.cg):
        with pytest.raises(KeyboardInterrupt):
            call(A, np.ones(30))
