"""Stations that fail, lie and come back, followed by `lto forecast --follow`: does it see the lies, does it keep going, does
its memory stay flat, do its bands cover?

    python3 bench/live.py --lto target/release/lto --minutes 60 --every 5 --folder /tmp/live

Every `--every` seconds all stations append their readings of the next hour to a file. A wave moves over them. Some stations
fall silent for a while, some say 8 K too much for a while, and some rows are doubled, late, broken or out of this world. A
small twin is trained and calibrated on the first ten days of the record. At the end a table says what was done and what was seen.
"""

import argparse
import json
import math
import random
import subprocess
import threading
import time
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

CONFIG = """
[data]
path = "{path}"
records = {{ noise = [0.2], points = [17, 17] }}
domain = "50:58,-10:2"
time_period = 24.0
calendar = [24.0]
split = {{ records = {{ validation = 0.35, test = 0.05, stations = 0.1 }} }}

[model]
kind = "twin"
latent_points = 8
latent_channels = 4
output = "gated"
encoder = {{ kind = "set_conv", hidden = 8, length_scale = {{ layout = 0.5 }}, estimate = true }}
evolution = {{ kind = "residual", width = 8 }}
decoder = {{ hidden = 16 }}

[train]
batch = 4
steps = {steps}
pairs = {{ max_steps = 6 }}

[train.objective]
reconstruction_weight = 0.0

[train.validation]
every = {steps}
leads = [1, 6]
samples = 8
"""


class Network:
    """Stations under a moving wave; each has its own offset, which is no lie."""

    def __init__(self, n, seed=3):
        self.draw = random.Random(seed)
        self.places = [(self.draw.uniform(50.2, 57.8), self.draw.uniform(-9.5, 1.5)) for _ in range(n)]
        self.offsets = [self.draw.gauss(0, 0.5) for _ in range(n)]
        self.silent, self.lying = {}, {}
        self.hour = 0

    def value(self, i):
        lat, lon = self.places[i]
        day = 4 * math.sin(2 * math.pi * (self.hour % 24) / 24)
        wave = 3 * math.sin(0.5 * lat + 0.35 * lon - 0.1 * self.hour)
        return 283 + day + wave - 0.6 * (lat - 54) + self.offsets[i] + self.draw.gauss(0, 0.2)

    def row(self, i, hour=None, value=None):
        lat, lon = self.places[i]
        when = datetime(2019, 3, 1) + timedelta(hours=self.hour if hour is None else hour)
        value = self.value(i) + self.lying.get(i, 0) if value is None else value
        return f"{when:%Y-%m-%dT%H:%MZ},s{i},{lat:.4f},{lon:.4f},{value:.2f}\n"

    def step(self, troubled):
        """The rows of an hour, and what was done to them."""
        done = Counter()
        if troubled:
            for states, chance, what in [(self.silent, 0.01, "failed"), (self.lying, 0.003, "lied")]:
                for i in range(len(self.places)):
                    if i in states and self.draw.random() < 0.1:
                        del states[i]
                        done["came back" if what == "failed" else "told the truth again"] += 1
                    elif i not in states and i not in self.lying and self.draw.random() < chance:
                        states[i] = self.draw.choice([-8.0, 8.0])
                        done[what] += 1
        rows = [self.row(i) for i in range(len(self.places)) if i not in self.silent]
        if troubled and self.draw.random() < 0.2:
            rows.append(rows[0])
            done["doubled rows"] += 1
        if troubled and self.draw.random() < 0.2 and self.hour > 5:
            rows.append(self.row(0, hour=self.hour - 3))
            done["late rows"] += 1
        if troubled and self.draw.random() < 0.2:
            rows.insert(3, self.draw.choice(["2019-13-45T99:00Z,s1,51,0,280\n", "rubbish\n", "2019-03-01,s1,95,0,280\n"]))
            done["broken rows"] += 1
        if troubled and self.draw.random() < 0.2:
            rows.append(self.row(1, value=-9999.0))
            done["fill values"] += 1
        lies = {f"s{i}" for i in self.lying if i not in self.silent}
        self.hour += 1
        return rows, done, lies


