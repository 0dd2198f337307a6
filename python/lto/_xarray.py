"""Results as labelled arrays and as HTML."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ._extras import needed

if TYPE_CHECKING:
    import xarray

    from . import _lto


def from_field(
    field: _lto.Field,
    attributes: Mapping[str, Mapping[str, Any]] | None = None,
    band: float | None = None,
) -> xarray.Dataset:
    """A variable for each channel over ``time`` and the axes, or over ``time`` and ``point`` with the axes as coordinates.

    With ``band``, also ``u_lower`` and ``u_upper`` for each channel ``u``: the ends of the band that holds this share of the values.
    """
    with needed("notebook"):
        import xarray

    known = attributes or {}
    values = field.values
    coordinates = field.coordinates
    dims = field.axes if coordinates is not None else ["point"]
    coords: dict[str, Any] = {}
    if coordinates is not None:
        coords = {axis: (axis, x) for axis, x in zip(field.axes, coordinates)}
    else:
        coords = {axis: ("point", x) for axis, x in zip(field.axes, field.points.T)}
    leading: list[str] = []
    if values.ndim == len(dims) + 2:
        leading = ["time"]
        coords["time"] = ("time", field.times)
    elif field.times.size:
        coords["time"] = float(field.times[0])
    parts = {"": values}
    if band is not None:
        parts["_lower"], parts["_upper"] = field.band(band)
    variables = {
        name + part: (leading + dims, np.moveaxis(array, len(leading), 0)[channel], dict(known.get(name, {})))
        for channel, name in enumerate(field.channels)
        for part, array in parts.items()
    }
    dataset = xarray.Dataset(variables, coords)
    for name, coordinate in dataset.coords.items():
        coordinate.attrs.update(known.get(str(name), {}))
    if band is not None:
        dataset.attrs["band"] = band
    if field.ways:
        dataset.attrs["ways"] = ", ".join(field.ways)
    return dataset


def preformatted(text: str) -> str:
    """Text as it is, inside a page."""
    return f"<pre>{html.escape(text)}</pre>"
