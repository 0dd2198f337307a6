"""The set convolution as usually written: all kernel weights as one matrix [query, context], in double precision.

Prints tab-separated lines `peer, case, n_points, seconds, bytes`. Seconds are the best of three calls; bytes are the
growth of the process's peak resident memory over that before the first call, each peer in a process of its own.
"""

import resource
import sys
import time

CASE = "44,521 of 421 x 421 onto 64 x 64, l = 0.1"


def peak_bytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def numpy_peer():
    import numpy as np

    def setconv(points, values, query, length_scale, floor=1e-8):
        squared = ((query[:, None, 0] - points[None, :, 0]) ** 2) + ((query[:, None, 1] - points[None, :, 1]) ** 2)
        weights = np.exp(-squared / (2 * length_scale**2))
        density = weights.sum(axis=1)
        raw_signal = weights @ values
        return density, raw_signal, raw_signal / (density + floor)

    return np, lambda array: array, setconv


def torch_peer():
    import numpy as np
    import torch

    def setconv(points, values, query, length_scale, floor=1e-8):
        with torch.no_grad():
            squared = torch.cdist(query, points) ** 2
            weights = torch.exp(-squared / (2 * length_scale**2))
            density = weights.sum(dim=1)
            raw_signal = weights @ values
            return density, raw_signal, raw_signal / (density + floor)

    return np, torch.from_numpy, setconv


def main(peer):
    np, convert, setconv = {"numpy": numpy_peer, "torch": torch_peer}[peer]()
    rng = np.random.default_rng(1)
    axis = np.linspace(0, 1, 421)
    chosen = rng.permutation(421 * 421)[:44521]
    points = np.stack([axis[chosen // 421], axis[chosen % 421]], axis=1)
    values = rng.uniform(-1, 1, len(points))
    axis = np.linspace(0, 1, 64)
    query = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    # A small call first, so that libraries and threads are loaded before the baseline is taken.
    setconv(convert(points[:100]), convert(values[:100]), convert(query[:100]), 0.1)
    before = peak_bytes()
    seconds = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        setconv(convert(points), convert(values), convert(query), 0.1)
        seconds = min(seconds, time.perf_counter() - start)
    print(peer, CASE, len(points), seconds, peak_bytes() - before, sep="\t")


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except ImportError as error:
        print(f"{sys.argv[1]} skipped: {error}", file=sys.stderr)
