"""Every form of a twin gives in PyTorch what ``lto predict`` gives."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from conftest import ROOT
from torch_program import (
    TRAIN,
    Array,
    difference,
    predicted_by_program,
    sensors,
    shaken,
    steady_data,
    timed_data,
)

import lto.torch

CLOSE = 1e-5
BASE = {
    "latent_points": "8",
    "latent_channels": "3",
    "encoder": "{ kind = 'set_conv', hidden = 4, length_scale = { spacings = 0.7 } }",
    "evolution": "{ kind = 'timed', width = 4 }",
    "decoder": "{ hidden = 5, length_scale = { spacings = 0.6 } }",
}
ENCODERS = {
    "raw": "{ kind = 'set_conv', hidden = 4, length_scale = 0.4, density = 'raw', density_floor = 1e-3 }",
    "per_point": BASE["encoder"],
    "coverage": "{ kind = 'set_conv', hidden = 4, length_scale = { layout = 0.6 }, density = 'coverage' }",
    "estimate": "{ kind = 'set_conv', hidden = 4, length_scale = { layout = 0.6 }, estimate = true }",
    "position": "{ kind = 'set_conv', hidden = 4, length_scale = 0.4, estimate = true, position = true }",
    "attention": "{ kind = 'attention', width = 6 }",
}
EVOLUTIONS = {
    "timed": "{ kind = 'timed', width = 4 }",
    "steady": "{ kind = 'steady', width = 4 }",
    "residual": "{ kind = 'residual', width = 4 }",
    "spectral": "{ kind = 'spectral', width = 4, modes = 3, blocks = 2, taps = 5, dilations = [1, 2] }",
    "displaced": "{ kind = 'spectral', width = 4, modes = 3, blocks = 2, displacements = 2 }",
    "multigrid": "{ kind = 'multigrid', width = 4, levels = 3, cycles = 2 }",
}
OUTPUTS = ["direct", "residual", "transport", "gated"]
TRAINED = sorted(file.parent.name for file in (ROOT / "results").glob("*/model.safetensors"))


def twin(**keys: str) -> str:
    """The ``[model]`` of a small twin."""
    return "\n".join(["kind = 'twin'", *(f"{key} = {value}" for key, value in (BASE | keys).items())])


def check(run: Path, module: Any, n: int = 60, to: float | None = 1.5, flags: tuple[str, ...] = ()) -> None:
    """The same numbers at the points of a grid and at scattered ones: to 1e-5, or twice the rounding of single precision where random
    weights enlarge it to more."""
    points, values = sensors(module, n)
    steady = module.problem.times is None
    times = () if steady else ("--from", "1", "--to", str(to))
    s, t = (None, None) if steady else (1.0, to)
    way = flags[1] if flags else None
    shape = [7, 11][: module.problem.dim]
    observed, seen = torch.tensor(points), torch.tensor(values)
    networks = (module, copy.deepcopy(module).double())
    program, torches = [], []
    with torch.no_grad():
        for query, argument in queries(run, module, shape):
            program.append(predicted_by_program(run, points, values, "--query", argument, *times, *flags))
            torches.append([network(observed, seen, s, t, query, way) for network in networks])
    single, double = (torch.cat(parts, -1) for parts in zip(*torches, strict=True))
    rounding = difference(module, single, double.numpy())
    assert rounding < 1e-3, "these weights tell nothing"
    # Against double precision: two single ones differ by the rounding of both, and PyTorch's depends on the processor.
    assert difference(module, double, np.concatenate(program, -1)) < max(CLOSE, 2 * rounding)


def queries(run: Path, module: Any, shape: list[int]) -> list[tuple[Any, str]]:
    """A grid and random points, for PyTorch and for the program."""
    places: Array = sensors(module, 23, seed=9)[0]
    np.savez(run / "query.npz", points=places)
    grid = "grid:" + "x".join(map(str, shape))
    return [(module.grid(*shape), grid), (torch.tensor(places), str(run / "query.npz"))]


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("evolution", [name for name in EVOLUTIONS if name != "steady"])
@pytest.mark.parametrize("encoder", ENCODERS)
def test_timed_twins(tmp_path: Path, encoder: str, evolution: str, output: str) -> None:
    parts = {"encoder": ENCODERS[encoder], "evolution": EVOLUTIONS[evolution], "output": f"'{output}'"}
    check(*shaken(tmp_path, timed_data(tmp_path, 2), twin(**parts)))


@pytest.mark.parametrize("evolution", [name for name in EVOLUTIONS if name != "timed"])
@pytest.mark.parametrize("encoder", ENCODERS)
def test_steady_twins(tmp_path: Path, encoder: str, evolution: str) -> None:
    parts = {"encoder": ENCODERS[encoder], "evolution": EVOLUTIONS[evolution], "boundary": "'zero'"}
    check(*shaken(tmp_path, steady_data(tmp_path), twin(**parts)))


@pytest.mark.parametrize("dim", [1, 2])
@pytest.mark.parametrize(
    "keys",
    [
        {"padding": "'zero'", "evolution": EVOLUTIONS["spectral"]},
        {"evolution": EVOLUTIONS["displaced"]},
        {"latent_placement": "'center'", "evolution": EVOLUTIONS["multigrid"], "latent_points": "9"},
        {"decoder": "{ hidden = 5, interpolation = 'cubic' }"},
        {
            "decoder": "{ hidden = 5, interpolation = 'cubic' }",
            "latent_placement": "'center'",
            "output": "'transport'",
        },
        {"encoder": ENCODERS["position"], "latent_placement": "'center'", "output": "'gated'"},
    ],
    ids=lambda keys: ",".join(keys),
)
def test_grids_decoders_and_padding(tmp_path: Path, dim: int, keys: dict[str, str]) -> None:
    check(*shaken(tmp_path, timed_data(tmp_path, dim), twin(**keys)))


@pytest.mark.parametrize("dim", [1, 2])
@pytest.mark.parametrize("place", ["left", "center"])
@pytest.mark.parametrize("output", ["residual", "transport", "gated"])
def test_semigroups(tmp_path: Path, output: str, place: str, dim: int) -> None:
    """On a domain that is periodic along both axes."""
    data = timed_data(tmp_path, dim).replace('"x"', '"all"').replace("0.5:2.5", "0.5:2.75")
    keys = {"semigroup": "{ modes = 3 }", "latent_placement": f"'{place}'", "output": f"'{output}'"}
    check(*shaken(tmp_path, data, twin(**keys)))


@pytest.mark.parametrize("output", OUTPUTS)
def test_decoders_that_give_deviations(tmp_path: Path, output: str) -> None:
    """Deviations are decoded before everything else, and are no part of a prediction."""
    decoder = "{ hidden = 5, length_scale = { spacings = 0.6 }, deviation = true }"
    train = TRAIN + "[train.objective]\nevolution_loss = 'crps'\n"
    check(*shaken(tmp_path, timed_data(tmp_path, 2), twin(decoder=decoder, output=f"'{output}'"), train))


@pytest.mark.parametrize("way", ["direct", "chain", "rollout"])
@pytest.mark.parametrize("output", OUTPUTS)
def test_ways(tmp_path: Path, output: str, way: str) -> None:
    """Three steps of two native intervals at most; a rollout goes on on a whole grid."""
    keys = {"output": f"'{output}'", "max_step": "2.0", "encoder": ENCODERS["estimate"]}
    run, module = shaken(tmp_path, timed_data(tmp_path, 2), twin(**keys))
    check(run, module, to=3.0, flags=("--way", way))


@pytest.mark.parametrize("period", ["", "time_period = 1.5\n"])
@pytest.mark.parametrize("way", ["direct", "chain", "rollout"])
def test_departures_from_a_mean_course(tmp_path: Path, way: str, period: str) -> None:
    """To a time between two frames of the data."""
    data = timed_data(tmp_path, 2) + f"anomalies = true\n{period}"
    keys = {"output": "'gated'", "max_step": "2.0", "encoder": ENCODERS["position"]}
    run, module = shaken(tmp_path, data, twin(**keys))
    assert len(module.course.mean) == (3 if period else 5)
    check(run, module, to=2.8, flags=("--way", way))


def test_the_best_way_is_taken(tmp_path: Path) -> None:
    run, module = shaken(tmp_path, timed_data(tmp_path, 1), twin(max_step="1.0"))
    check(run, module, to=2.5)
    module.card["ways"] = [{"lead": 2.0, "way": "chain"}, {"lead": 4.0, "way": "direct"}]
    module.save(run)
    for to in (2.0, 3.0):
        check(run, module, to=to)


@pytest.mark.parametrize("n", [5, 300])
@pytest.mark.parametrize("run", TRAINED)
def test_trained_models(tmp_path: Path, run: str, n: int) -> None:
    """The published results, one step ahead and sixteen; ``-s`` shows how close."""
    module = lto.torch.load(ROOT / "results" / run)
    module.save(tmp_path)
    points, values = sensors(module, n)
    for steps in (1, 16) if module.problem.times else (0,):
        # Sixteen steps sharpen a front, which enlarges rounding a hundredfold: the program is compared with double precision.
        network = module if steps < 16 else module.double()
        s, t, flags = None, None, []
        if module.problem.times:
            s = module.problem.times[0]
            t = s + steps * module.card["native_interval"]
            flags = ["--from", str(s), "--to", str(t)]
        with torch.no_grad():
            got = network(torch.tensor(points), torch.tensor(values), s, t, module.grid())
        off = difference(module, got, predicted_by_program(tmp_path, points, values, *flags))
        print(f"{run}, {n} sensors, {steps} steps: {off:.1e}")
        assert off < (CLOSE if steps < 16 else 5 * CLOSE)


@pytest.mark.parametrize("output", ["transport", "gated"])
def test_batches_are_many_single_predictions(tmp_path: Path, output: str) -> None:
    """Points, times and queries of their own, or shared."""
    _, module = shaken(
        tmp_path, timed_data(tmp_path, 2), twin(output=f"'{output}'", encoder=ENCODERS["position"])
    )
    contexts = [sensors(module, 30, seed) for seed in range(3)]
    points, values = (torch.tensor(np.stack(part)) for part in zip(*contexts, strict=True))
    query = points.flip(0)[:, :20]
    times = torch.tensor([1.5, 2.0, 2.5], dtype=torch.float64)
    with torch.no_grad():
        together = module(points, values, 1.0, times, query)
        assert together.shape == (3, 2, 20)
        for i in range(3):
            alone = module(points[i], values[i], 1.0, float(times[i]), query[i])
            torch.testing.assert_close(together[i], alone, rtol=1e-6, atol=1e-5)
        shared = module(points[0], values, 1.0, 2.0, module.grid(5, 6))
        torch.testing.assert_close(
            shared[2], module(points[0], values[2], 1.0, 2.0, module.grid(5, 6)), rtol=1e-6, atol=1e-5
        )


def test_double_precision_is_the_same_model(tmp_path: Path) -> None:
    """The set convolution in single precision keeps its digits: coordinates are always double."""
    _, module = shaken(tmp_path, timed_data(tmp_path, 2), twin())
    points, values = (torch.tensor(part) for part in sensors(module, 40))
    with torch.no_grad():
        single = module(points, values, 1.0, 2.0, module.grid(9, 9))
        double = module.double()(points, values, 1.0, 2.0, module.grid(9, 9))
    assert difference(module, single, double.numpy()) < 1e-6


@pytest.mark.parametrize("output", OUTPUTS)
def test_everything_is_made_on_the_device_of_the_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str
) -> None:
    """The device without numbers refuses to meet tensors of another; observations may come from anywhere."""
    keys = {"output": f"'{output}'", "encoder": ENCODERS["position"], "evolution": EVOLUTIONS["multigrid"]}
    _, module = shaken(tmp_path, timed_data(tmp_path, 2), twin(**keys))
    points, values = (torch.tensor(part) for part in sensors(module, 20))
    monkeypatch.setattr(torch.compiler, "is_exporting", lambda: True)
    for observed, seen in [(points, values), (module.grid(5, 6), values.repeat(1, 2)[:, :30])]:
        for query in (points, module.grid(5, 6)):
            found = module.to("meta")(observed, seen, 1.0, 2.0, query, "direct")
            assert found.device.type == "meta"


@pytest.mark.parametrize("way", ["direct", "chain", "rollout"])
@pytest.mark.parametrize(("symmetries", "dim"), [("odd_mirror", 1), ("mirror', 'negation", 2), ("shifted", 2)])
def test_means_over_symmetries(tmp_path: Path, symmetries: str, dim: int, way: str) -> None:
    """Of two channels with means far from zero, which a change of sign moves; the shifted ones on a square that is periodic."""
    data = timed_data(tmp_path, dim)
    if symmetries == "shifted":
        symmetries = "transpose', 'shifted_transpose', 'shifted_rotation"
        data = data.replace('"x"', '"all"').replace("0.5:2.5", "-1:2")
        with np.load(tmp_path / "timed2.npz") as file:
            x, part = file["x"], file["data"][:, :, :, :8]
            whole = {"data": np.concatenate([part, part], 3), "t": file["t"], "x": x, "y": x}
        np.savez(tmp_path / "timed2.npz", **whole)
    data += f"symmetries = ['{symmetries}']\n"
    keys = {"max_step": "2.0", "encoder": ENCODERS["estimate"], "output": "'gated'"}
    run, module = shaken(tmp_path, data, twin(**keys), TRAIN.replace("batch = 2", "batch = 2\nsymmetrize = true"))
    assert len(module.isometries) == {1: 2, 2: 8}[dim]
    check(run, module, to=3.0, flags=("--way", way))
