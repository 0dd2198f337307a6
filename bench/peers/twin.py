"""The published twin in PyTorch, written twice, for the three published cases: time and peak memory of a training step
and of a prediction.

dense:     all kernel weights [grid, context] and [query, grid] in memory, as the formulas read.
separable: the Gaussian as a product over axes, two small matrix products for a (masked) grid.

Both share everything else, written as PyTorch runs it fastest here: channels last in two dimensions (a tenth of a
Navier-Stokes step), circular padding by joining slices (F.pad with mode="circular" gives channels-first tensors: a third
more), the decoder's network as Linear on points (half the time of 1 x 1 convolutions), all states of a loss decoded
with the same kernel weights.

Prints one JSON line a measurement, with the keys program, case, what (train or predict), batch, n, seconds (median of n,
for the whole batch), peak_mb (peak resident memory of a process that does nothing else) and idle_mb (what of it was there
before the case was built: interpreter and libraries).
Dense Darcy takes one example a step, for four would take some 24 GB: compare seconds / batch.
"""

import argparse
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import time

os.environ.setdefault("OMP_PROC_BIND", "true")  # Otherwise the threads may all sit on one core.

import torch
import torch.nn.functional as F
from torch import nn

DENSITY_FLOOR = 1e-8
DILATIONS = [2, 4, 8, 16, 32]
BASE = dict(dim=2, periodic=True, timed=True, batch=4, n=64, grid=64, h=16, k=8, f=32, d=64)
CASES = {
    "burgers": BASE | dict(dim=1, batch=16, n=1024, grid=256, parameters=29_395),
    "navier-stokes": BASE | dict(h=64, k=32, f=128, d=256, parameters=1_126_211),
    "darcy": BASE | dict(periodic=False, timed=False, n=211, parameters=29_139),
}


def axis(n, periodic):
    return torch.arange(n) / (n if periodic else n - 1)


def points(case, n):
    """All points of a grid with n along each axis, [n^D, D]."""
    x = axis(n, case["periodic"])
    return torch.cartesian_prod(*[x] * case["dim"]).reshape(-1, case["dim"])


def squared_distance(a, b, periodic):
    """Along one axis: [..., n] and [..., m] to [..., n, m]."""
    difference = a[..., :, None] - b[..., None, :]
    if periodic:
        difference -= difference.round()
    return difference.square_()


class Dense:
    """Contexts are points [b, N, D] with values [b, p, N]; the query is points [M, D]."""

    def __init__(self, case, n_query):
        self.case, self.grid, self.query = case, points(case, case["grid"]), points(case, n_query)

    def context(self, field, mask):
        here = [m.flatten().nonzero()[:, 0] for m in mask]
        where = points(self.case, field.shape[-1])
        return torch.stack([where[i] for i in here]), torch.stack([u.flatten(1)[:, i] for u, i in zip(field, here)])

    def weights(self, a, b, length_scale):
        with torch.no_grad():
            squared = sum(squared_distance(a[..., d], b[..., d], self.case["periodic"]) for d in range(a.shape[-1]))
        return torch.exp(squared / (-2 * length_scale**2))

    def channels(self, context, length_scale):
        """[b, 1 + p, grid]: density and signals."""
        where, values = context
        weights = self.weights(self.grid, where, length_scale)
        density = weights.sum(-1)[:, None]
        raw_signal = values @ weights.mT
        channels = torch.cat([density, raw_signal / (density + DENSITY_FLOOR)], 1)
        return channels.unflatten(2, [self.case["grid"]] * self.case["dim"])

    def interpolate(self, z, length_scale):
        """[b, k, grid] to [b, M, k]."""
        weights = self.weights(self.query, self.grid, length_scale)
        weights = weights / weights.sum(-1, keepdim=True)
        return weights @ z.flatten(2).mT


class Separable:
    """Contexts are a mask and masked fields [b, 1 + p, n...] on a grid; the query is a grid."""

    def __init__(self, case, n_query):
        self.case, self.grid, self.query = case, axis(case["grid"], case["periodic"]), axis(n_query, case["periodic"])

    def context(self, field, mask):
        return torch.cat([mask, mask * field], 1)

    def weights(self, a, b, length_scale):
        return torch.exp(squared_distance(a, b, self.case["periodic"]) / (-2 * length_scale**2))

    def along_axes(self, weights, x):
        """[b, c, n...] to [b, c, m...] by weights [m, n] along each axis."""
        x = x @ weights.mT
        return weights @ x if self.case["dim"] == 2 else x

    def channels(self, context, length_scale):
        where = axis(context.shape[-1], self.case["periodic"])
        sums = self.along_axes(self.weights(self.grid, where, length_scale), context)
        density, raw_signal = sums[:, :1], sums[:, 1:]
        return torch.cat([density, raw_signal / (density + DENSITY_FLOOR)], 1)

    def interpolate(self, z, length_scale):
        weights = self.weights(self.query, self.grid, length_scale)
        weights = weights / weights.sum(-1, keepdim=True)
        return self.along_axes(weights, z).flatten(2).mT


