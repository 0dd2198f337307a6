"""deepsensor's ConvNP (PyTorch) on a table of stations: forecasts for 1, 6, 12 and 24 hours, with the split of
configs/thirdparty/era5_stations.toml and a budget of processor time.

    python bench/peers/deepsensor_stations.py stations.csv grid.csv HELD_OUT MINUTES

HELD_OUT is a file with the names of the stations that are never trained on, one a line. Needs deepsensor and PyTorch.
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
torch.set_num_threads(1)
torch.manual_seed(0)
np.random.seed(0)

table = pd.read_csv(stations, parse_dates=["time"]).rename(columns={"lat": "x1", "lon": "x2"})
table["time"] = table["time"].dt.tz_localize(None)
hours = pd.date_range(table["time"].min(), table["time"].max(), freq="h")
train, test = hours[:TEST_FROM], hours[TEST_FROM:]
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
for name, (which, where) in places.items():
    make, errors = loader(which), {lead: [] for lead in LEADS}
    x_t = ((where - [50, -10]) / 8).T
    known = observed if which == "seen" else field
    for date in test[::EVERY]:
        task = make(date, "all")
        for i, lead in enumerate(LEADS):
            target = date + pd.Timedelta(hours=lead)
            if target not in known.index or target > test[-1]:
                continue
            task["X_t"] = [x_t] * len(LEADS)
            mean = model.mean(task)[i].squeeze()
            value = processor.map_array(mean, "t2m", unnorm=True)
            exact = known.loc[target].reindex([tuple(p) for p in where]).to_numpy()
            errors[lead].append(np.sqrt(np.nanmean((value - exact) ** 2)))
    print(name, {lead: round(float(np.mean(e)), 3) for lead, e in errors.items()})
