#!/bin/sh
# Every figure of docs/FIGURES.md in one run, on loopback, with nothing left behind. Progress goes to standard error, and
# a summary comes last. Usage: tests/load/bench.sh [HOOK_RUNS [APPROVAL_ROUNDS]]
set -eu
cd "$(dirname "$0")/../.."
runs=${1:-200}
rounds=${2:-1000}

echo "building everything as it is installed…" >&2
cargo build --release --workspace --bins
target=$(cargo metadata --format-version 1 --no-deps |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')
found=$(mktemp -d)
trap 'rm -r "$found"' EXIT
trap 'exit 130' INT TERM

model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
echo "machine: $(nproc) cores (${model:-unnamed}), $(uname -sr), load average $(cut -d' ' -f1-3 /proc/loadavg)"
tests/load/hook_bench.sh "$runs" >"$found/hook"
grep -v '^hook, ' "$found/hook"
echo
"$target/release/load" "$rounds" >"$found/load"
sed '/^Summary$/q' "$found/load"
grep '^hook, ' "$found/hook"
sed '1,/^Summary$/d' "$found/load"
