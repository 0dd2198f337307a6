"""Tables and labelled arrays as observations: only what is called what, and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _lto
from ._errors import DataError

TIMES = ("t", "time", "Time", "TIME")
"""What times are called; ``T`` is rather a temperature."""


@dataclass
class Rows:
    """Points, or a grid, with columns of values and maybe times; ``attributes`` are passed on to what is predicted."""

    places: Any
    columns: dict[str, Any]
    times: Any = None
    attributes: dict[str, dict[str, Any]] = field(default_factory=dict)


def observed(data: Any, axes: Sequence[str], s: float | None) -> Rows:
    """The rows of a DataFrame, a mapping of columns, a DataArray or a Dataset."""
    if is_labelled(data):
        return _of_xarray(data, axes, s)
    if _is_table(data):
        return _of_table(_columns(data), axes)
    raise DataError(
        f"data is a {type(data).__name__}, but must be a DataFrame, a mapping of columns, a DataArray or a Dataset; "
        "for plain arrays use model.encode(points, values, s).at(t).decode(query)"
    )


def asked(query: Any, axes: Sequence[str]) -> Any:
    """A query by the names of its axes: the grid or the points of labelled arrays, or the points of a table; others as they are."""
    if is_labelled(query):
        dataset = query.to_dataset(name="query") if hasattr(query, "to_dataset") else query
        if set(axes) <= set(dataset.dims):
            return _grid(increasing(dataset, axes), axes)
        _one_dimension(dataset, axes, "query")
        return _points({axis: dataset[axis] for axis in axes}, axes, "query")
    return _points(_columns(query), axes, "query") if _is_table(query) else query


def is_labelled(data: Any) -> bool:
    """Whether it is an object of xarray."""
    return hasattr(data, "to_dataset") or hasattr(data, "data_vars")


def along(dataset: Any, axis: str) -> Any:
    """The coordinates of an axis, which must have been given."""
    if axis not in dataset.coords:
        raise DataError(f"the dimension {axis} has no coordinates; give them, as with data.assign_coords({axis}=...)")
    return _numbers(dataset[axis], axis)


def increasing(dataset: Any, axes: Sequence[str]) -> Any:
    """The same with axes that increase, as latitudes often do not."""
    falling = [axis for axis in axes if (x := along(dataset, axis)).size > 1 and x[0] > x[-1]]
    return dataset.isel({axis: slice(None, None, -1) for axis in falling})


def _is_table(data: Any) -> bool:
    return isinstance(data, Mapping) or hasattr(data, "columns")


def _columns(data: Any) -> dict[str, Any]:
    """The columns of a table by name, and the levels of its index that have one."""
    if isinstance(data, Mapping):
        return {str(name): column for name, column in data.items()}
    index: Any = getattr(data, "index", None)
    levels = {str(name): index.get_level_values(name) for name in getattr(index, "names", []) if name is not None}
    return {**levels, **{str(name): data[name] for name in data.columns}}


def _points(columns: Mapping[str, Any], axes: Sequence[str], what: str = "data") -> Any:
    """A row for each point, from the columns that are called like the axes."""
    by_name = {name.lower(): name for name in columns}
    missing = [axis for axis in axes if axis.lower() not in by_name]
    if missing:
        told = f"the axes are {', '.join(axes)}, the columns {', '.join(columns)}"
        raise DataError(f"{what} has no column {missing[0]}; {told}")
    return np.stack([_numbers(columns[by_name[axis.lower()]], axis) for axis in axes], axis=1)


def _of_table(columns: dict[str, Any], axes: Sequence[str]) -> Rows:
    points = _points(columns, axes)
    time = next((name for name in columns if name in TIMES), None)
    used = {axis.lower() for axis in axes}
    values = {
        name: _numbers(column, name)
        for name, column in columns.items()
        if name.lower() not in used and name != time and _is_number(column)
    }
    if not values:
        raise DataError(
            f"data has no column of numbers beside those of the axes and times; the columns are {', '.join(columns)}; convert "
            "texts and objects, as with pandas.to_numeric"
        )
    return Rows(points, values, None if time is None else _numbers(columns[time], time))


def _grid(dataset: Any, axes: Sequence[str]) -> _lto.Grid:
    return _lto.Grid(*(along(dataset, axis) for axis in axes))


def _of_xarray(data: Any, axes: Sequence[str], s: float | None) -> Rows:
    dataset = data if hasattr(data, "data_vars") else data.to_dataset(name=data.name or "values")
    time = next((name for name in TIMES if name in dataset.dims or name in dataset.coords), None)
    if time is not None:
        dataset = _at_time(dataset, time, s)
    dataset = dataset.squeeze([name for name, size in dataset.sizes.items() if size == 1 and name not in axes])
    attributes = {str(name): dict(variable.attrs) for name, variable in dataset.variables.items()}
    if set(axes) <= set(dataset.dims):
        dataset = increasing(dataset, axes)
        columns = {
            str(name): _numbers(_over(variable, axes), str(name)).ravel()
            for name, variable in dataset.data_vars.items()
            if set(axes) <= set(variable.dims) and _is_number(variable)
        }
        return Rows(_grid(dataset, axes), columns, _moment(dataset, time, columns), attributes)
    dimension = _one_dimension(dataset, axes, "data")
    named = {axis: dataset[axis] for axis in axes} | {
        str(name): variable for name, variable in dataset.data_vars.items() if variable.dims == (dimension,)
    }
    rows = _of_table(named, axes)
    return Rows(rows.places, rows.columns, _moment(dataset, time, rows.columns), attributes)


def _over(variable: Any, axes: Sequence[str]) -> Any:
    """A variable over nothing but the axes, in their order."""
    others = [str(name) for name in variable.dims if name not in axes]
    if others:
        raise DataError(
            f"data has the dimension {others[0]} beside the axes {', '.join(axes)}; choose one entry of it, as with "
            f"data.isel({others[0]}=0)"
        )
    return variable.transpose(*axes)


def _one_dimension(dataset: Any, axes: Sequence[str], what: str) -> str:
    """The dimension of points that has the axes as coordinates."""
    found = {name for axis in axes if axis in dataset.coords for name in dataset[axis].dims}
    if len(found) != 1 or not all(axis in dataset.coords for axis in axes):
        raise DataError(
            f"{what} has the dimensions {', '.join(map(str, dataset.dims))}, but must have {', '.join(axes)}, or one dimension "
            f"with these as coordinates; rename them, as with {what}.rename(lon='x')"
        )
    return str(found.pop())


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
    return _lto.floats(name, _array(column))
