# SPDX-License-Identifier: Apache-2.0
"""Objects that outlive the thread and the objects that they were made of; memory that does not grow; Ctrl-C."""
import copy
import gc
import os
import pickle
import textwrap
import weakref

import numpy as np
import pytest
import scipy.sparse as sp

import tulle
from processes import leaks_nothing, stops_at_interrupt
from together import in_threads
from tulle import batch, fem, uniform


def matrix(n=300):
    return sp.csr_array((sp.random(n, n, 0.02, random_state=1) + 5 * sp.eye(n)).tocsr())


def objects(A):
    """One of each kind of object."""
    mesh = fem.generate("box-hex:6")
    problem = fem.Diffusion(mesh, f=1.0, conditions=[fem.Dirichlet()])
    pattern, work = uniform.Pattern(A), batch.Batch()
    return {"mesh": mesh, "problem": problem, "matrix": problem.matrix(), "operator": problem.operator(),
            "free": problem.matrix_free(), "pattern": pattern, "ilu": pattern.ilu(np.stack([A.data] * 3)),
            "lu": uniform.lu(np.stack([2 * np.eye(3)] * 4)), "product": tulle.Product(A, A), "T": tulle.Triangle(A),
            "y": work.solve(work.lu(A), np.ones(len(A.indptr) - 1)), "batch": work, "C": tulle.spgemm(A, A)}


def test_objects_of_a_thread_that_has_ended():
    A, made = matrix(), {}
    in_threads(lambda: made.update(objects(A)), 1)
    gc.collect()
    [np.zeros(10**6) for _ in range(3)]
    K, ones = made["matrix"], np.ones(343)
    np.testing.assert_array_equal(made["problem"].matrix().toarray(), K.toarray())
    assert made["problem"].load().sum() > 0 and made["mesh"].boundary().cell_count == 216
    values = np.stack([A.data] * 3)
    np.testing.assert_allclose(made["pattern"].multiply(values, np.ones((3, 300)))[1], A @ np.ones(300))
    made["ilu"].update(values)
    assert made["ilu"].solve(np.ones((3, 300))).shape == (3, 300)
    np.testing.assert_array_equal(made["lu"].solve(np.ones((4, 3))), 0.5)
    for C in (made["product"].update(A, A), made["C"]):
        np.testing.assert_allclose(C.toarray(), (A @ A).toarray())
    np.testing.assert_allclose(np.tril(A.toarray()) @ (made["T"] @ np.ones(300)), 1)
    made["batch"].run()
    np.testing.assert_allclose(A @ made["y"], 1)
    operators = made["operator"], made["free"]
    made.clear()
    gc.collect()
    [np.zeros(10**6) for _ in range(3)]
    for L in operators:
        np.testing.assert_allclose(L @ ones, K @ ones, atol=1e-13)
    tulle.set_threads(1)
    np.testing.assert_allclose(operators[0] @ ones, K @ ones, atol=1e-13)
    tulle.set_threads(None)


def test_a_child_of_fork_has_the_objects():
    A = matrix()
    made = objects(A)

    def works():
        made["y"][:] = 0
        made["batch"].run()
        made["product"].update(A, A)
        made["ilu"].update(np.stack([A.data] * 3))
        made["free"] @ (made["problem"].matrix() @ np.ones(343))
        return np.allclose(A @ made["y"], 1) and np.allclose(np.tril(A.toarray()) @ (made["T"] @ np.ones(300)), 1)
    assert works()
    child = os.fork()
    if child == 0:
        os._exit(0 if works() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert works()


def test_what_is_of_one_process_says_so():
    """Others are pickled: matrices, reports and errors."""
    A = tulle.csr_array(matrix())
    things = [thing for name, thing in objects(A).items() if name not in ("matrix", "y", "C")]
    for thing in (*things, tulle.amg(A), tulle.ilu(A), tulle.Context("cpu")):
        for take in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="cannot be pickled or copied: pickle what it was made of"):
                take(thing)
    with pytest.raises(tulle.ZeroPivot) as failure:
        tulle.ilu(np.array([[0.0, 1.0], [1.0, 0.0]]))
    taken = pickle.loads(pickle.dumps(failure.value))
    assert (type(taken), taken.row, str(taken)) == (tulle.ZeroPivot, 0, str(failure.value))
    report = tulle.solve(A, np.ones(300))[1]
    assert pickle.loads(pickle.dumps(report)) == report


def test_weak_references_to_matrices():
    A = tulle.csr_array(matrix())
    for thing in (A, tulle.csr(A)):
        assert weakref.ref(thing)() is thing


def test_nothing_leaks():
    def calls(count):
        for _ in range(count):
            made = objects(A)
            made["batch"].run()
            made["pattern"].solve(np.stack([A.data] * 3), np.ones((3, 50)))
            made["mesh"].nodes_of("x-min")
    A = matrix(50)
    leaks_nothing(calls, 30, 150)


MATRIX = """
        n, k = 60_000, 100
        cols = np.random.default_rng(1).integers(0, n, n * k).astype(np.int32)
        A = tulle.csr_array((np.ones(n * k), cols, np.arange(0, n * k + 1, k, dtype=np.int32)), shape=(n, n))
        print("ready", flush=True)
        """
LONG = {
    "product": MATRIX + "A @ A",
    "spgemm": MATRIX + "tulle.spgemm(A, A)",
    "generate": """
        print("ready", flush=True)
        fem.generate("box-tet:200")""",
    "functions": """
        mesh = fem.generate("box-hex:60")
        print("ready", flush=True)
        fem.Diffusion(mesh, k=lambda x, y, z: x + 1)""",
}


@pytest.mark.parametrize("call", LONG)
def test_interrupt(call):
    program = "import numpy as np, scipy.sparse as sp, sys, tulle\nfrom tulle import fem\ntry:\n" + \
        textwrap.indent(textwrap.dedent(LONG[call]), "    ") + textwrap.dedent("""
        except KeyboardInterrupt:
            print("interrupted", tulle.solve(np.eye(2), np.ones(2))[1].converged)
        """)
    stops_at_interrupt(program)
