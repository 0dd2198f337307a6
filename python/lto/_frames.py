"""Tables and labelled arrays as observations: only what is called what, and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _lto
from ._errors import DataError

TIMES = ("t", "time")


@dataclass
class Rows:
    """Points, or a grid, with columns of values and maybe times; ``attributes`` are passed on to what is predicted."""

    places: Any
    columns: dict[str, Any]
    times: Any = None
    attributes: dict[str, dict[str, Any]] = field(default_factory=dict)


def observed(data: Any, axes: Sequence[str], s: float | None) -> Rows:
    """The rows of a DataFrame, a mapping of columns, a DataArray or a Dataset."""
    if hasattr(data, "to_dataset") or hasattr(data, "data_vars"):
        return _of_xarray(data, axes, s)
    if isinstance(data, Mapping) or hasattr(data, "columns"):
        names = data.keys() if isinstance(data, Mapping) else data.columns
        return _of_table({str(name): data[name] for name in names}, axes)
    raise DataError(
        f"data is a {type(data).__name__}, but must be a DataFrame, a mapping of columns, a DataArray or a Dataset; "
        "for plain arrays use model.encode(points, values, s).at(t).decode(query)"
    )


def _of_table(columns: dict[str, Any], axes: Sequence[str]) -> Rows:
    by_name = {name.lower(): name for name in columns}
    missing = [axis for axis in axes if axis.lower() not in by_name]
    if missing:
        raise DataError(f"data has no column {missing[0]}; the axes are {', '.join(axes)}, the columns {', '.join(columns)}")
    points = np.stack([_numbers(columns[by_name[axis.lower()]], axis) for axis in axes], axis=1)
    time = next((by_name[name] for name in TIMES if name in by_name), None)
    used = {by_name[axis.lower()] for axis in axes} | {time}
    values = {
        name: _numbers(column, name) for name, column in columns.items() if name not in used and _is_number(column)
    }
    if not values:
        raise DataError(f"data has no column of numbers beside those of the axes and times; the columns are {', '.join(columns)}")
    return Rows(points, values, None if time is None else _numbers(columns[time], time))


def _of_xarray(data: Any, axes: Sequence[str], s: float | None) -> Rows:
    dataset = data if hasattr(data, "data_vars") else data.to_dataset(name=data.name or "values")
    time = next((name for name in TIMES if name in dataset.dims or name in dataset.coords), None)
    if time is not None:
        dataset = _at_time(dataset, time, s)
    attributes = {str(name): dict(variable.attrs) for name, variable in dataset.variables.items()}
    if set(axes) <= set(dataset.dims):
        grid = _lto.Grid(*(_numbers(dataset[axis], axis) for axis in axes))
        columns = {
            str(name): _numbers(variable.transpose(*axes), str(name)).ravel()
            for name, variable in dataset.data_vars.items()
        }
        return Rows(grid, columns, _moment(dataset, time, columns), attributes)
    points = [name for name in dataset.dims if all(axis in dataset.coords for axis in axes)]
    if len(points) != 1:
        raise DataError(
            f"data has the dimensions {', '.join(map(str, dataset.dims))}, but must have {', '.join(axes)}, or one dimension "
            "with these as coordinates; rename them, as with data.rename(lon='x')"
        )
    named = {axis: dataset[axis] for axis in axes} | {str(name): v for name, v in dataset.data_vars.items()}
    rows = _of_table(named, axes)
    return Rows(rows.places, rows.columns, _moment(dataset, time, rows.columns), attributes)


def _at_time(dataset: Any, time: str, s: float | None) -> Any:
    """The one time of a dataset, or the time ``s`` among several."""
    if time not in dataset.dims:
        return dataset
    times = _numbers(dataset[time], time)
    if times.size == 1:
        return dataset.isel({time: 0})
    if s is None:
        raise DataError(f"data has {times.size} times from {times.min():g} to {times.max():g}; choose one with s")
    near = np.flatnonzero(np.isclose(times, s, rtol=0, atol=1e-9 * (times.max() - times.min())))
    if near.size == 0:
        raise DataError(f"data has no time {s}; it has times from {times.min():g} to {times.max():g}")
    return dataset.isel({time: int(near[0])})


def _moment(dataset: Any, time: str | None, columns: Mapping[str, Any]) -> Any:
    """The time that is left, for every row; ``None`` if the data have none."""
    if time is None or not columns:
        return None
    return np.broadcast_to(_numbers(dataset[time], time), np.shape(next(iter(columns.values()))))


def _array(column: Any) -> Any:
    """A column as an array; numbers that pandas calls missing are NaN."""
    array = np.asanyarray(column)
    if array.dtype == object and getattr(getattr(column, "dtype", None), "kind", "O") in "fiu":
        array = column.to_numpy(dtype=float, na_value=np.nan)
    return array


def _is_number(column: Any) -> bool:
    return _array(column).dtype.kind in "fiu"


def _numbers(column: Any, name: str) -> Any:
    array = _array(column)
    if array.dtype.kind in "Mm":
        raise DataError(
            f"{name} holds dates, but models count time in the unit of their training data; convert it, as with "
            f"(data.{name} - data.{name}[0]) / numpy.timedelta64(1, 'h')"
        )
    return _lto.floats(name, array)
