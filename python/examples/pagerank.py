# SPDX-License-Identifier: Apache-2.0
"""The most important pages of a web, by PageRank, and the number of triangles of pages that are linked.

Usage: python pagerank.py [PAGES]
"""
import sys

import numpy as np
import scipy.sparse as sp

import tulle


def make_web(pages, links=8, seed=1):
    """A web at random, in which pages with small numbers are linked to most: A[i, j] is 1 where page i links to j."""
    rng = np.random.default_rng(seed)
    sources = rng.integers(pages, size=links * pages)
    targets = (pages * rng.random(links * pages) ** 2).astype(int)
    apart = sources != targets
    A = tulle.csr_array((np.ones(apart.sum()), (sources[apart], targets[apart])), shape=(pages, pages))
    A.sum_duplicates()
    A.data[:] = 1
    return A


def page_rank(A, damping=0.85, tolerance=1e-12):
    """Ranks x = damping P x + (1 - damping) / n, where P has a reader of a page follow one of its links at random, and
    from a page without links go anywhere. Returns x and the number of products."""
    n, links = A.shape[0], A.sum(axis=1)
    P = tulle.csr_array(sp.diags(1 / np.maximum(links, 1)) @ A).T.tocsr()
    P.optimize(100)
    x, ends = np.full(n, 1 / n), links == 0
    for products in range(1, 1000):
        following = damping * (P @ x + x[ends].sum() / n) + (1 - damping) / n
        change, x = np.abs(following - x).sum(), following
        if change <= tolerance:
            break
    return x, products


def count_triangles(A):
    """The number of triangles of the graph that has an edge wherever A has an entry, in either direction."""
    lower = tulle.csr_array(sp.tril(A + A.T, -1, format="csr"))
    lower.data[:] = 1
    return int((lower @ lower).multiply(lower).sum())


def main(pages=200_000):
    A = make_web(pages)
    ranks, products = page_rank(A)
    best = np.argsort(-ranks)[:5]
    print(f"{pages:,} pages, {A.nnz:,} links: ranks after {products} products, their sum {ranks.sum():.12f}")
    print("the first pages:", ", ".join(f"{page} ({ranks[page]:.2e})" for page in best))
    print(f"triangles: {count_triangles(A):,}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
