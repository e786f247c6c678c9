# SPDX-License-Identifier: Apache-2.0
"""tulle's products and iterative methods for those of CuPy's sparse matrices: real ones of one type go to tulle.csr and
tulle.solve, and all else to CuPy's own."""
import functools
import warnings

import tulle

_REAL = "fd"


def matrix_of(A):
    """A matrix of CuPy in CSR or CSC as a tulle.csr, which borrows its arrays."""
    arrays = A.data, A.indices, A.indptr
    return tulle.csr(arrays, shape=A.shape) if A.format == "csr" else tulle.csr(arrays, shape=A.shape[::-1]).T


def is_ours(A):
    """True for matrices of two dimensions that tulle.csr can compute with."""
    return getattr(A, "format", None) in ("csr", "csc") and A.ndim == 2 and A.dtype.char in _REAL


def product(A, other, kind):
    """A @ other: an array of the kind of arrays that A has, or a tulle.csr; None where it is CuPy's: of other types, of
    two types, and of operands that do not fit, where CuPy's error is wanted."""
    if not is_ours(A):
        return None
    if isinstance(other, kind):
        fits = other.ndim in (1, 2) and other.dtype == A.dtype and other.shape[0] == A.shape[1]
        return matrix_of(A) @ other if fits else None
    if is_ours(other) and other.dtype == A.dtype and other.shape[0] == A.shape[1]:
        return matrix_of(A) @ matrix_of(other)
    return None


def solution(method, A, b, x0, rtol, atol, maxiter, kind):
    """x and the word of CuPy's methods on its end; None where it is CuPy's: of operators and dense matrices, of other
    types, and of operands that do not fit, where CuPy's error is wanted."""
    if not (is_ours(A) and A.shape[0] == A.shape[1] > 0 and isinstance(b, kind) and b.dtype == A.dtype):
        return None
    if b.shape not in ((A.shape[0],), (A.shape[0], 1)):
        return None
    if x0 is not None and not (isinstance(x0, kind) and x0.dtype == b.dtype and x0.shape in (b.shape, b.shape[:1])):
        return None
    x0 = None if x0 is None else x0.ravel()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tulle.ConvergenceWarning)
        x, report = tulle.solve(matrix_of(A), b.ravel(), x0=x0, rtol=rtol, atol=atol, maxiter=maxiter or 0,
                                method=method, precond="none")
    return x, 0 if report.converged else report.iterations


def dispatcher(theirs, kind, around):
    """CuPy's method behind all products, with tulle's products in front of it."""

    @functools.wraps(theirs)
    def _matmul_dispatch(self, other):
        found = product(self, other, kind)
        if found is None:
            return theirs(self, other)
        return around(self, found) if isinstance(found, tulle.csr) else found
    return _matmul_dispatch


def method_of(name, theirs, kind):
    """One of CuPy's iterative methods, with tulle's in front of it. CuPy's has the systems with a preconditioner, which
    is a matrix there and a word in tulle.solve, with a callback, and with settings that only CuPy has."""

    @functools.wraps(theirs)
    def method(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None, **settings):
        plain = M is None and callback is None and not settings and isinstance(atol, float)
        found = solution(name, A, b, x0, rtol, atol, maxiter, kind) if plain else None
        if found is not None:
            return found
        return theirs(A, b, x0, rtol=rtol, atol=atol, maxiter=maxiter, M=M, callback=callback, **settings)
    return method


def install(counted):
    """Puts tulle's products and methods in the place of CuPy's, and counts their calls."""
    import cupy
    import cupyx.scipy.sparse as sparse
    import cupyx.scipy.sparse.linalg as linalg

    def around(A, C):
        """A product of two sparse matrices as CuPy's methods give it, around tulle's arrays."""
        return A._csr_container._from_parts(C.data, C.indices, C.indptr, C.shape)
    for bases in (sparse._csr._csr_base, sparse._csc._csc_base):
        bases._matmul_dispatch = dispatcher(bases._matmul_dispatch, cupy.ndarray, around)
        counted(bases, "_matmul_dispatch", "entered")
    for name in ("cg", "bicgstab", "gmres"):
        setattr(linalg, name, method_of(name, getattr(linalg, name), cupy.ndarray))
        counted(linalg, name, "entered")
