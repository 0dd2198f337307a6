#!/usr/bin/env bash
# Training steps and predictions of the published baselines, beside the same in PyTorch: one run, one table.
# PYTHON names an interpreter with torch; without one the peers are left out. SECONDS_EACH: time for one measurement.
# CASES: some of fno-burgers, fno-navier-stokes, lno-navier-stokes, lno-darcy.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
seconds=${SECONDS_EACH:-10}
cases=${CASES:-fno-burgers fno-navier-stokes lno-navier-stokes lno-darcy}
threads=$(nproc)
# Without binding, the threads of OpenMP may share one core.
export OMP_PROC_BIND=true

cargo build --quiet --release -p lto-cli
lto=${CARGO_TARGET_DIR:-target}/release/lto
torch=
if "$python" -c 'import torch' 2>/dev/null; then
    torch=yes
else
    echo "no torch in $python (set PYTHON): the peers are left out" >&2
fi
{
    # A process for each, so that each peak of memory is its own.
    for case in $cases; do
        for what in train predict; do
            "$lto" bench "$what" --case "$case" --seconds "$seconds" --threads "$threads" --json
            if [ -n "$torch" ]; then
                "$python" "bench/peers/${case%%-*}.py" --cases "$case" --what "$what" --seconds "$seconds" --threads "$threads"
            fi
        done
    done
} | awk -v threads="$threads" '
    function value(key,   text) {
        if (!match($0, "\"" key "\": *[^,}]*")) { print "no " key " in: " $0 > "/dev/stderr"; exit 1 }
        text = substr($0, RSTART, RLENGTH)
        sub(/^[^:]*: */, "", text)
        gsub(/"/, "", text)
        return text
    }
    BEGIN {
        line = "%-8s %-28s %5s %11s %8s %8s %9s %11s %9s\n"
        printf line, "program", "case", "batch", "ms/batch", "time x", "asked", "peak MB", "above idle", "memory x"
    }
    {
        key = value("case") " " value("what")
        own = value("peak_mb") - value("idle_mb")
        ms = 1e3 * value("seconds")
        time_ratio = memory_ratio = asked = ""
        if (value("program") == "lto") { our_time[key] = ms; our_memory[key] = own }
        else {
            time_ratio = sprintf("%.2f", ms / our_time[key])
            memory_ratio = sprintf("%.1f", own / our_memory[key])
            if (value("what") == "train") asked = ">= 1.0"
        }
        printf line, value("program"), key, value("batch"), sprintf("%.2f", ms), time_ratio, asked,
            sprintf("%.0f", value("peak_mb")), sprintf("%.0f", own), memory_ratio
    }
    END {
        print "Median times on " threads " threads. time x: theirs over ours. peak MB: of the whole process; above idle: without"
        print "interpreter and libraries; memory x: the latter, theirs over ours."
    }'
