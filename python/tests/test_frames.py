"""Tables and labelled arrays in, labelled arrays out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import lto
from conftest import ROOT

X = np.array([0.05, 0.3, 0.55, 0.8])
U = np.array([0.9, 0.2, -0.8, -0.1])
TIMES = [0.25, 1.0]


def expected(model: lto.Model) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    state = model.encode(X, U, s=0.0)
    return np.stack([state.at(t).decode(lto.Grid(32)).values[0] for t in TIMES])


def test_a_table_and_an_array_of_points_predict_what_encode_does(model: lto.Model) -> None:
    table = pd.DataFrame({"station": list("abcd"), "X": X, "time": 0.0, "u": U})
    array = xr.DataArray(U, dims="station", coords={"x": ("station", X)}, name="u")
    for data, s in [(table, None), (table.drop(columns="time"), 0.0), (array, 0.0), ({"x": X, "u": U}, 0.0)]:
        found = model.predict(data, times=TIMES, query=lto.Grid(32), s=s)
        assert found["u"].dims == ("time", "x")
        np.testing.assert_allclose(found["time"], TIMES)
        np.testing.assert_allclose(found["x"], np.arange(32) / 32)
        np.testing.assert_allclose(found["u"], expected(model), atol=1e-6)


def test_a_column_of_temperatures_is_none_of_times(model: lto.Model) -> None:
    found = model.predict({"x": X, "T": U}, TIMES, lto.Grid(32), s=0.0, columns=["T"])
    np.testing.assert_allclose(found["u"], expected(model), atol=1e-6)


def test_what_a_table_calls_missing_is_missing(model: lto.Model) -> None:
    x, u = np.append(X, 0.9), np.append(U, 99.0)
    nullable = pd.DataFrame({"x": x, "u": pd.array([*U, None], dtype="Float64")})
    masked = {"x": x, "u": np.ma.masked_greater(u, 10)}
    for table in (nullable, masked):
        with pytest.raises(lto.DataError, match=r"row 4 \(from 0\).*no value.*--skip-missing"):
            model.predict(table, times=TIMES, query=lto.Grid(32), s=0.0)
        found = model.predict(table, times=TIMES, query=lto.Grid(32), s=0.0, skip_missing=True)
        np.testing.assert_allclose(found["u"], expected(model), atol=1e-6)
    with pytest.raises(lto.DataError, match=r"row 4 \(from 0\).*no value"):
        model.encode(x, masked["u"], s=0.0)


def test_fields_on_a_grid_keep_their_names_and_units(model: lto.Model) -> None:
    x = np.arange(64) / 64
    frames = xr.Dataset(
        {"speed": (("time", "x"), np.sin(2 * np.pi * x) * np.ones((3, 1)), {"units": "m/s"})},
        coords={"x": ("x", x, {"units": "m"}), "time": [0.0, 0.5, 1.0]},
    )
    found = model.predict(frames, times=[1.5], query=lto.Grid(64), s=0.5, columns=["speed"])
    on_grid = model.encode(lto.Grid(64), np.sin(2 * np.pi * x), s=0.5).at(1.5).decode(lto.Grid(64))
    np.testing.assert_array_equal(found["u"][0], on_grid.values[0])
    assert found["x"].attrs["units"] == "m" and found["u"].attrs["units"] == "m/s"
    # A frame that knows its time needs no other, and may not contradict it.
    xr.testing.assert_equal(model.predict(frames.isel(time=1), [1.5], lto.Grid(64), columns=["speed"]), found)
    with pytest.raises(lto.DataError, match="no observation at time 0.25"):
        model.predict(frames.isel(time=1), [1.5], columns=["speed"], s=0.25)
    with pytest.raises(lto.DataError, match="3 times from 0 to 1; choose one with s"):
        model.predict(frames, times=[1.5], columns=["speed"])
    with pytest.raises(lto.DataError, match="no time 0.7"):
        model.predict(frames, times=[1.5], columns=["speed"], s=0.7)


def test_points_come_back_as_points(model: lto.Model) -> None:
    found = model.predict({"x": X, "u": U}, times=TIMES, query=[[0.1], [0.2], [0.7]], s=0.0)
    assert found["u"].dims == ("time", "point")
    np.testing.assert_allclose(found["x"], [0.1, 0.2, 0.7])
    one = model.encode(X, U, s=0.0).at(0.25).decode(lto.Grid(8)).to_xarray()
    assert one["u"].dims == ("x",) and float(one["time"]) == 0.25


def test_a_table_may_have_its_places_in_its_index(model: lto.Model) -> None:
    """As those of deepsensor have."""
    index = pd.MultiIndex.from_arrays([np.zeros(4), X], names=["time", "x"])
    found = model.predict(pd.DataFrame({"u": U}, index=index), times=TIMES, query=lto.Grid(32))
    np.testing.assert_allclose(found["u"], expected(model), atol=1e-6)


def test_queries_go_by_the_names_of_their_axes(model: lto.Model) -> None:
    even = np.arange(32) / 32
    frame = xr.DataArray(np.zeros(32), dims="x", coords={"x": even})
    stations = xr.Dataset(coords={"x": ("station", even)})
    table = pd.DataFrame({"height": 3.0, "X": even})
    for query, dims in [(frame, ("time", "x")), (stations, ("time", "point")), (table, ("time", "point"))]:
        found = model.predict({"x": X, "u": U}, TIMES, query, s=0.0)
        assert found["u"].dims == dims
        np.testing.assert_allclose(found["u"], expected(model), atol=1e-6)
    with pytest.raises(lto.DataError, match="query has no column x; the axes are x, the columns lon"):
        model.predict({"x": X, "u": U}, TIMES, {"lon": X}, s=0.0)
    with pytest.raises(lto.DataError, match="query has the dimensions lon, but must have x"):
        model.predict({"x": X, "u": U}, TIMES, xr.DataArray(X, dims="lon"), s=0.0)


def test_axes_may_fall_and_other_variables_are_left_out(model: lto.Model) -> None:
    """As latitudes do; an axis of one entry is none."""
    x = np.arange(64) / 64
    rising = xr.Dataset({"u": (("member", "x"), np.sin(2 * np.pi * x)[None])}, coords={"x": x})
    falling = rising.isel(x=slice(None, None, -1)).assign(crs=4326, name=("x", ["a"] * 64))
    one, other = (model.predict(data, [0.5], lto.Grid(32), s=0.0) for data in (rising, falling))
    xr.testing.assert_equal(one, other)


def test_data_are_refused_by_name(model: lto.Model) -> None:
    for data, told in [
        ({"lon": X, "u": U}, "data has no column x; the axes are x, the columns lon, u"),
        ({"x": X, "speed": U}, "--column speed"),
        ({"x": X, "u": list("abcd")}, "data has no column of numbers beside those of the axes and times; the columns are x, u; convert"),
        ({"x": X, "u": 1e4 * U}, "row 0 (from 0): u = 9000.0 is far from the training data"),
        (xr.DataArray(U, dims="lon", name="u"), "rename"),
        (xr.DataArray(U, dims="x", name="u"), "the dimension x has no coordinates"),
        (xr.DataArray([U, U], dims=("run", "x"), coords={"x": X}, name="u"), "the dimension run beside the axes x; choose"),
        (pd.DataFrame({"x": [], "u": []}), "no observation is left"),
        (np.stack([X, U]), "data is a ndarray, but must be a DataFrame"),
        ({"x": X, "u": U, "t": np.array(["2020-01-01"] * 4, dtype="M8[ns]")}, "t holds dates or durations"),
    ]:
        with pytest.raises(lto.DataError) as error:
            model.predict(data, times=[0.5], s=0.0)
        assert told in str(error.value)
    with pytest.raises(lto.ConfigError, match="give the times to predict; the model knows 0 to 2"):
        model.predict({"x": X, "u": U}, s=0.0)
    with pytest.warns(UserWarning, match="far from the training data"):
        model.predict({"x": X, "u": 1e4 * U}, times=[0.5], s=0.0, force=True)


def test_a_band_comes_as_lower_and_upper_ends() -> None:
    calibrated = lto.load(ROOT / "results" / "heat_bands")
    rng = np.random.default_rng(0)
    points = rng.uniform(size=(60, 2))
    table = {"x": points[:, 0], "y": points[:, 1], "u": 0.1 * np.sin(2 * np.pi * points[:, 0])}
    asked: dict[str, Any] = {"times": [0.004, 0.008], "query": lto.Grid(16, 16), "s": 0.0, "force": True}
    narrow, wide, plain = (calibrated.predict(table, band=band, **asked) for band in (0.5, 0.9, None))
    assert set(wide.data_vars) == {"u", "u_lower", "u_upper"} and wide.attrs["band"] == 0.9
    assert wide["u_lower"].dims == ("time", "x", "y") and set(plain.data_vars) == {"u"}
    xr.testing.assert_equal(wide["u"], plain["u"])
    assert (wide["u_lower"] <= narrow["u_lower"]).all() and (narrow["u_lower"] <= plain["u"]).all()
    assert (wide["u_upper"] >= narrow["u_upper"]).all() and (narrow["u_upper"] >= plain["u"]).all()
    with pytest.raises(lto.Error, match="lto calibrate"):
        lto.load(ROOT / "results" / "burgers_29k").predict({"x": X, "u": U}, [0.5], lto.Grid(8), s=0.0, band=0.9)
    with pytest.raises(lto.Error, match="1.5"):
        calibrated.predict(table, band=1.5, **asked)
