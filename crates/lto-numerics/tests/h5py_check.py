"""Checks files written by this crate with h5py and NumPy: `python h5py_check.py evolution.hdf5 steady.hdf5
evolution.npz`. Values follow the rule of fixtures/hdf5/make.py."""

import sys

import h5py
import numpy as np


def check_values(array):
    expected = ((np.arange(array.size) * 37) % 101 - 50) / 2
    assert array.dtype == np.float32 and np.array_equal(array.ravel(), expected), array


def check_attributes(get):
    assert get("Nu") == 0.001
    assert str(get("pde")) == "Bürgers"


evolution, steady, npz = sys.argv[1:]
with h5py.File(evolution, "r") as f:
    assert sorted(f) == ["resolution_8", "t-coordinate", "tensor", "x-coordinate", "y-coordinate"], list(f)
    assert f["tensor"].shape == (3, 4, 4, 3) and f["resolution_8/tensor"].shape == (3, 4, 8, 6)
    for group in [f, f["resolution_8"]]:
        check_values(group["tensor"][:])
        axes = [f["t-coordinate"], group["x-coordinate"], group["y-coordinate"]]
        for axis, scale in enumerate(axes, start=1):
            assert scale.is_scale and group["tensor"].dims[axis][0] == scale, (group.name, axis)
    assert np.array_equal(f["t-coordinate"][:], [0.0, 0.1, 0.25, 0.3])
    assert np.array_equal(f["x-coordinate"][:], [-0.75, -0.25, 0.25, 0.75])
    check_attributes(lambda name: f.attrs[name])
    assert np.array_equal(f.attrs["periodic"], [1, 0]) and np.array_equal(f.attrs["domain_lower"], [-1, 0])
with h5py.File(steady, "r") as f:
    assert f["nu"].shape == (3, 5, 5) and f["tensor"].shape == (3, 1, 5, 5) and "t-coordinate" not in f
    check_values(f["nu"][:])
    check_values(f["tensor"][:])
with np.load(npz, allow_pickle=False) as f:
    assert f["tensor"].shape == (3, 4, 4, 3), f.files
    check_values(f["tensor"])
    check_values(f["resolution_8/tensor"])
    check_attributes(lambda name: f[name][()])
    assert np.array_equal(f["domain_lower"], [-1, 0]) and np.array_equal(f["t-coordinate"], [0.0, 0.1, 0.25, 0.3])
print("equal")
