"""Models on whole grids give in PyTorch what ``lto evaluate`` measures: whole predictions, and errors across resolutions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from test_torch_parity import ENCODERS, EVOLUTIONS, twin
from torch_program import WHOLE, Array, difference, lto_run, shaken, steady_data, timed_data

import lto.torch
from lto.torch import Grid

BASELINES = {
    "fno": "kind = 'fno'\nwidth = 4\nmodes = 4\nhidden = 6\nblocks = 2",
    "fno_package": "kind = 'fno'\nform = 'neural_operator'\nwidth = 4\nmodes = 6\nblocks = 2",
    "f_fno": "kind = 'f_fno'\nwidth = 4\nmodes = 4\nlayers = 2\nhidden = 6",
    "f_fno_own": "kind = 'f_fno'\nwidth = 4\nmodes = 3\nlayers = 2\nhidden = 6\nshare = false\nexpansion = 2",
    "lno": "kind = 'lno'\nblocks = 2\nmodes = 5\ndim = 6\nheads = 2",
    "deeponet": "kind = 'deeponet'\nbranch = [6, 5]\ntrunk = [5]\nbasis = 3\nsensor_stride = 2",
}
TWINS = {
    "residual": twin(output="'residual'", evolution=EVOLUTIONS["spectral"]),
    "transport": twin(output="'transport'", encoder=ENCODERS["estimate"]),
    "gated": twin(output="'gated'", encoder=ENCODERS["position"]),
}


def frames(module: Any, data: str) -> tuple[Array, Grid]:
    """States ``[sample, frame, channel, point]`` and their grid."""
    path = data.split('path = "')[1].split('"')[0]
    with np.load(path) as file:
        lines = [file[axis.name] for axis in module.problem.axes]
        states = file["a"][:, None, None] if "a" in file.files else np.moveaxis(file["data"], -1, 2)
    return states.reshape(*states.shape[:3], -1), Grid(*lines)


def evaluation(run: Path, *flags: str) -> Any:
    """The evaluation of a run from its first frame, without what is not compared."""
    few = ("--fractions", "1", "--designs", "random", "--noise", "0.1", "--json", "--quiet")
    return json.loads(lto_run("evaluate", run, *few, *flags))[0]


@pytest.mark.parametrize("dim", [1, 2])
@pytest.mark.parametrize(
    ("name", "anomalies"), [*((name, False) for name in [*BASELINES, *TWINS]), ("fno", True), ("gated", True)]
)
def test_predictions_from_whole_grids(tmp_path: Path, name: str, anomalies: bool, dim: int) -> None:
    """One step ahead and three, on the grid of the data; of states, or of their departures from the mean course."""
    data = timed_data(tmp_path, dim) + ("anomalies = true\n" if anomalies else "")
    run, module = shaken(tmp_path, data, (BASELINES | TWINS)[name], WHOLE)
    states, grid = frames(module, data)
    examples = evaluation(run, "--resolutions", "16", "--starts", "0", "--horizon", "3")["examples"]
    assert {example["steps"] for example in examples} >= {1, 3}
    for example in examples:
        frame = round((example["times"][0] - 1) / 0.5)
        observed = torch.tensor(states[example["sample"], frame])
        channel = module.card["channel_names"].index(example["channel"])
        # The evaluation predicts directly where it does not say that it fed predictions back.
        way = "rollout" if example["rollout"] or module.goes_by_steps else "direct"
        with torch.no_grad():
            got = module.double()(grid, observed, *example["times"], grid, way)
        assert difference(module, got[channel, None], np.array([example["prediction"]]), channel) < 1e-5, (
            example["steps"]
        )


@pytest.mark.parametrize("name", ["fno", "f_fno", "lno", "deeponet"])
def test_steady_baselines(tmp_path: Path, name: str) -> None:
    data = steady_data(tmp_path)
    run, module = shaken(tmp_path, data, BASELINES[name], WHOLE)
    states, grid = frames(module, data)
    for example in evaluation(run, "--resolutions", "9")["examples"]:
        with torch.no_grad():
            got = module(grid, torch.tensor(states[example["sample"], 0]), None, None, grid)
        assert difference(module, got, np.array([example["prediction"]])) < 1e-5


@pytest.mark.parametrize("dim", [1, 2])
@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize(
    ("flag", "context", "query"), [("--context-resolutions", 2, 1), ("--query-resolutions", 1, 2)]
)
def test_errors_across_resolutions(
    tmp_path: Path, name: str, dim: int, flag: str, context: int, query: int
) -> None:
    """Onto a finer grid (waves in one dimension, splines in two) and onto a coarser one, whose points are all known."""
    data = timed_data(tmp_path, dim)
    run, module = shaken(tmp_path, data, TWINS[name], WHOLE)
    states, grid = frames(module, data)

    def every(stride: int) -> Grid:
        return Grid(*(line[::stride] for line in grid.axes))

    def pick(state: Array, stride: int) -> Array:
        strided = (slice(None), *[slice(None, None, stride)] * dim)
        return state.reshape(2, *grid.shape)[strided].reshape(2, -1)

    results = evaluation(run, "--resolutions", "16", flag, "8", "--starts", "0", "--horizon", "0")[
        "resolutions"
    ]
    (result,) = (r for r in results if r["context"] != r["query"])
    assert (result["context"], result["query"]) == (list(every(context).shape), list(every(query).shape))
    with torch.no_grad():
        got = module(
            every(context), torch.tensor(pick(states[-1, 0], context)), 1.0, 1.5, every(query)
        ).numpy()
    truth = pick(states[-1, 1], query)
    for channel, measured in enumerate(result["outcome"]["measured"]["channels"]):
        off = np.linalg.norm(got[channel] - truth[channel]) / np.linalg.norm(truth[channel])
        assert off == pytest.approx(measured["relative_l2"]["mean"], rel=1e-5)


def test_several_frames_of_history(tmp_path: Path) -> None:
    """A source of two frames; each prediction becomes the newest, and the oldest is dropped."""
    data = timed_data(tmp_path, 1) + "history = 2\n"
    run, module = shaken(tmp_path, data, BASELINES["fno"], WHOLE)
    states, grid = frames(module, data)
    examples = evaluation(run, "--resolutions", "16", "--starts", "1", "--horizon", "2")["examples"]
    assert any(example["steps"] == 2 for example in examples)
    for example in examples:
        frame = round((example["times"][0] - 1) / 0.5)
        observed = torch.tensor(np.concatenate(states[example["sample"], frame - 1 : frame + 1]))
        with torch.no_grad():
            got = module(grid, observed, *example["times"], grid)
        channel = module.card["channel_names"].index(example["channel"])
        assert difference(module, got[channel, None], np.array([example["prediction"]]), channel) < 1e-5


def test_only_twins_have_no_grid_to_keep(tmp_path: Path) -> None:
    """LNO and DeepONet also take scattered points, if these are what they know."""
    data = timed_data(tmp_path, 1)
    _, module = shaken(tmp_path, data, BASELINES["lno"], WHOLE)
    states, grid = frames(module, data)
    points, values = torch.tensor(grid.axes[0])[:, None].double(), torch.tensor(states[0, 0])
    with torch.no_grad():
        whole = module(grid, values, 1.0, 1.5, grid)
        order = torch.randperm(16, generator=torch.Generator().manual_seed(1))
        some = module(points[order], values[:, order], 1.0, 1.5, points[order][:5])
    torch.testing.assert_close(some, whole[:, order[:5]], rtol=1e-5, atol=1e-5)
    with pytest.raises(ValueError, match="only at observed points"):
        module(points[:8], values[:, :8], 1.0, 1.5, points[6:12])
    assert isinstance(module, lto.torch.Lno)
