"""The published Latent Neural Operator in PyTorch: time and peak memory of a training step and of a prediction.

Written as PyTorch runs it fastest here: all examples at once, the attention between modes by nn.MultiheadAttention.
Prints one JSON line a measurement, with the keys of twin.py.
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
    "lno-navier-stokes": dict(n=64, blocks=4, modes=64, dim=160, heads=8, parameters=1_146_945),
    "lno-darcy": dict(n=211, blocks=3, modes=128, dim=26, heads=2, parameters=29_171),
}
BATCH, LAYERS = 4, 2


class ResidualMlp(nn.Module):
    def __init__(self, n_in, width, n_out):
        super().__init__()
        self.input, self.output = nn.Linear(n_in, width), nn.Linear(width, n_out)
        self.hidden = nn.ModuleList(nn.Linear(width, width) for _ in range(LAYERS))

    def forward(self, x):
        r = F.gelu(self.input(x))
        for layer in self.hidden:
            r = r + F.gelu(layer(r))
        return self.output(r)


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.attention_norm, self.mlp_norm = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attention = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, z):
        h = self.attention_norm(z)
        z = z + self.attention(h, h, h, need_weights=False)[0]
        return z + self.mlp(self.mlp_norm(z))


class Lno(nn.Module):
    def __init__(self, case):
        super().__init__()
        dim = case["dim"]
        self.trunk, self.branch = ResidualMlp(2, dim, dim), ResidualMlp(3, dim, dim)
        self.projector, self.output = ResidualMlp(dim, dim, case["modes"]), ResidualMlp(dim, dim, 1)
        self.blocks = nn.Sequential(*(Block(dim, case["heads"]) for _ in range(case["blocks"])))

    def forward(self, x, u):
        score = self.projector(self.trunk(x))
        z = torch.softmax(score, 1).mT @ self.branch(torch.cat([x, u], 2))
        return self.output(torch.softmax(score, 2) @ self.blocks(z))


def measure(name, what, seconds):
    idle_mb = peak_mb()
    case = CASES[name]
    batch = 1 if what == "predict" else BATCH
    torch.manual_seed(0)
    model = Lno(case)
    n_parameters = sum(p.numel() for p in model.parameters())
    assert n_parameters == case["parameters"], f"{name}: {n_parameters} parameters"
    axis = torch.arange(case["n"]) / case["n"]
    x = torch.cartesian_prod(axis, axis).repeat(batch, 1, 1)
    u, target = torch.randn(2, batch, x.shape[1], 1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.99), weight_decay=5e-5, fused=True)

    def train():
        optimizer.zero_grad()
        difference = (model(x, u) - target).flatten(1).norm(dim=1)
        (difference / target.flatten(1).norm(dim=1)).mean().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1000.0)
        optimizer.step()

    @torch.no_grad()
    def predict():
        model(x, u)

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
