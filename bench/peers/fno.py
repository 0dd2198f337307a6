"""The published Fourier neural operator in PyTorch: time and peak memory of a training step and of a prediction.

Written as its published program is, with torch.fft and complex weights; the first and last layers are Linear on points with
channels last, the 1 x 1 convolutions channels first. Prints one JSON line a measurement, with the keys of twin.py.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time

from twin import peak_mb  # First: it binds the threads before torch starts them.

import torch
import torch.nn.functional as F
from torch import nn

CASES = {
    "fno-burgers": dict(dim=1, n=1024, batch=16, frames=10, modes=12, width=20, parameters=23_937),
    "fno-navier-stokes": dict(dim=2, n=64, batch=4, frames=1, modes=17, width=22, parameters=1_124_193),
}
BLOCKS, HIDDEN = 4, 128


class Spectral1d(nn.Module):
    def __init__(self, width, modes):
        super().__init__()
        self.modes = modes
        self.weight = nn.Parameter(torch.rand(width, width, modes, dtype=torch.cfloat) / width**2)

    def forward(self, x):
        image, m = torch.fft.rfft(x), self.modes
        out = torch.zeros_like(image)
        out[:, :, :m] = torch.einsum("bix,iox->box", image[:, :, :m], self.weight)
        return torch.fft.irfft(out, n=x.shape[-1])


class Spectral2d(nn.Module):
    def __init__(self, width, modes):
        super().__init__()
        self.modes = modes
        weight = lambda: nn.Parameter(torch.rand(width, width, modes, modes, dtype=torch.cfloat) / width**2)
        self.low, self.high = weight(), weight()

    def forward(self, x):
        image, m = torch.fft.rfft2(x), self.modes
        out = torch.zeros_like(image)
        out[:, :, :m, :m] = torch.einsum("bixy,ioxy->boxy", image[:, :, :m, :m], self.low)
        out[:, :, -m:, :m] = torch.einsum("bixy,ioxy->boxy", image[:, :, -m:, :m], self.high)
        return torch.fft.irfft2(out, s=x.shape[-2:])


class Fno(nn.Module):
    def __init__(self, case):
        super().__init__()
        dim, width = case["dim"], case["width"]
        spectral, conv = (Spectral1d, nn.Conv1d) if dim == 1 else (Spectral2d, nn.Conv2d)
        self.lift = nn.Linear(case["frames"] + dim, width)
        self.spectral = nn.ModuleList(spectral(width, case["modes"]) for _ in range(BLOCKS))
        self.local = nn.ModuleList(conv(width, width, 1) for _ in range(BLOCKS))
        self.hidden, self.output = nn.Linear(width, HIDDEN), nn.Linear(HIDDEN, 1)

    def forward(self, x):
        """[b, n..., frames + D] to [b, n..., 1]."""
        h = self.lift(x).movedim(-1, 1)
        for i, (spectral, local) in enumerate(zip(self.spectral, self.local)):
            h = spectral(h) + local(h)
            if i < BLOCKS - 1:
                h = F.gelu(h)
        return self.output(F.gelu(self.hidden(h.movedim(1, -1))))


def measure(name, what, seconds):
    idle_mb = peak_mb()
    case = CASES[name]
    batch = 1 if what == "predict" else case["batch"]
    torch.manual_seed(0)
    model = Fno(case)
    n_parameters = sum(p.numel() for p in model.parameters())
    assert n_parameters == case["parameters"], f"{name}: {n_parameters} parameters"
    shape = [case["n"]] * case["dim"]
    axis = torch.arange(case["n"]) / case["n"]
    coordinates = torch.stack(torch.meshgrid(*[axis] * case["dim"], indexing="ij"), -1).expand(batch, *shape, -1)
    frames, target = torch.randn(batch, *shape, case["frames"]), torch.randn(batch, *shape, 1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.99), weight_decay=5e-5)

    def apply():
        return model(torch.cat([frames, coordinates], -1))

    def train():
        optimizer.zero_grad()
        difference = (apply() - target).flatten(1).norm(dim=1)
        (difference / target.flatten(1).norm(dim=1)).mean().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    @torch.no_grad()
    def predict():
        apply()

    run = {"train": train, "predict": predict}[what]
    run()
    taken, end = [], time.perf_counter() + seconds
    while len(taken) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    result = {"program": "torch", "case": name, "what": what, "batch": batch, "n": len(taken)}
    return result | {"seconds": statistics.median(taken), "peak_mb": peak_mb(), "idle_mb": idle_mb}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--what", nargs="+", choices=["train", "predict"], default=["train", "predict"])
    parser.add_argument("--seconds", type=float, default=10, help="time for one measurement, after the first run")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", action="store_true", help="measure the one thing named in this process")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    if args.only:
        print(json.dumps(measure(args.cases[0], args.what[0], args.seconds)))
        return
    options = ["--seconds", str(args.seconds), "--threads", str(args.threads), "--only"]
    for case in args.cases:
        for what in args.what:
            # A process of its own, so that each peak of memory is its own.
            subprocess.run([sys.executable, __file__, "--cases", case, "--what", what] + options, check=True)


if __name__ == "__main__":
    main()
