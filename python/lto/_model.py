"""Trained models."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from . import _lto, _xarray
from ._frames import asked, observed

if TYPE_CHECKING:
    import xarray
    from numpy.typing import ArrayLike


class Model(_lto.Model):
    """A trained model; see :func:`load`.

    Models, states and fields can be shared by any number of threads. Models can be pickled.
    """

    @cached_property
    def info(self) -> dict[str, Any]:
        """What ``lto info --json`` says: problem, architecture, parameters, normalization, errors.

        >>> model.info["parameters"]["total"]
        29395
        """
        described: dict[str, Any] = json.loads(self.describe())
        return described

    @property
    def channels(self) -> list[str]:
        """The names of the predicted channels."""
        return [str(name) for name in self.info["channel_names"]]

    def predict(
        self,
        data: Any,
        times: ArrayLike | None = None,
        query: Any = None,
        *,
        s: float | None = None,
        columns: Sequence[str] | None = None,
        skip_missing: bool = False,
        merge_duplicates: bool = False,
        force: bool = False,
        way: str | None = None,
        band: float | None = None,
    ) -> xarray.Dataset:
        """Predicts fields from a table or from labelled arrays, as an ``xarray.Dataset``.

        ``data`` is a pandas ``DataFrame`` or a mapping with a column for each axis and channel (and ``t`` or ``time``), or an
        xarray ``DataArray`` or ``Dataset`` whose dimensions are the axes, or that has the axes as coordinates of one dimension
        of points. ``query`` is a ``Grid`` or an array of points, or a table or labelled arrays over the same axes, whose values do
        not matter; without one, the grid of the training data is used. ``s`` is the time of the observations if the data do not say. ``columns`` are the names of the channels in
        ``data``, in the model's order. ``band`` is the share of the values, such as 0.9, that a band is to hold: each variable ``u``
        then comes with ``u_lower`` and ``u_upper``, if the model is calibrated. The rest is as in ``lto predict``. Attributes
        such as units are passed on.

        >>> table = {"x": [0.05, 0.3, 0.55, 0.8], "u": [0.9, 0.2, -0.8, -0.1]}
        >>> dict(model.predict(table, times=[0.5, 1.0], query=lto.Grid(64), s=0.0).sizes)
        {'time': 2, 'x': 64}
        """
        tolerance = {"skip_missing": skip_missing, "merge_duplicates": merge_duplicates, "force": force}
        axes = [axis["name"] for axis in self.info["problem"]["domain"]["axes"]]
        rows = observed(data, axes, s)
        observations = self.observe(
            rows.places, list(rows.columns.items()), rows.times, s, list(columns or []), tolerance
        )
        if observations.doubt:
            warnings.warn(f"data: {observations.doubt}", stacklevel=2)
        wanted = _lto.floats("times", [] if times is None else times).ravel().tolist()
        field = self.forecast(observations, wanted, asked(query, axes), way)
        # What is predicted has the units of what was observed, whatever it was called.
        renamed = zip(self.channels, columns or []) if self.info["problem"]["times"] else ()
        attributes = {**rows.attributes, **{channel: rows.attributes.get(name, {}) for channel, name in renamed}}
        return _xarray.from_field(field, attributes, band)

    def __reduce__(self) -> tuple[type[Model], tuple[bytes, bool]]:
        return type(self), (self.to_bytes(), self.allow_extrapolation)

    def __repr__(self) -> str:
        info = self.info
        problem = info["problem"]
        axes = ", ".join(
            f"{axis['name']} in [{axis['lower']:g}, {axis['upper']:g}]{' periodic' * axis['periodic']}"
            for axis in problem["domain"]["axes"]
        )
        times = problem["times"]
        when = f", t in [{times[0]:g}, {times[1]:g}]" if times else ""
        kind, parameters = info["model"]["kind"], info["parameters"]["total"]
        return f"Model({kind}, {parameters} parameters: {', '.join(info['channel_names'])} over {axes}{when})"

    def _repr_html_(self) -> str:
        return _xarray.preformatted(self.tables())


def load(path: str | os.PathLike[str], *, allow_extrapolation: bool = False) -> Model:
    """The model of a run: its folder (also one in the layout of the Hugging Face hub), or a ``.safetensors`` file.

    ``allow_extrapolation`` lets it predict at times outside those it was trained on.

    >>> model = lto.load("results/burgers_29k")
    >>> model
    Model(twin, 29395 parameters: u over x in [0, 1] periodic, t in [0, 2])
    """
    return Model(path, allow_extrapolation)