def resident(process):
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return float("nan")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lto", default="target/release/lto")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--every", type=float, default=5, help="seconds between hours")
    parser.add_argument("--stations", type=int, default=60)
    parser.add_argument("--steps", type=int, default=40, help="of training")
    parser.add_argument("--folder", type=Path, required=True)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    network = Network(args.stations)
    record = args.folder / "stations.csv"
    with open(record, "w") as out:
        out.write("time,station,lat,lon,t2m [K]\n")
        for _ in range(240):
            out.writelines(network.step(False)[0])
    config = args.folder / "twin.toml"
    config.write_text(CONFIG.format(path=record, steps=args.steps))
    run = args.folder / "run"
    if not (run / "model.safetensors").exists():
        subprocess.run([args.lto, "train", str(config), "-o", str(run), "--threads", "1", "--force"], check=True)
        subprocess.run([args.lto, "calibrate", str(run), "--leads", "1,6", "--threads", "1"], check=True)
    query = args.folder / "places.csv"
    query.write_text("lat,lon\n" + "".join(f"{lat:.4f},{lon:.4f}\n" for lat, lon in network.places))

    command = [args.lto, "forecast", str(run), "--records", str(record), "--follow", "--lead", "1,6", "--wait", "2"]
    command += ["--query", str(query), "--band", "0.9", "--threads", "1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    seen, alarms, delays = Counter(), [], []
    written, bands = {}, {}

    def listen():
        for line in process.stdout:
            event = json.loads(line)
            seen[event["event"] + (f" ({event['kind']})" if "kind" in event else "")] += 1
            if event["event"] == "alarm":
                alarms.append((event["time"], event["station"]))
            if event["event"] == "forecast" and event["time"] in written:
                delays.append(time.monotonic() - written[event["time"]])
                for lead, t, lower, upper in zip((1, 6), event["times"], event["lower"], event["upper"]):
                    bands[t, lead] = list(zip(lower[0], upper[0]))

    threading.Thread(target=listen, daemon=True).start()
    done, lies, memory, covered = Counter(), set(), [], Counter()
    end = time.monotonic() + 60 * args.minutes
    with open(record, "a") as out, open(args.folder / "memory.csv", "w") as log:
        log.write("seconds,hours,megabytes\n")
        while time.monotonic() < end and process.poll() is None:
            begun = time.monotonic()
            rows, what, now = network.step(True)
            when = f"{datetime(2019, 3, 1) + timedelta(hours=network.hour - 1):%Y-%m-%dT%H:%MZ}"
            lies |= {(when, station) for station in now}
            for lead in (1, 6):
                for i, (lower, upper) in enumerate(bands.pop((when, lead), [])):
                    if i not in network.lying:
                        # The station as it is now, before the next hour.
                        network.hour -= 1
                        covered[lead, lower <= network.value(i) <= upper] += 1
                        network.hour += 1
            done += what
            for row in rows:
                out.write(row)
            out.flush()
            written[when] = time.monotonic()
            memory.append(resident(process))
            log.write(f"{time.monotonic() - end + 60 * args.minutes:.0f},{network.hour},{memory[-1]:.1f}\n")
            log.flush()
            time.sleep(max(0.0, args.every - (time.monotonic() - begun)))
    time.sleep(3 * args.every)
    alive = process.poll() is None
    process.terminate()
    process.wait(timeout=30)
    caught = lies & set(alarms)
    tenth = max(1, len(memory) // 10)
    print("done:", dict(done))
    print("seen:", dict(seen))
    print(f"lies told {len(lies)}, of which alarmed {len(caught)}; alarms at honest stations {len(set(alarms) - lies)}")
    print(f"hours followed {network.hour - 240}, forecasts {seen['forecast']}, still running at the end: {alive}")
    for lead in (1, 6):
        inside, outside = covered[lead, True], covered[lead, False]
        print(f"{lead} h ahead: {100 * inside / max(1, inside + outside):.1f} % of {inside + outside} readings inside the 90 % band")
    if delays:
        print(f"seconds from the last row of an hour to its forecast: median {sorted(delays)[len(delays) // 2]:.1f}")
    print(
        f"megabytes: {memory[0]:.1f} at first, {sum(memory[tenth : 2 * tenth]) / tenth:.1f} in the second tenth, "
        f"{sum(memory[-tenth:]) / tenth:.1f} in the last, {max(memory):.1f} at most"
    )


if __name__ == "__main__":
    main()
