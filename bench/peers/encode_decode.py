"""Times the prediction of crates/lto/examples/encode_decode.rs from Python, and an FNO beside neuraloperator's."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np

import lto


def timed(program: str, call: Callable[[], object], seconds: float) -> None:
    """Prints the least and the median time of a call."""
    times = []
    started = time.perf_counter()
    while time.perf_counter() - started < seconds:
        before = time.perf_counter()
        call()
        times.append(time.perf_counter() - before)
    least, median = 1e6 * min(times), 1e6 * float(np.median(times))
    print(json.dumps({"program": program, "n": len(times), "least_us": round(least, 1), "median_us": round(median, 1)}))


def overhead(run: str, seconds: float) -> None:
    """Eight sensors, sixteen points, as in Rust."""
    model = lto.load(run)
    points, values, query = (np.arange(8) + 0.5) / 8, np.full(8, 0.1), (np.arange(16) + 0.5) / 16
    timed("python", lambda: model.encode(points, values, s=0.0).at(0.05).decode(query), seconds)


def fno(seconds: float) -> None:
    """The same architecture on the same grid of 1024 points, one state at a time."""
    modes, width, layers, n = 16, 24, 4, 1024
    config = {
        "data": {"generate": {"pde": "burgers", "resolution": n, "n_frames": 3}, "samples": 4, "split": "pdebench"},
        "model": {"kind": "fno", "form": "neural_operator", "modes": modes, "width": width, "blocks": layers},
        "train": {"steps": 1, "batch": 1, "context": {"designs": {"full": 1}}},
    }
    with tempfile.TemporaryDirectory() as folder:
        model = lto.train(config, out=folder + "/fno").model
    data = lto.generate("burgers", n=1, resolution=n, n_frames=3)
    assert data.times is not None
    grid, frame, (s, t) = lto.Grid(*data.coordinates.values()), data.fields["tensor"][0, 0], data.times[:2]
    timed(f"lto FNO, {model.info['parameters']['total']}", lambda: model.encode(grid, frame, s=s).at(t).decode(grid), seconds)
    try:
        import torch
        from neuralop.models import FNO
    except ImportError as missing:
        print(f"no peer: {missing}", file=sys.stderr)
        return
    peer = FNO(n_modes=(modes,), in_channels=1, out_channels=1, hidden_channels=width, n_layers=layers).eval()
    parameters = sum(p.numel() for p in peer.parameters())

    def forward() -> object:
        # From an array to an array, as on the other side.
        with torch.inference_mode():
            return peer(torch.from_numpy(frame.astype(np.float32))[None, None]).numpy()

    timed(f"neuraloperator FNO, {parameters}", forward, seconds)


if __name__ == "__main__":
    run, seconds = sys.argv[1], float(sys.argv[2])
    overhead(run, seconds)
    fno(seconds)
