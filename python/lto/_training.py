"""Training."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import _dataset, _lto, _settings
from ._model import Model, load
from ._progress import Bar
from ._settings import Settings

Config = str | os.PathLike[str] | Mapping[str, Any]
"""The path of a configuration file, or its content as a mapping."""


@dataclass
class Run:
    """A trained run: its folder and what ``lto train --json`` says about it."""

    path: Path
    report: dict[str, Any] = field(repr=False)

    @property
    def model(self) -> Model:
        """The trained model."""
        return load(self.path)

    @property
    def errors(self) -> dict[str, float]:
        """Errors on held-out samples at the end, by name."""
        return dict(self.report["errors"])

    def plot(self) -> _lto.Picture | None:
        """Loss and errors over the steps; ``None`` if none were recorded."""
        return _lto.loss_chart(self.path)

    def __repr__(self) -> str:
        report = self.report
        errors = "".join(f", {name} {error:.4g}" for name, error in self.errors.items())
        return f"Run({self.path}: {report['steps']} steps in {report['seconds']:.1f} s{errors})"

    def _repr_html_(self) -> str:
        picture = self.plot()
        return "" if picture is None else picture.to_html()


def train(
    config: Config | None = None,
    *,
    out: str | os.PathLike[str],
    data: _dataset.DataLike | None = None,
    settings: Settings = (),
    seed: int | None = None,
    force: bool = False,
    device: str = "cpu",
    on_metrics: Callable[[dict[str, Any]], Any] | None = None,
    progress: bool | None = None,
) -> Run:
    """Trains a model as a configuration says, in the folder ``out``.

    ``config`` is the path of a TOML file or its content as a mapping; without it the run in ``out`` is resumed, bit for bit.
    ``data`` replaces the configuration's data: a path, or a data set in memory, which is written to ``out/data.npz`` and read
    from there. ``settings`` override the configuration, as in ``{"train.steps": 100}``. ``on_metrics`` is called after every
    step and every validation with a dict of numbers. ``progress`` shows a bar (default: in notebooks). Ctrl-C, or an exception
    in ``on_metrics``, saves a checkpoint before it ends the training. ``device`` is ``cpu`` or, if the package was built for it
    (docs/gpu.md), ``gpu`` or ``cuda``.
    """
    out = Path(out)
    if config is not None and not force:
        _lto.refuse_existing(out)
    texts, path, written = _settings.texts(settings), None, None
    if data is not None:
        found = _dataset.of(data)
        if isinstance(found, Path):
            path = found
        else:
            path = written = _unused(out)
            texts = found.save(written) + texts
    bar = Bar("training", progress)

    def listen(event: str, content: dict[str, Any]) -> None:
        if event == "step":
            bar.show(content["step"], content["steps"], loss=content["loss"])
        if event in ("step", "validation") and on_metrics is not None:
            on_metrics(content)

    try:
        report = _lto.train(_configuration(config), out, texts, path, seed, force, device, listen)
    except BaseException:
        if written is not None and not (out / "config.toml").exists():
            written.unlink()
        raise
    finally:
        bar.close()
    return Run(out, json.loads(report))


def _unused(out: Path) -> Path:
    """A name for the data of a run beside those of earlier ones, which may still be needed."""
    out.mkdir(parents=True, exist_ok=True)
    names = ("data.npz", *(f"data-{number}.npz" for number in range(2, 1000)))
    return next(out / name for name in names if not (out / name).exists())


def _configuration(config: Config | None) -> dict[str, Any] | None:
    if config is None:
        return None
    if isinstance(config, Mapping):
        return {"path": None, "json": _settings.as_json(config)}
    return {"path": config, "json": None}
