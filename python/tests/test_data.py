"""Data sets: generated, read, labelled, written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import lto


def test_generated_samples_are_those_of_the_file(tmp_path: Path) -> None:
    kept = lto.generate("heat", n=3, seed=5, out=tmp_path / "heat.hdf5", resolution=16, n_frames=4)
    free = lto.generate("heat", n=3, seed=5, resolution=16, n_frames=4)
    assert kept.fields["tensor"].shape == (3, 4, 16, 16) and len(kept) == 3
    np.testing.assert_array_equal(kept.fields["tensor"], free.fields["tensor"])
    some = lto.read(tmp_path / "heat.hdf5", samples=slice(1, 2))
    np.testing.assert_array_equal(some.fields["tensor"], kept.fields["tensor"][1:2])
    assert some.periodic == ("x", "y") and some.bounds == {"x": (0.0, 1.0), "y": (0.0, 1.0)}
    with pytest.raises(lto.FileError, match="exists already"):
        lto.generate("heat", n=3, out=tmp_path / "heat.hdf5")
    with pytest.raises(lto.DataError, match="no samples 2 to 9; it has 3"):
        lto.read(tmp_path / "heat.hdf5", samples=slice(2, 9))


def test_a_steady_pair_has_a_source_and_a_target() -> None:
    darcy = lto.generate("darcy", n=2, resolution=17)
    assert darcy.times is None and list(darcy.fields) == ["nu", "tensor"]
    assert darcy.fields["nu"].shape == (2, 17, 17)
    assert set(np.unique(darcy.fields["nu"])) == {3.0, 12.0}


def test_labelled_arrays_go_there_and_back(tmp_path: Path) -> None:
    heat = lto.generate("heat", n=2, resolution=16, n_frames=4)
    labelled = heat.to_xarray()
    assert labelled["tensor"].dims == ("sample", "time", "x", "y")
    again = lto.Dataset.from_xarray(labelled.transpose("y", "time", "sample", "x"))
    np.testing.assert_array_equal(again.fields["tensor"].transpose(0, 1, 3, 2), heat.fields["tensor"])
    falling = lto.Dataset.from_xarray(labelled.isel(y=slice(None, None, -1)))
    np.testing.assert_array_equal(falling.fields["tensor"], heat.fields["tensor"])
    again = lto.Dataset.from_xarray(labelled["tensor"])
    assert again.periodic == heat.periodic and again.bounds == heat.bounds
    settings = again.save(tmp_path / "again.npz")
    assert 'data.axes="n,t,x,y"' in settings and 'data.domain="0.0:1.0,0.0:1.0"' in settings
    read = lto.read(tmp_path / "again.npz", **again._options())
    np.testing.assert_array_equal(read.fields["tensor"], heat.fields["tensor"])
    assert (read.periodic, read.bounds) == (heat.periodic, heat.bounds)
    assert heat.plot(1).png.startswith(b"\x89PNG")


def test_arrays_that_do_not_fit_are_refused_by_name(tmp_path: Path) -> None:
    x = np.linspace(0, 1, 5)
    with pytest.raises(lto.DataError, match=r"fields\['u'\] has shape \(2, 4\), but must be \(2, 5\): \(sample, x\)"):
        lto.Dataset({"u": np.zeros((2, 4))}, {"x": x})
    with pytest.raises(lto.DataError, match="fields is empty"):
        lto.Dataset({}, {"x": x})
    frames = xr.DataArray(np.zeros((3, 5)), dims=("time", "x"), coords={"x": x, "time": pd.date_range("2020-01-01", periods=3)})
    with pytest.raises(lto.DataError, match=r"time holds dates or durations.*numpy.timedelta64\(1, 'h'\)"):
        lto.Dataset.from_xarray(frames)
    with pytest.raises(lto.DataError, match="the dimension x has no coordinates"):
        lto.Dataset.from_xarray(frames.drop_vars("x"))
    with pytest.raises(lto.DataError, match=r"data is a ndarray.*lto.Dataset\("):
        lto.train({}, out=tmp_path / "run", data=np.zeros((2, 3, 5)))
    with pytest.raises(lto.DataError, match="both have a x; rename"):
        lto.Dataset({"x": np.zeros((2, 5))}, {"x": x}).save(tmp_path / "a.npz")
