#!/usr/bin/env bash
# Training steps and predictions of the three published twins, beside two PyTorch twins: one run, one table.
# PYTHON names an interpreter with torch; without one the peers are left out. SECONDS_EACH: time for one measurement.
# CASES: some of burgers, navier-stokes, darcy.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
seconds=${SECONDS_EACH:-10}
cases=${CASES:-burgers navier-stokes darcy}
threads=$(nproc)
# Without binding, the threads of OpenMP may share one core.
export OMP_PROC_BIND=true

cargo build --quiet --release -p lto-cli
lto=${CARGO_TARGET_DIR:-target}/release/lto
{
    # A process for each, so that each peak of memory is its own.
    for case in $cases; do
        for what in train predict; do
            "$lto" bench "$what" --case "$case" --seconds "$seconds" --threads "$threads" --json
        done
    done
    if "$python" -c 'import torch' 2>/dev/null; then
        # shellcheck disable=SC2086 # One word a case.
        "$python" bench/peers/twin.py --cases $cases --seconds "$seconds" --threads "$threads"
    else
        echo "no torch in $python (set PYTHON): the peers are left out" >&2
    fi
} | awk -v threads="$threads" '
    function value(key,   text) {
        if (!match($0, "\"" key "\": *[^,}]*")) { print "no " key " in: " $0 > "/dev/stderr"; exit 1 }
        text = substr($0, RSTART, RLENGTH)
        sub(/^[^:]*: */, "", text)
        gsub(/"/, "", text)
        return text
    }
    {
        n++
        program[n] = value("program"); batch[n] = value("batch")
        peak[n] = value("peak_mb"); own[n] = peak[n] - value("idle_mb")
        key[n] = value("case") " " value("what")
        if (!seen[key[n]]++) keys[++n_keys] = key[n]
        each[n] = value("seconds") / batch[n]
        if (/"outside_kernels"/ && $0 ~ /"train"/) outside = outside sprintf(", %s %.1f %%", value("case"), 100 * value("outside_kernels"))
        if (program[n] == "lto") { our_time[key[n]] = each[n]; our_memory[key[n]] = own[n] }
    }
    END {
        split("burgers train=5,navier-stokes train=5,darcy train=100,burgers predict=3,navier-stokes predict=4,darcy predict=100", t, ",")
        for (i in t) { split(t[i], pair, "="); asked["torch dense", pair[1]] = pair[2] }
        split("burgers,navier-stokes,darcy", c, ",")
        for (i in c) asked["torch separable", c[i] " train"] = 1.2
        line = "%-16s %-22s %5s %11s %12s %8s %10s %9s %11s %9s\n"
        printf line, "program", "case", "batch", "ms/batch", "ms/example", "time x", "asked", "peak MB", "above idle", "memory x"
        for (j = 1; j <= n_keys; j++) for (i = 1; i <= n; i++) {
            k = key[i]
            if (k != keys[j]) continue
            time_ratio = memory_ratio = target = ""
            if (program[i] != "lto" && k in our_time) {
                time_ratio = sprintf("%.1f", each[i] / our_time[k])
                memory_ratio = sprintf("%.1f", own[i] / our_memory[k])
            }
            if ((program[i], k) in asked) target = ">= " asked[program[i], k]
            if (program[i] == "lto" && k == "darcy train") target = "< 1000 MB"
            ms = 1e3 * each[i]
            printf line, program[i], k, batch[i], sprintf("%.2f", ms * batch[i]), sprintf("%.2f", ms), time_ratio, target,
                sprintf("%.0f", peak[i]), sprintf("%.0f", own[i]), memory_ratio
        }
        print "Median times on " threads " threads. time x: ms/example, theirs over ours. peak MB: of the whole process; above idle:"
        print "without interpreter and libraries; memory x: the latter, theirs over ours."
        print "Share of our training steps outside kernels: " substr(outside, 3) " (asked of tiny models: < 15 %)."
    }'
