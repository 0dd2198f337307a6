#!/usr/bin/env bash
# Peak memory and time of reading records: ten times the rows in the same memory. ROWS: how many, separated by spaces.
set -euo pipefail
cd "$(dirname "$0")/.."
rows=${ROWS:-10000000 100000000}
folder=${FOLDER:-$(mktemp -d)}
lto=${LTO:-}
if [ -z "$lto" ]; then
    cargo build --quiet --release -p lto-cli
    lto=${CARGO_TARGET_DIR:-target}/release/lto
fi
export TMPDIR=$folder
for n in $rows; do
    file=$folder/readings_$n.csv
    [ -f "$file" ] || python3 bench/records.py --rows "$n" --folder "$folder"
    /usr/bin/time -f "$n rows: %M kB, %U s of processor time, %e s" \
        "$lto" data inspect "$file" --stations "$folder/places.csv" --json > "$folder/inspection_$n.json"
    python3 -c "
import json, sys
found = json.load(open(sys.argv[1]))
print(found['n_rows'], 'rows', found['times']['count'], 'times', len(found['stations']), 'stations',
      'noise', round(found['variables'][0]['noise'], 3))" "$folder/inspection_$n.json"
done