VARIANTS = {"dense": Dense, "separable": Separable}


class Conv(nn.Module):
    """A convolution that keeps the size: circular on periodic domains, zeros past the edge on others."""

    def __init__(self, case, n_in, n_out, width, dilation=1):
        super().__init__()
        kind = nn.Conv1d if case["dim"] == 1 else nn.Conv2d
        self.reach, self.periodic = dilation * (width // 2), case["periodic"]
        padding = 0 if self.periodic else self.reach
        self.conv = kind(n_in, n_out, width, padding=padding, dilation=dilation)

    def forward(self, x):
        if self.periodic:
            for axis in range(2, x.dim()):
                last = x.narrow(axis, x.shape[axis] - self.reach, self.reach)
                x = torch.cat([last, x, x.narrow(axis, 0, self.reach)], axis)
        return self.conv(x)


class Film(nn.Module):
    def __init__(self, f):
        super().__init__()
        self.linear = nn.Linear(f, 2 * f)

    def forward(self, h, embedding):
        gamma, beta = self.linear(embedding).unflatten(1, (2, -1, *[1] * (h.dim() - 2))).unbind(1)
        return torch.addcmul(beta, h, 1 + gamma)


class Timed(nn.Module):
    def __init__(self, case):
        super().__init__()
        k, f = case["k"], case["f"]
        self.time = nn.Sequential(nn.Linear(2, f), nn.SiLU(), nn.Linear(f, f))
        self.input, self.output = Conv(case, k, f, 3), Conv(case, f, k, 3)
        self.dilated = nn.ModuleList(Conv(case, f, f, 3, dilation) for dilation in DILATIONS)
        self.input_film, self.output_film = Film(f), Film(f)

    def forward(self, z, times):
        embedding = self.time(times)
        h = F.silu(self.input_film(self.input(z), embedding))
        for conv in self.dilated:
            h = F.silu(conv(h))
        return z + self.output(self.output_film(h, embedding))


class Steady(nn.Module):
    def __init__(self, case):
        super().__init__()
        k, f = case["k"], case["f"]
        self.inner = nn.Sequential(Conv(case, k, f, 3), nn.SiLU(), Conv(case, f, f, 3), nn.SiLU())
        self.output = Conv(case, f, k, 3)

    def forward(self, z, times):
        return z + self.output(self.inner(z))


class Twin(nn.Module):
    def __init__(self, case, variant, n_query):
        super().__init__()
        h, k, d = case["h"], case["k"], case["d"]
        self.kernel = VARIANTS[variant](case, n_query)
        self.encoder_log_length_scale = nn.Parameter(torch.tensor(math.log(0.1)))
        self.decoder_log_length_scale = nn.Parameter(torch.tensor(math.log(0.1)))
        relu = lambda: nn.ReLU(inplace=True)
        self.encoder = nn.Sequential(Conv(case, 2, h, 5), relu(), Conv(case, h, h, 5), relu(), Conv(case, h, k, 5))
        self.evolution = Timed(case) if case["timed"] else Steady(case)
        for parameter in self.evolution.output.parameters():
            nn.init.zeros_(parameter)
        self.decoder = nn.Sequential(nn.Linear(k, d), relu(), nn.Linear(d, d), relu(), nn.Linear(d, 1))
        if case["dim"] == 2:
            self.to(memory_format=torch.channels_last)

    def encode(self, context):
        channels = self.kernel.channels(context, self.encoder_log_length_scale.exp())
        if channels.dim() == 4:
            channels = channels.contiguous(memory_format=torch.channels_last)
        return self.encoder(channels)

    def decode(self, z):
        """[b, k, grid] to [b, M]."""
        return self.decoder(self.kernel.interpolate(z, self.decoder_log_length_scale.exp())).squeeze(-1)

    def forward(self, context, times):
        return self.decode(self.evolution(self.encode(context), times))

    def loss(self, contexts, times, source, target):
        """Evolution and reconstruction: of the source, and in a steady problem half of it of the target from its own
        context. All states are decoded with the same kernel weights."""
        z = self.encode(contexts[0])
        if len(contexts) == 1:
            evolved, source_again = self.decode(torch.cat([self.evolution(z, times), z])).chunk(2)
            return F.mse_loss(evolved, target) + F.mse_loss(source_again, source)
        latents = [self.evolution(z, times), z, self.encode(contexts[1])]
        evolved, source_again, target_again = self.decode(torch.cat(latents)).chunk(3)
        relative = ((evolved - target).norm(dim=1) / target.norm(dim=1)).mean()
        return relative + 0.5 * (F.mse_loss(source_again, source) + F.mse_loss(target_again, target))


def data(case, kernel, batch, n, fraction=1.0):
    """Random states on the whole grid, of which each example shows a random part of this many points: what the loss is
    a function of."""
    shape = [n] * case["dim"]
    states = torch.randn(2, batch, 1, *shape)
    order = torch.rand(batch, n ** case["dim"]).argsort(1).argsort(1)
    mask = (order < round(fraction * order.shape[1])).float().reshape(batch, 1, *shape)
    times = torch.rand(batch, 2).sort(1).values
    observed = states[:1] if case["timed"] else states
    return [kernel.context(state, mask) for state in observed], times, *states.flatten(2)


def check():
    """Dense and separable twins of the same weights agree, gradients included."""
    for name, case in CASES.items():
        torch.manual_seed(0)
        small = case | dict(grid=64 if case["dim"] == 1 or case["timed"] else 16, h=4, k=3, f=4, d=8)
        twins = {variant: Twin(small, variant, 24) for variant in VARIANTS}
        weights = {key: torch.randn(w.shape) / 4 if w.dim() else w for key, w in twins["dense"].state_dict().items()}
        found = {}
        for variant, twin in twins.items():
            twin.load_state_dict(weights)
            torch.manual_seed(1)
            contexts, times, *states = data(small, twin.kernel, 2, 24, 0.6)
            twin.loss(contexts, times, *states).backward()
            found[variant] = [twin(contexts[0], times), *(parameter.grad for parameter in twin.parameters())]
        for dense, separable in zip(*found.values()):
            difference = (dense - separable).norm() / dense.norm()
            assert difference < 1e-4, f"{name}: dense and separable twins differ by {difference:.1e}"


def peak_mb():
    """Peak resident memory. Linux's ru_maxrss would include that of the process which started this one."""
    try:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
    except FileNotFoundError:
        unit = 2**20 if sys.platform == "darwin" else 2**10
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def measure(name, variant, what, seconds):
    idle_mb = peak_mb()
    case = CASES[name]
    batch = 1 if what == "predict" or (name, variant) == ("darcy", "dense") else case["batch"]
    torch.manual_seed(0)
    twin = Twin(case, variant, case["n"])
    n_parameters = sum(p.numel() for p in twin.parameters())
    assert n_parameters == case["parameters"], f"{name}: {n_parameters} parameters"
    contexts, times, *states = data(case, twin.kernel, batch, case["n"])
    optimizer = torch.optim.AdamW(twin.parameters(), lr=1e-3, betas=(0.9, 0.99), weight_decay=5e-5, fused=True)

    def train():
        optimizer.zero_grad()
        twin.loss(contexts, times, *states).backward()
        nn.utils.clip_grad_norm_(twin.parameters(), 1.0)
        optimizer.step()

    @torch.no_grad()
    def predict():
        twin(contexts[0], times)

    run = {"train": train, "predict": predict}[what]
    run()
    taken, end = [], time.perf_counter() + seconds
    while len(taken) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    result = {"program": f"torch {variant}", "case": name, "what": what, "batch": batch, "n": len(taken)}
    return result | {"seconds": statistics.median(taken), "peak_mb": peak_mb(), "idle_mb": idle_mb}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    parser.add_argument("--what", nargs="+", choices=["train", "predict"], default=["train", "predict"])
    parser.add_argument("--seconds", type=float, default=10, help="time for one measurement, after the first run")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", action="store_true", help="measure the one thing named in this process, unchecked")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    if args.only:
        print(json.dumps(measure(args.cases[0], args.variants[0], args.what[0], args.seconds)))
        return
    check()
    options = ["--seconds", str(args.seconds), "--threads", str(args.threads), "--only"]
    for case in args.cases:
        for variant in args.variants:
            for what in args.what:
                # A process of its own, so that each peak of memory is its own.
                one = [sys.executable, __file__, "--cases", case, "--variants", variant, "--what", what]
                subprocess.run(one + options, check=True)


if __name__ == "__main__":
    main()
