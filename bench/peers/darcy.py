"""The Darcy matrix assembled and solved by SciPy (SuperLU), timed and compared with a given solution.

usage: darcy.py DIRECTORY, which holds coefficient.f64 and solution.f64 (row-major, little endian, square)
"""

import math
import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import splu, spsolve


def matrix(a):
    """5-point differences of -div(a grad u), arithmetic face means, u = 0 on the boundary."""
    n = len(a)
    number = np.full((n, n), -1)
    number[1:-1, 1:-1] = np.arange((n - 2) ** 2).reshape(n - 2, n - 2)
    rows, columns, entries = [], [], []
    for p, q, face in [
        (number[:, :-1], number[:, 1:], (a[:, :-1] + a[:, 1:]) / 2),
        (number[:-1], number[1:], (a[:-1] + a[1:]) / 2),
    ]:
        for here, there in [(p, q), (q, p)]:
            inside = here >= 0
            rows.append(here[inside]), columns.append(here[inside]), entries.append(face[inside])
            inside &= there >= 0
            rows.append(here[inside]), columns.append(there[inside]), entries.append(-face[inside])
    join = np.concatenate
    return sparse.csc_matrix((join(entries) * (n - 1) ** 2, (join(rows), join(columns))))


def best(function, repeats=2):
    seconds = math.inf
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        seconds = min(seconds, time.perf_counter() - start)
    return seconds, result


def main():
    load = lambda name: np.fromfile(Path(sys.argv[1]) / name, "<f8")
    coefficient, solution = load("coefficient.f64"), load("solution.f64")
    n = math.isqrt(coefficient.size)
    a, u = coefficient.reshape(n, n), solution.reshape(n, n)
    f = np.ones((n - 2) ** 2)
    solvers = {
        "spsolve": lambda: spsolve(matrix(a), f),
        "splu, symmetric mode": lambda: splu(
            matrix(a), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
        ).solve(f),
    }
    for name, solve in solvers.items():
        seconds, reference = best(solve)
        difference = np.abs(u[1:-1, 1:-1].ravel() - reference).max() / np.abs(reference).max()
        print(f"scipy {name}: {60 / seconds:.1f} solves/min on 1 thread; relative difference {difference:.1e}")


main()
