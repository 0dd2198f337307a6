"""What the tests of ``lto.torch`` share: the program ``lto``, small data and models of every kind, made on the spot."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import torch
from conftest import found_program
from numpy.typing import NDArray

import lto.torch

Array = NDArray[Any]

TRAIN = """
[train]
batch = 2
steps = 2
validation = { every = 2, samples = 1, leads = [1] }
"""
WHOLE = TRAIN + "[train.context]\ndesigns = { full = 1.0 }\n[train.objective]\nreconstruction_weight = 0.0\n"
"""The training of models that see whole grids only."""

# Models are tiny: threads would only wait for each other.
torch.set_num_threads(1)
ONE_THREAD = os.environ | {"RAYON_NUM_THREADS": "1"}
SPLIT = "split = { counts = { train = 4, validation = 1, test = 1 } }\n"


def lto_run(*arguments: str | Path) -> str:
    """Runs the program and returns what it printed."""
    done = subprocess.run(
        [found_program(), *map(str, arguments)], capture_output=True, text=True, check=False, env=ONE_THREAD
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def waves(seed: int, *places: Array, amplitude: float = 1.0) -> Array:
    """A smooth random function at all combinations of places, each of which goes once around its own length."""
    rng = np.random.default_rng(seed)
    mesh = np.meshgrid(*places, indexing="ij")
    field = np.zeros(mesh[0].shape)
    for _ in range(4):
        phase = sum((rng.integers(-2, 3) * x for x in mesh), start=rng.uniform(0, 2 * np.pi) + field * 0)
        field += amplitude * rng.normal() * np.sin(phase)
    return field


def timed_data(folder: Path, dim: int) -> str:
    """Six trajectories of two channels of very different sizes on [−1, 2] (× [0.5, 2.5]), five frames from 1 to 3.

    The first axis is periodic, the second is not.
    """
    x, y, t = -1 + 3 * np.arange(16) / 16, np.linspace(0.5, 2.5, 9), 1 + 0.5 * np.arange(5)
    angles = [2 * np.pi * (x + 1) / 3, y][:dim]
    field = [
        [waves(10 * i + c, 0.3 * t, *angles, amplitude=[1, 10][c]) + [0, 280][c] for c in range(2)]
        for i in range(6)
    ]
    # A single axis makes no use of y.
    np.savez(folder / f"timed{dim}.npz", data=np.moveaxis(np.array(field), 1, -1), t=t, x=x, y=y)
    axes, domain = ("n,t,x,y,c", "-1:2,0.5:2.5") if dim == 2 else ("n,t,x,c", "-1:2")
    head = f'[data]\npath = "{folder}/timed{dim}.npz"\nlayout = "generic"\nkeys = ["data"]\n'
    return head + f'axes = "{axes}"\nperiodic = "x"\ndomain = "{domain}"\n{SPLIT}'


def steady_data(folder: Path) -> str:
    """Six pairs of fields on [0, 2] × [0, 1], no axis periodic; targets vanish on the boundary."""
    x, y = np.linspace(0, 2, 9), np.linspace(0, 1, 9)
    shape = np.outer(x * (2 - x), y * (1 - y))
    pairs = [(3 + waves(i, x, 2 * y), shape * waves(i + 50, x, 2 * y)) for i in range(6)]
    np.savez(
        folder / "steady.npz", a=np.array([a for a, _ in pairs]), u=np.array([u for _, u in pairs]), x=x, y=y
    )
    head = f'[data]\npath = "{folder}/steady.npz"\nlayout = "generic"\nkeys = ["a", "u"]\n'
    return head + f'axes = "n,x,y"\nperiodic = "none"\ndomain = "0:2,0:1"\n{SPLIT}'


def shaken(folder: Path, data: str, model: str, train: str = TRAIN) -> tuple[Path, Any]:
    """A model that the program has trained for two steps, with random numbers added to all weights so that every one of them
    matters, and the run it was saved to."""
    (folder / "config.toml").write_text(f"{data}[model]\n{model}\n{train}")
    lto_run("train", folder / "config.toml", "-o", folder / "trained", "--quiet")
    module = lto.torch.load(folder / "trained")
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if not name.endswith("log_length_scale"):
                fan = math.prod(parameter.shape) // max(parameter.shape[0 if parameter.dim() == 4 else -1], 1)
                parameter.add_(1 / math.sqrt(max(fan, 1)) * torch.randn(parameter.shape, generator=generator))
    module.save(folder / "shaken")
    shutil.copy(folder / "trained" / "config.toml", folder / "shaken")
    return folder / "shaken", module


def card(run: Path) -> Any:
    """The model card of a run."""
    from safetensors import safe_open

    with safe_open(run / "model.safetensors", "pt") as file:
        return json.loads(file.metadata()["lto"])


def sensors(module: Any, n: int, seed: int = 3) -> tuple[Array, Array]:
    """n random points of the domain ``[n, D]`` and values like the training data's, ``[p, n]``."""
    rng = np.random.default_rng(seed)
    axes = module.problem.axes
    points = np.stack([axis.lower + axis.length * rng.random(n) for axis in axes], -1)
    normalizer = module.card["source_normalizer"]
    mean, scale = (np.array(normalizer[part])[:, None] for part in ("mean", "scale"))
    phase = sum(2 * np.pi * (points[:, d] - axis.lower) / axis.length for d, axis in enumerate(axes))
    return points, mean + scale * np.sin(phase + np.arange(len(mean))[:, None])


def predicted_by_program(run: Path, points: Array, values: Array, *flags: str) -> Array:
    """What ``lto predict`` gives, ``[q, M]`` of the last time."""
    context, field = run / "context.npz", run / "field.npz"
    np.savez(context, points=points, values=values.T)
    lto_run("predict", "-m", run, "-c", context, "-o", field, "--force", "--quiet", *flags)
    with np.load(field) as file:
        found: Array = file["values"] if "times" not in file.files else file["values"][-1]
    return found.reshape(len(found), -1)


def difference(module: Any, got: torch.Tensor, expected: Array, first: int = 0) -> float:
    """‖got − expected‖ / ‖expected − mean of the training data‖ in the maximum norm, the largest over the channels.

    Channels are those of the model from number ``first`` on.
    """
    assert tuple(got.shape) == expected.shape, (got.shape, expected.shape)
    mean = np.array(module.card["target_normalizer"]["mean"])[first:][: len(expected), None]
    off = np.abs(got.detach().cpu().double().numpy() - expected).max(-1)
    return float((off / np.abs(expected - mean).max(-1)).max())
