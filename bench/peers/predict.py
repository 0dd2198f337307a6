"""`model.predict` beside an FNO of neuraloperator and a ConvNP of deepsensor: labelled arrays in, labelled arrays out, the same
numbers of points, sensors and parameters, the calls in turn. Weights are random; only times are compared.

Usage: predict.py SECONDS THREADS
"""

import importlib
import os
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable

SECONDS, THREADS = float(sys.argv[1]), int(sys.argv[2])
os.environ["RAYON_NUM_THREADS"] = str(THREADS)
warnings.filterwarnings("ignore")

import numpy as np
import pandas as pd
import torch
import xarray as xr

import lto

torch.set_num_threads(THREADS)
Case = tuple[str, int, Callable[[], xr.Dataset | xr.DataArray]]
"""A name, a number of parameters, and a call that predicts."""

N, SENSORS = 64, 500
HEAT = lto.generate("heat", n=4, resolution=N, n_frames=3)
FIELD = HEAT.to_xarray()["tensor"][0]
TIMES = FIELD["time"].values


def trained(model: dict, designs: dict) -> lto.Model:
    """A model of these data after one step of training."""
    data = {"split": {"counts": {"train": 2, "validation": 1, "test": 1}}}
    train = {"steps": 1, "batch": 1, "context": {"designs": designs}}
    with tempfile.TemporaryDirectory() as folder:
        return lto.train({"data": data, "model": model, "train": train}, out=folder + "/run", data=HEAT).model


def n_parameters(module: torch.nn.Module) -> int:
    return sum(p.numel() for p in module.parameters())


def whole_grids() -> list[Case]:
    """The next state on a grid: the same architecture, ours and neuraloperator's."""
    modes, width, layers = 16, 32, 4
    config = {"kind": "fno", "form": "neural_operator", "modes": modes, "width": width, "blocks": layers}
    ours = trained(config, {"full": 1})
    grid = lto.Grid(FIELD["x"].values, FIELD["y"].values)
    state = FIELD[0].rename("tensor")
    cases: list[Case] = [
        ("lto FNO", ours.info["parameters"]["total"], lambda: ours.predict(state, [TIMES[1]], grid)),
    ]
    if importlib.util.find_spec("neuralop") is None:
        return cases
    from neuralop.models import FNO

    peer = FNO(n_modes=(modes, modes), in_channels=1, out_channels=1, hidden_channels=width, n_layers=layers).eval()

    def predict() -> xr.DataArray:
        with torch.inference_mode():
            after = peer(torch.from_numpy(state.values.astype(np.float32))[None, None])
        return state.copy(data=after[0, 0].numpy())

    return [*cases, ("neuraloperator FNO", n_parameters(peer), predict)]


def sensors() -> list[Case]:
    """A field on a grid from sensors: a twin and a ConvNP, both over an inner grid of 64 points an axis."""
    config = {
        "kind": "twin",
        "latent_points": N,
        "latent_channels": 32,
        "encoder": {"kind": "set_conv", "hidden": 32},
        "evolution": {"kind": "residual", "width": 48},
        "decoder": {"hidden": 32},
    }
    ours = trained(config, {"random": 1})
    chosen = np.random.default_rng(0).choice(N * N, SENSORS, replace=False)
    x, y = np.unravel_index(chosen, (N, N))
    table = pd.DataFrame({"x": FIELD["x"].values[x], "y": FIELD["y"].values[y], "tensor": FIELD.values[0, x, y]})
    grid = lto.Grid(N, N)
    cases: list[Case] = [
        ("lto twin", ours.info["parameters"]["total"], lambda: ours.predict(table, [TIMES[1]], grid, s=TIMES[0])),
    ]
    if importlib.util.find_spec("deepsensor") is None:
        return cases
    import deepsensor.torch  # noqa: F401
    from deepsensor.data import DataProcessor, TaskLoader
    from deepsensor.model import ConvNP

    dates = pd.date_range("2000-01-01", periods=len(TIMES))
    raw = FIELD.astype("float32").assign_coords(time=dates).drop_vars("sample", errors="ignore")
    unit = DataProcessor(x1_name="x", x1_map=(0, 1), x2_name="y", x2_map=(0, 1))
    scaled = unit(raw)
    loader = TaskLoader(context=scaled, target=scaled)
    peer = ConvNP(unit, loader, unet_channels=(32,) * 4, internal_density=N, verbose=False)
    task = loader(dates[0], context_sampling=SENSORS, target_sampling="all")
    peer(task)

    def predict() -> xr.Dataset:
        return peer.predict(task, X_t=raw)["tensor"]

    return [*cases, ("deepsensor ConvNP", n_parameters(peer.model), predict)]


def compare(title: str, cases: list[Case]) -> None:
    """Calls all in turn until the time is over, and prints median times: of the clock, and of the processors, which other programs
    disturb less."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name, _, _ in cases}
    for _, _, predict in cases:
        predict()
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        for name, _, predict in cases:
            before = time.perf_counter(), time.process_time()
            predict()
            taken[name].append((time.perf_counter() - before[0], time.process_time() - before[1]))
    print(f"{title}; {len(taken[cases[0][0]])} calls of each in turn, threads: {THREADS}")
    print(f"  {'':<20} parameters  clock ms      x     CPU ms      x")
    medians = {name: [1e3 * statistics.median(column) for column in zip(*taken[name])] for name in taken}
    first = medians[cases[0][0]]
    for name, parameters, _ in cases:
        columns = (f"{own:>10.2f} {own / ours:>6.2f}" for own, ours in zip(medians[name], first))
        print(f"  {name:<20} {parameters:>10}{'  '.join(columns)}")


compare(f"state on {N} x {N} points to the next", whole_grids())
compare(f"{SENSORS} sensors to {N} x {N} points", sensors())
