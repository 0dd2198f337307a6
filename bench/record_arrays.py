"""Writes readings of 1000 stations one after the other as arrays: NumPy archives, stored and compressed, NetCDF with an index and
with counts of CF's discrete sampling geometries, and Zarr. Needs NumPy and h5py.

    python3 bench/record_arrays.py --rows 10000000 --folder /tmp/records
    for f in /tmp/records/*; do /usr/bin/time -f "$f: %M kB, %U s" lto data inspect --records $f --json > /dev/null; done
"""

import argparse
import json
from pathlib import Path

import h5py
import numpy as np

CHUNK = 1 << 18

parser = argparse.ArgumentParser()
parser.add_argument("--rows", type=int, default=10_000_000)
parser.add_argument("--stations", type=int, default=1000)
parser.add_argument("--folder", type=Path, default=Path("."))
args = parser.parse_args()
args.folder.mkdir(parents=True, exist_ok=True)

draw = np.random.default_rng(7)
hours = args.rows // args.stations
lat = draw.uniform(35, 65, args.stations).astype("f4")
lon = draw.uniform(-10, 30, args.stations).astype("f4")
station = np.repeat(np.arange(args.stations, dtype="i4"), hours)
time = np.tile(np.arange(hours, dtype="f8"), args.stations)
t2m = (280 + 5 * np.sin(2 * np.pi * time / 24) + draw.normal(0, 0.2, time.size)).astype("f4")
listed = dict(time=time, station=station, lat=lat[station], lon=lon[station], t2m=t2m)

np.savez(args.folder / "stored.npz", **listed)
np.savez_compressed(args.folder / "compressed.npz", **listed)

for name in ["index", "counts"]:
    with h5py.File(args.folder / f"{name}.nc", "w") as file:
        packed = dict(chunks=(min(CHUNK, time.size),), compression="gzip", compression_opts=1) if name == "index" else {}
        file.create_dataset("time", data=time, **packed).attrs["units"] = np.bytes_("hours since 2010-01-01")
        file.create_dataset("t2m", data=t2m, **packed).attrs["units"] = np.bytes_("K")
        file["lat"], file["lon"] = lat, lon
        if name == "index":
            file.create_dataset("number", data=station, **packed).attrs["instance_dimension"] = np.bytes_("station")
        else:
            counts = np.full(args.stations, hours, "i4")
            file.create_dataset("counts", data=counts).attrs["sample_dimension"] = np.bytes_("reading")

for name, values in listed.items():
    folder = args.folder / "list.zarr" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder.parent / ".zgroup").write_text('{"zarr_format": 2}')
    form = dict(zarr_format=2, shape=[values.size], chunks=[CHUNK], dtype=values.dtype.str, order="C")
    (folder / ".zarray").write_text(json.dumps(dict(form, compressor=None, filters=None, fill_value=0)))
    for chunk in range(-(-values.size // CHUNK)):
        part = values[chunk * CHUNK : (chunk + 1) * CHUNK]
        np.pad(part, (0, CHUNK - part.size)).tofile(folder / str(chunk))
