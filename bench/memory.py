"""Resident memory over many calls from Python: `memory.py RUN CALLS`, of a model in one dimension.

Prints the memory in megabytes after each tenth of the calls, of encode, at and decode, and of `predict` on a table.
"""

import resource
import sys
from collections.abc import Callable

import numpy as np

import lto


def resident() -> float:
    """Resident memory in megabytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 1e6


def main() -> None:
    run, calls = sys.argv[1], int(sys.argv[2])
    model = lto.load(run)
    points, values, query = (np.arange(8) + 0.5) / 8, np.full(8, 0.1), lto.Grid(16)
    table = {"x": points, model.channels[0]: values}
    kinds: dict[str, Callable[[], object]] = {
        "encode, at, decode": lambda: model.encode(points, values, s=0.0).at(0.05).decode(query),
        "predict": lambda: model.predict(table, [0.05], query, s=0.0),
    }
    for name, call in kinds.items():
        seen = []
        for _ in range(10):
            for _ in range(calls // 10):
                call()
            seen.append(f"{resident():.2f}")
        print(f"{name}, {calls} calls: {' '.join(seen)} MB", flush=True)


if __name__ == "__main__":
    main()
