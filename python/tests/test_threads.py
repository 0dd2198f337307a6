"""One model for several threads, and no memory lost over many calls."""

from __future__ import annotations

import os
import resource
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import lto

CALLS = int(os.environ.get("LTO_LEAK_CALLS", "4000"))
"""Calls of the test for leaks; 100000 takes some minutes."""


def forecast(model: lto.Model, seed: int) -> Any:
    points = np.random.default_rng(seed).random((20, 1))
    state = model.encode(points, np.sin(2 * np.pi * points[:, 0] + seed), s=0.0)
    return np.stack([state.at(t).decode(lto.Grid(2048)).values for t in (0.25, 1.0)])


def test_four_threads_predict_what_one_does(model: lto.Model) -> None:
    serial = [forecast(model, seed) for seed in range(8)]
    with ThreadPoolExecutor(4) as pool:
        at_once = list(pool.map(lambda seed: forecast(model, seed), range(8)))
    np.testing.assert_array_equal(at_once, serial)


def test_others_go_on_while_something_is_computed(model: lto.Model) -> None:
    """The lock of the interpreter is not held by what takes long: this thread counts meanwhile."""
    points = np.arange(64) / 64
    state = model.encode(points, np.sin(2 * np.pi * points), s=0.0).at(0.5)
    field = state.decode(lto.Grid(1 << 17))
    with ThreadPoolExecutor(1) as pool:
        for work in (lambda: state.decode(lto.Grid(1 << 17)), field.plot):
            done, counted = pool.submit(work), 0
            while not done.done():
                counted += 1
                time.sleep(1e-4)
            assert done.result() and counted > 10


def test_a_forked_process_says_that_it_has_no_threads(model: lto.Model) -> None:
    forecast(model, 0)
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            forecast(model, 0)
        except lto.Error as error:
            os.write(theirs, str(error).encode())
        os._exit(0)
    os.close(theirs)
    assert b"was forked from" in os.read(ours, 1000) and os.waitpid(child, 0)[1] == 0


def resident() -> int:
    """Resident memory in bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


@pytest.mark.parametrize("how", ["encode", "predict"])
def test_memory_stays_the_same_over_many_calls(run: lto.Run, how: str) -> None:
    model = run.model
    points, values = np.random.default_rng(0).random((8, 2)), np.full(8, 0.01)
    query = lto.Grid(8, 8)
    table = {"x": points[:, 0], "y": points[:, 1], model.channels[0]: values}

    def once() -> Any:
        if how == "predict":
            return model.predict(table, [0.004], query, s=0.0, force=True)[model.channels[0]]
        return model.encode(points, values, s=0.0, force=True).at(0.004).decode(query).values

    def call(n: int) -> None:
        for _ in range(n):
            found = once()
            with pytest.raises(lto.DataError):
                model.encode(points, values[:3], s=0.0)
        assert found.shape == (1, 8, 8)

    call(CALLS // 2)
    before = resident()
    call(CALLS // 2)
    grown = resident() - before
    # Less than 200 bytes for each call: neither an array nor an error stays behind.
    assert grown < max(200 * CALLS // 2, 2 << 20), f"{grown} bytes over {CALLS // 2} calls"
