#!/usr/bin/env bash
# Set convolution: this crate against dense NumPy and PyTorch, and its growth with the number of points.
# PYTHON names an interpreter with numpy and torch; peers that cannot be imported are skipped.
# Memory: ours, all allocations of one call; theirs, growth of the peak resident memory of their process.
set -euo pipefail
cd "$(dirname "$0")/.."
export OMP_PROC_BIND=true # Otherwise PyTorch's threads may all sit on one core.

cargo build --quiet --release --example bench_setconv
target="${CARGO_TARGET_DIR:-$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')}"
{
    "$target/release/examples/bench_setconv" | sed 's/^/this crate\t/'
    for peer in numpy torch; do
        "${PYTHON:-python3}" bench/peers/setconv.py "$peer" || echo "$peer skipped" >&2
    done
} | awk -F '\t' '
    { who[NR] = $1; case_[NR] = $2; n[NR] = $3; s[NR] = $4; b[NR] = $5
      if ($1 == "this crate") { seconds[$2] = $4; bytes[$2] = $5 } }
    END {
        line = "%-11s %-44s %12s %12s %10s %10s\n"
        printf line, "program", "case", "time", "peak memory", "time x", "memory x"
        for (i = 1; i <= NR; i++) {
            c = case_[i]
            ratio = who[i] == "this crate" ? "" : sprintf("%.0f", s[i] / seconds[c])
            memory = who[i] == "this crate" ? "" : sprintf("%.0f", b[i] / bytes[c])
            printf line, who[i], c, sprintf("%.4f s", s[i]), sprintf("%.2f MB", b[i] / 1e6), ratio, memory
        }
        print "time x, memory x: how many times as much as this crate on the same case."
    }'
