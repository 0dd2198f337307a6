"""Evaluation."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _dataset, _lto, _settings, _xarray
from ._errors import ConfigError
from ._extras import needed
from ._progress import Bar
from ._settings import Settings
from ._training import Run

if TYPE_CHECKING:
    import pandas


class Evaluations:
    """The errors of models, measured by one protocol; a notebook shows their tables."""

    def __init__(self, native: _lto.Evaluations) -> None:
        self._native = native

    def to_pandas(self) -> pandas.DataFrame:
        """A row for every case and model, with all metrics and intervals."""
        with needed("notebook"):
            import pandas

        return pandas.read_csv(io.StringIO(self._native.to_csv()))

    def to_dict(self) -> list[dict[str, Any]]:
        """What ``lto evaluate --json`` prints, one entry for each model."""
        found: list[dict[str, Any]] = json.loads(self._native.to_json())
        return found

    def to_html(self) -> str:
        """The report with tables and pictures, as a page."""
        return self._native.to_html()

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Writes ``evaluation.json`` and ``report.html`` to a folder."""
        self._native.save(folder)

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        return self._native.tables()

    def _repr_html_(self) -> str:
        return _xarray.preformatted(self._native.tables())


def evaluate(
    runs: str | os.PathLike[str] | Run | Sequence[str | os.PathLike[str] | Run],
    *,
    data: _dataset.DataLike | None = None,
    config: str | os.PathLike[str] | None = None,
    settings: Settings = (),
    split: str | None = None,
    allow_extrapolation: bool = False,
    device: str = "cpu",
    progress: bool | None = None,
    **protocol: Any,
) -> Evaluations:
    """Measures the errors of runs, and of the baselines ``"persistence"``, ``"interpolation"``, … that need no training.

    ``data`` are the held-out samples of the first run, or a path, or a data set in memory. ``split`` is ``test``,
    ``validation`` or ``all``. ``protocol`` is as in ``lto evaluate``: ``samples``, ``seed``, ``resolutions``,
    ``context_resolutions``, ``query_resolutions``, ``fractions``, ``designs``, ``noise``, ``starts``, ``lead``, ``horizon``,
    ``start``. ``device`` is as in ``lto.train``.
    """
    several = [runs] if isinstance(runs, (str, os.PathLike, Run)) else list(runs)
    names = [os.fspath(run.path if isinstance(run, Run) else run) for run in several]
    if not names:
        raise ConfigError("runs is empty: give a run, or the name of a baseline")
    bar = Bar("evaluating", progress)

    def show(run: str, done: int, total: int) -> None:
        bar.show(done, total, model=run)

    def measured(path: Any, texts: list[str]) -> Evaluations:
        arguments = (texts, split, _settings.as_json(protocol), allow_extrapolation, device, show)
        return Evaluations(_lto.evaluate(names, path, config, *arguments))

    try:
        if data is None:
            return measured(None, _settings.texts(settings))
        with _dataset.as_file(data) as (path, texts):
            return measured(path, texts + _settings.texts(settings))
    finally:
        bar.close()
