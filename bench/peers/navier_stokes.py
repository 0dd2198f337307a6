"""Vorticity on the periodic unit square as the public data were made, in PyTorch: pseudo-spectral, 2/3 de-aliasing,
explicit Euler for advection and forcing, Crank-Nicolson for viscosity; batched over trajectories.

time:    seconds per unit of time and trajectory, as JSON
fixture: one short run as JSON: initial state, final state, and the limit of the latter for short steps
"""

import argparse
import json
import math
import time

import torch


class PublishedScheme:
    """w_t + u . grad w = nu lap w + f, u = (psi_y, -psi_x), -lap psi = w, on the n x n grid x_i = i/n."""

    def __init__(self, n, viscosity, forcing, time_step):
        kx = torch.fft.fftfreq(n, 1 / n, dtype=torch.float64)[:, None]
        ky = torch.fft.rfftfreq(n, 1 / n, dtype=torch.float64)[None, :]
        laplacian = 4 * math.pi**2 * (kx**2 + ky**2)
        self.shape, self.time_step = (n, n), time_step
        self.dx, self.dy = 2j * math.pi * kx, 2j * math.pi * ky
        self.inverse_laplacian = torch.where(laplacian == 0, 0.0, 1 / laplacian)
        self.keep = (kx.abs() <= n / 3) & (ky.abs() <= n / 3)
        self.forcing = torch.fft.rfft2(forcing)
        self.explicit = 1 - 0.5 * time_step * viscosity * laplacian
        self.implicit = 1 + 0.5 * time_step * viscosity * laplacian

    def step(self, w):
        stream = w * self.inverse_laplacian
        grid = lambda modes: torch.fft.irfft2(modes, s=self.shape)
        advection = grid(self.dy * stream) * grid(self.dx * w) - grid(self.dx * stream) * grid(self.dy * w)
        advection = torch.fft.rfft2(advection) * self.keep
        return (self.explicit * w + self.time_step * (self.forcing - advection)) / self.implicit


def forcing_on(n, amplitude=0.1):
    x = torch.arange(n, dtype=torch.float64) / n
    angle = 2 * math.pi * (x[:, None] + x[None, :])
    return amplitude * (angle.sin() + angle.cos())


def random_state(n, batch, generator):
    k = torch.fft.fftfreq(n, 1 / n, dtype=torch.float64)
    k2 = k[:, None] ** 2 + k[None, :] ** 2
    deviation = math.sqrt(2) * 7**1.5 * (4 * math.pi**2 * k2 + 49) ** -1.25 * n**2
    deviation[0, 0] = 0
    noise = torch.randn(batch, n, n, 2, dtype=torch.float64, generator=generator)
    return torch.fft.ifft2(torch.view_as_complex(noise) * deviation).real


def measure(n, batch, time_step, n_steps, repeats):
    scheme = PublishedScheme(n, 1e-5, forcing_on(n), time_step)
    w = torch.fft.rfft2(random_state(n, batch, torch.Generator().manual_seed(0)))
    w = scheme.step(scheme.step(w))
    best = math.inf
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(n_steps):
            w = scheme.step(w)
        best = min(best, time.perf_counter() - start)
    assert torch.isfinite(torch.view_as_real(w)).all()
    return best / (n_steps * time_step * batch)


def fixture():
    n, viscosity, time_step, n_total = 16, 1e-3, 2e-3, 250
    x = torch.arange(n, dtype=torch.float64) / n
    wave = lambda kx, ky, phase: (2 * math.pi * (kx * x[:, None] + ky * x[None, :]) + phase).cos()
    initial = 2.0 * wave(1, 0, 0.3) - 1.5 * wave(1, 2, 1.1) + 0.8 * wave(3, -2, 2.0) + 1.2 * wave(0, 1, 0.5)

    def solve(n_steps):
        scheme = PublishedScheme(n, viscosity, forcing_on(n, 1.0), n_total * time_step / n_steps)
        w = torch.fft.rfft2(initial)
        for _ in range(n_steps):
            w = scheme.step(w)
        return torch.fft.irfft2(w, s=(n, n))

    # The error of Euler's steps is a power series in them: three runs remove its first two terms.
    coarse, middle, fine = (solve(n_steps) for n_steps in (8000, 16000, 32000))
    limit = (8 * fine - 6 * middle + coarse) / 3
    final = solve(n_total)
    parameters = {"n": n, "viscosity": viscosity, "forcing": 1.0, "time_step": time_step, "t": n_total * time_step}
    states = {"initial": initial, "final": final, "limit": limit}
    return parameters | {name: state.flatten().tolist() for name, state in states.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["time", "fixture"])
    parser.add_argument("--resolution", type=int, default=256)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--time-step", type=float, default=1e-4)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    with torch.no_grad():
        if args.what == "fixture":
            print(json.dumps(fixture()))
        else:
            seconds = measure(args.resolution, args.batch, args.time_step, args.steps, args.repeats)
            print(json.dumps({"seconds_per_unit_time_per_trajectory": seconds, "threads": torch.get_num_threads()}))


if __name__ == "__main__":
    main()
