"""Writes a large record of stations: hourly temperatures, one station after the other (the worst order for sorting by
time), as `time,station,t2m`, and the table of the stations beside it.

    python3 bench/records.py --rows 100000000 --stations 1000 --folder /tmp/records
"""

import argparse
import math
import random
from datetime import datetime, timedelta
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("--rows", type=int, default=10_000_000)
parser.add_argument("--stations", type=int, default=1000)
parser.add_argument("--folder", type=Path, default=Path("."))
args = parser.parse_args()

draw = random.Random(7)
args.folder.mkdir(parents=True, exist_ok=True)
with open(args.folder / "places.csv", "w") as out:
    out.write("station,lat,lon\n")
    for i in range(args.stations):
        out.write(f"s{i:04d},{draw.uniform(35, 65):.4f},{draw.uniform(-10, 30):.4f}\n")

hours = args.rows // args.stations
start = datetime(2010, 1, 1)
times = [(start + timedelta(hours=h)).strftime("%Y-%m-%dT%H:%MZ,").encode() for h in range(hours)]
# The course of the day with noise, drawn from so many readings as fit in memory.
course = [math.sin(2 * math.pi * (h % 24) / 24) for h in range(hours)]
with open(args.folder / f"readings_{args.rows}.csv", "wb", buffering=1 << 20) as out:
    out.write(b"time,station,t2m [K]\n")
    for i in range(args.stations):
        base, name = draw.uniform(275, 290), f"s{i:04d},".encode()
        readings = [f"{base + 5 * course[k % 24] + draw.gauss(0, 0.2):.2f}\n".encode() for k in range(24 * 40)]
        out.write(b"".join(part for h in range(hours) for part in (times[h], name, readings[h % 960])))
