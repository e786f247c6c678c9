# SPDX-License-Identifier: Apache-2.0
"""SciPy's own tests of csr_array and csc_array, which its packages bring along, on tulle's."""
import numpy as np
import pytest
import scipy.sparse.tests.test_base as theirs

import tulle

pytestmark = pytest.mark.filterwarnings("ignore")


if not hasattr(theirs.TestCSR, "spcreator"):
    pytest.skip("up to SciPy 1.10 these are tests of csr_matrix alone", allow_module_level=True)


class TestCSRTulle(theirs.TestCSR):
    spcreator = tulle.csr_array


class TestCSCTulle(theirs.TestCSC):
    spcreator = tulle.csc_array


class TestCSRNonCanonicalTulle(theirs._NonCanonicalCSMixin, TestCSRTulle):
    """Rows that are not sorted, and repeated entries."""


class TestCSCNonCanonicalTulle(theirs._NonCanonicalCSMixin, TestCSCTulle):
    """The same of columns."""


def test_they_make_arrays_of_tulle():
    made = TestCSRTulle().spcreator(np.eye(3))
    assert type(made) is tulle.csr_array
    assert type(made @ made) is tulle.csr_array
