"""Data sets in memory: read, generated, labelled, and written where a run can find them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _lto, _settings
from ._errors import DataError
from ._extras import needed
from ._frames import along, increasing, is_labelled
from ._progress import Bar

if TYPE_CHECKING:
    import xarray

Floats = NDArray[np.float64]
DataLike = Any
"""A :class:`Dataset`, an ``xarray.Dataset`` or ``DataArray``, or the path of a file."""


@dataclass
class Dataset:
    """Samples on one grid: trajectories, or steady pairs of fields.

    ``fields`` holds an array (sample, time, axis 0, …) for each channel; without ``times``, arrays (sample, axis 0, …), the
    first of which is the source and the others the target.

    >>> heat = lto.generate("heat", n=2, resolution=16)
    >>> heat
    Dataset(2 samples of tensor: 16 x 16 points, 17 times from 0 to 0.016)
    """

    fields: dict[str, Floats]
    coordinates: dict[str, Floats]
    times: Floats | None = None
    bounds: dict[str, tuple[float, float]] = field(default_factory=dict)
    periodic: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        shape = [len(x) for x in self.coordinates.values()]
        shape = shape if self.times is None else [len(self.times), *shape]
        dims = ("sample", *(() if self.times is None else ("time",)), *self.coordinates)
        if not self.fields:
            raise DataError("fields is empty: give an array for each channel")
        n = len(next(iter(self.fields.values())))
        for name, values in self.fields.items():
            if np.shape(values) != (n, *shape):
                raise DataError(
                    f"fields[{name!r}] has shape {np.shape(values)}, but must be {(n, *shape)}: ({', '.join(dims)})"
                )

    def __len__(self) -> int:
        return len(next(iter(self.fields.values())))

    def __repr__(self) -> str:
        points = " x ".join(str(len(x)) for x in self.coordinates.values())
        when = "" if self.times is None else f", {len(self.times)} times from {self.times[0]:g} to {self.times[-1]:g}"
        return f"Dataset({len(self)} samples of {', '.join(self.fields)}: {points} points{when})"

    def to_xarray(self) -> xarray.Dataset:
        """The same as an ``xarray.Dataset`` over ``sample``, ``time`` and the axes."""
        with needed("notebook"):
            import xarray

        dims = ["sample", *([] if self.times is None else ["time"]), *self.coordinates]
        coords: dict[str, Any] = dict(self.coordinates)
        if self.times is not None:
            coords["time"] = self.times
        dataset = xarray.Dataset({name: (dims, values) for name, values in self.fields.items()}, coords)
        for axis in self.coordinates:
            dataset[axis].attrs["periodic"] = int(axis in self.periodic)
            dataset[axis].attrs.update(zip(("lower", "upper"), self.bounds.get(axis, ())))
        return dataset

    @classmethod
    def from_xarray(cls, data: Any) -> Dataset:
        """The fields of a ``Dataset`` or ``DataArray`` over the axes, and maybe ``sample`` and ``time``.

        A coordinate's attributes ``periodic``, ``lower`` and ``upper`` say what its axis is.
        """
        dataset = data if hasattr(data, "data_vars") else data.to_dataset(name=data.name or "u")
        if "sample" not in dataset.dims:
            dataset = dataset.expand_dims("sample")
        time = next((name for name in ("time", "t") if name in dataset.dims), None)
        first = next(iter(dataset.data_vars.values()))
        axes = [str(name) for name in first.dims if name not in ("sample", time)]
        dataset = increasing(dataset, axes)
        order = ["sample", *([time] if time else []), *axes]
        return cls(
            fields={
                str(name): _lto.floats(str(name), variable.transpose(*order).values)
                for name, variable in dataset.data_vars.items()
            },
            coordinates={axis: along(dataset, axis) for axis in axes},
            times=_lto.floats(time, dataset[time].values) if time else None,
            bounds={
                axis: (float(dataset[axis].attrs["lower"]), float(dataset[axis].attrs["upper"]))
                for axis in axes
                if {"lower", "upper"} <= set(dataset[axis].attrs)
            },
            periodic=tuple(axis for axis in axes if dataset[axis].attrs.get("periodic", False)),
        )

    def save(self, path: str | os.PathLike[str]) -> list[str]:
        """Writes an ``.npz`` file and returns the settings by which ``lto`` reads it, as in ``lto train --set``."""
        clash = set(self.fields) & {*self.coordinates, "t"}
        if clash:
            raise DataError(f"fields and coordinates both have a {min(clash)}; rename one")
        times = {} if self.times is None else {"t": self.times}
        arrays = {**self.fields, **self.coordinates, **times}
        _lto.write_arrays(path, list(arrays.items()))
        return _settings.texts({f"data.{key}": value for key, value in self._options().items()})

    def _options(self) -> dict[str, Any]:
        """How the file of :meth:`save` is read: the ``[data]`` of a configuration."""
        axes = ["n", *([] if self.times is None else ["t"]), *self.coordinates]
        options: dict[str, Any] = {
            "layout": "generic",
            "keys": list(self.fields),
            "axes": ",".join(axes),
            "periodic": ",".join(self.periodic) or "none",
        }
        if len(self.bounds) == len(self.coordinates):
            bounds = (self.bounds[axis] for axis in self.coordinates)
            options["domain"] = ",".join(f"{lower!r}:{upper!r}" for lower, upper in bounds)
        return options

    def plot(self, sample: int = 0, channel: str | None = None) -> _lto.Picture:
        """A sample as a picture; ``channel`` is a name, by default the first."""
        with as_file(self) as (path, _):
            name = channel or (list(self.fields)[0] if self.times is not None else list(self.fields)[-1])
            return _lto.plot_sample(path, _settings.as_json(self._options()), sample, name)


def read(path: str | os.PathLike[str], *, samples: slice | None = None, **options: Any) -> Dataset:
    """Reads a data file: PDEBench, The Well, NetCDF-4, MATLAB, npy, npz.

    ``samples`` chooses some of its samples, as in ``slice(0, 10)``. ``options`` are the keys of ``[data]`` in a configuration:
    ``layout``, ``keys``, ``axes``, ``grid``, ``domain``, ``periodic``, ``time_step``, ``resolution``, ``stride``.
    """
    chosen = samples or slice(None)
    if chosen.step not in (None, 1):
        raise DataError(f"samples = {samples}: must be a slice without a step")
    found = _lto.read_dataset(path, _settings.as_json(options), chosen.start or 0, chosen.stop)
    axes = found["axes"]
    return Dataset(
        fields=found["fields"],
        coordinates={name: x for name, _, _, _, x in axes},
        times=found["times"],
        bounds={name: (lower, upper) for name, lower, upper, _, _ in axes},
        periodic=tuple(name for name, _, _, periodic, _ in axes if periodic),
        notes=found["notes"],
    )


def generate(
    pde: str,
    n: int,
    *,
    seed: int = 0,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    force: bool = False,
    progress: bool | None = None,
    **parameters: Any,
) -> Dataset:
    """Solves ``n`` random problems of a PDE: heat, advection, burgers, navier-stokes or darcy.

    ``parameters`` are those of ``lto data generate``: ``resolution``, ``viscosity``, … With ``out`` the samples are kept in a
    ``.hdf5`` or ``.npz`` file; after Ctrl-C, ``resume=True`` goes on. ``progress`` shows a bar (default: in notebooks).

    >>> lto.generate("burgers", n=3, seed=7, resolution=64).fields["tensor"].shape
    (3, 201, 64)
    """
    bar = Bar(pde, progress)
    described = _settings.as_json({"pde": pde, **parameters})
    _settings.natural("n", n, 1)
    _settings.natural("seed", seed, 0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "samples.npz") if out is None else Path(out)
        try:
            _lto.generate(described, n, seed, path, resume, force, lambda solved: bar.show(solved, n))
        finally:
            bar.close()
        return read(path)


def of(data: DataLike) -> Dataset | Path:
    """Data as they were given: a path, or a data set in memory."""
    if isinstance(data, (str, os.PathLike)):
        return Path(data)
    if isinstance(data, Dataset):
        return data
    if is_labelled(data):
        return Dataset.from_xarray(data)
    if isinstance(data, Mapping) and {"fields", "coordinates"} <= set(data) <= {one.name for one in fields(Dataset)}:
        return Dataset(**data)
    raise DataError(
        f"data is a {type(data).__name__}, but must be a path, a Dataset, or an xarray Dataset or DataArray; give plain arrays with "
        "their coordinates, as in lto.Dataset({'u': u}, {'x': x, 'y': y}, times=t)"
    )


@contextmanager
def as_file(data: DataLike) -> Iterator[tuple[Path, list[str]]]:
    """The path of the data and the settings to read them by; those in memory are written to a file for the while."""
    found = of(data)
    if isinstance(found, Path):
        yield found, []
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "data.npz")
        yield path, found.save(path)
