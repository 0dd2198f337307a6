"""deepsensor's ConvNP (PyTorch) on a table of stations: forecasts for 1, 6, 12 and 24 hours, with the split of
configs/thirdparty/era5_stations.toml and a budget of processor time.

    python bench/peers/deepsensor_stations.py stations.csv grid.csv HELD_OUT MINUTES [TRAIN_UNTIL]

HELD_OUT is a file with the names of the stations that are never trained on, one a line. Prints the RMSE, and of the 90 % band of its
normal distributions the share inside, the width and the CRPS. With TRAIN_UNTIL, an hour before the test begins, training ends there and the hours
between are used to widen or narrow that band as split conformal prediction does, by lead. Needs deepsensor and PyTorch.
"""

import sys
import time

import numpy as np
import pandas as pd
import torch

import deepsensor.torch  # noqa: F401  (chooses the backend)
from deepsensor.data import DataProcessor, TaskLoader, construct_circ_time_ds
from deepsensor.model import ConvNP
from deepsensor.train import Trainer

LEADS, TEST_FROM, EVERY = [1, 6, 12, 24], 384, 4
stations, grid, held_out, minutes = sys.argv[1], sys.argv[2], open(sys.argv[3]).read().split(), float(sys.argv[4])
TRAIN_UNTIL = int(sys.argv[5]) if len(sys.argv) > 5 else TEST_FROM
NORMAL = 1.6448536
torch.set_num_threads(1)
torch.manual_seed(0)
np.random.seed(0)

table = pd.read_csv(stations, parse_dates=["time"]).rename(columns={"lat": "x1", "lon": "x2"})
table["time"] = table["time"].dt.tz_localize(None)
hours = pd.date_range(table["time"].min(), table["time"].max(), freq="h")
train, between, test = hours[:TRAIN_UNTIL], hours[TRAIN_UNTIL:TEST_FROM], hours[TEST_FROM:]
frame = lambda rows: rows.set_index(["time", "x1", "x2"])[["t2m"]].sort_index()
seen, everything = frame(table[~table.station.isin(held_out)]), frame(table)

processor = DataProcessor(x1_name="x1", x2_name="x2", x1_map=(50, 58), x2_map=(-10, -2))
fitted = processor(seen[seen.index.get_level_values("time") <= train[-1]])
# The hour of the day, the same everywhere.
everywhere = {"x1": np.linspace(0, 1, 4), "x2": np.linspace(0, 1.5, 4)}
circ = construct_circ_time_ds(hours, freq="H").expand_dims(everywhere).transpose("time", "x1", "x2")
contexts = {"seen": processor(seen), "all": processor(everything)}


def loader(which):
    return TaskLoader(
        context=[contexts[which], circ],
        target=[contexts[which]] * len(LEADS),
        target_delta_t=LEADS,
        time_freq="h",
    )


model = ConvNP(processor, loader("seen"), unet_channels=(32, 32, 32), likelihood="het", internal_density=20)
make, trainer = loader("seen"), Trainer(model, lr=3e-4)
start, epoch = time.process_time(), 0
while time.process_time() - start < 60 * minutes:
    dates = np.random.choice(train[: -max(LEADS)], 16, replace=False)
    fraction = np.random.uniform(0.5, 1.0)
    tasks = [make(date, [float(fraction), "all"], "all") for date in pd.DatetimeIndex(dates)]
    loss = np.mean(trainer(tasks, batch_size=None))
    epoch += 1
print(f"{epoch} batches of 16 in {(time.process_time() - start) / 60:.1f} processor minutes; last loss {loss:.3f}")

truth = pd.read_csv(grid, parse_dates=["time"])
truth["time"] = truth["time"].dt.tz_localize(None)
field = truth.pivot_table(index="time", columns=["lat", "lon"], values="t2m")
places = {
    "held-out stations": ("seen", np.array(sorted({(r.x1, r.x2) for r in table[table.station.isin(held_out)].itertuples()}))),
    "whole grid": ("all", np.array(list(field.columns))),
}
observed = table.pivot_table(index="time", columns=["x1", "x2"], values="t2m").reindex(index=hours)


def forecasts(which, where, known, dates):
    """By lead, for every date: errors, deviations."""
    make, found = loader(which), {lead: [] for lead in LEADS}
    x_t = ((where - [50, -10]) / 8).T
    for date in dates[::EVERY]:
        task = make(date, "all")
        task["X_t"] = [x_t] * len(LEADS)
        means, deviations = model.mean(task), model.stddev(task)
        for i, lead in enumerate(LEADS):
            target = date + pd.Timedelta(hours=lead)
            if target not in known.index or target > dates[-1]:
                continue
            value = processor.map_array(means[i].squeeze(), "t2m", unnorm=True)
            spread = processor.map_array(deviations[i].squeeze(), "t2m", unnorm=True, add_offset=False)
            exact = known.loc[target].reindex([tuple(p) for p in where]).to_numpy()
            there = ~np.isnan(exact)
            found[lead].append((exact[there] - value[there], spread[there]))
    return found


def conformal(groups, level=0.9):
    """The least q with the mean over the groups, and one more that is infinite, of the share of scores up to q at least the level."""
    scores = np.concatenate(groups)
    weights = np.concatenate([np.full(len(g), 1 / len(g) / (len(groups) + 1)) for g in groups])
    order = np.argsort(scores)
    return scores[order][np.searchsorted(np.cumsum(weights[order]), level)]


def crps(error, deviation):
    z = error / deviation
    erf = torch.erf(torch.tensor(z / 2**0.5)).numpy()
    return deviation * (z * erf + (2 / np.pi) ** 0.5 * np.exp(-z * z / 2) - np.pi**-0.5)


factors = {lead: [NORMAL] for lead in LEADS}
if len(between):
    which, where = places["held-out stations"]
    for lead, found in forecasts(which, where, observed, between).items():
        factors[lead].append(conformal([np.abs(error) / deviation for error, deviation in found]))
for name, (which, where) in places.items():
    for lead, found in forecasts(which, where, observed if which == "seen" else field, test).items():
        each = lambda of: float(np.mean([np.mean(of(error, deviation)) for error, deviation in found]))
        line = f"{name}, {lead} h: RMSE {np.mean([np.sqrt(np.mean(e**2)) for e, _ in found]):.3f}, CRPS {each(crps):.3f}"
        for kind, q in zip(("normal", "conformal"), factors[lead]):
            inside = 100 * each(lambda error, deviation: np.abs(error) <= q * deviation)
            line += f"; {kind} band: inside {inside:.1f} %, width {each(lambda _, deviation: 2 * q * deviation):.2f}"
        print(line)
