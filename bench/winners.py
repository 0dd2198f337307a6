"""Training steps and predictions of trained runs beside the same networks in PyTorch (`lto.torch`), in turn.

Usage: winners.py LTO SECONDS THREADS RUN...

LTO names the program. Contexts and queries are whole grids of as many points as the run was trained on, weights are what they are,
values are made up. Both sides take a step of AdamW on a batch as large as the run's; losses differ in what costs nothing.
"""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch

import lto.torch

LTO, SECONDS, THREADS, RUNS = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
LEAST_RUNS = 3


def ours(run: str, what: str) -> dict:
    """The measurement of the program."""
    command = [LTO, "bench", what, "--run", run, "--seconds", str(SECONDS), "--threads", str(THREADS), "--json", "--quiet"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def theirs(run: str, what: str, batch: int) -> float:
    """Median seconds of a training step or a prediction in PyTorch."""
    model = lto.torch.load(run)
    problem, grid = model.card["problem"], model.grid()
    n = torch.tensor(problem["native"]).prod()
    field = lambda channels, phase: torch.sin(0.7 * torch.arange(batch * channels * n) + phase).reshape(batch, channels, -1)
    values, target = field(problem["source_channels"], 0.0), field(problem["target_channels"], 1.0)
    step = model.card.get("native_interval") or 0.0
    first = (problem["times"] or [0.0])[0]
    times = (None, None) if problem["times"] is None else (first, first + step)
    predict = lambda: model(grid, values, *times, grid, way="direct")
    if what == "predict":
        with torch.no_grad():
            return median(predict)
    # Means over symmetries are of predictions; both sides train on states as they are.
    model.isometries = model.isometries[:1]
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def train() -> None:
        optimizer.zero_grad()
        ((predict() - target).flatten(1).norm(dim=1) / target.flatten(1).norm(dim=1)).mean().backward()
        optimizer.step()

    return median(train)


def median(run: Callable[[], object]) -> float:
    run()
    taken, end = [], time.perf_counter() + SECONDS
    while len(taken) < LEAST_RUNS or time.perf_counter() < end:
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def main() -> None:
    torch.set_num_threads(THREADS)
    line = "{:<16} {:<8} {:>6} {:>12} {:>12} {:>8}"
    print(line.format("run", "what", "batch", "lto ms", "PyTorch ms", "ratio"))
    for run in RUNS:
        for what in ["train", "predict"]:
            measured = ours(run, what)
            other = theirs(run, what, measured["batch"])
            own = measured["seconds"]
            print(line.format(Path(run).name, what, measured["batch"], f"{1e3 * own:.2f}", f"{1e3 * other:.2f}", f"{other / own:.2f}"))


if __name__ == "__main__":
    main()
