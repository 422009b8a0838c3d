#!/bin/sh
# Processor and wall time of the hook, with the daemon down and with one that answers at once, beside hooks in sh,
# Python and Node that do the same, all in one run. Usage: tests/load/hook_bench.sh [RUNS]
set -eu
cd "$(dirname "$0")/../.."
runs=${1:-200}
name=bench-$$
python=$(python3 -c 'import sys; print(sys.executable)')

echo "building the hook, as it is installed, and a stand-in for the daemon…" >&2
cargo build --quiet --release --workspace --bins
cargo build --quiet --release -p countersign-ipc --example answer_at_once
target=$(cargo metadata --format-version 1 --no-deps | "$python" -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')

folder=$(mktemp -d)
mkfifo "$folder/in" "$folder/out"
"$target/release/examples/answer_at_once" --instance "$name" <"$folder/in" >"$folder/out" &
daemon=$!
# The stand-in ends when nobody holds its standard input open any more.
exec 3>"$folder/in" 4<"$folder/out"
rm -r "$folder"
read -r socket <&4
finish() {
    exec 3>&-
    wait "$daemon" || true
    rm -f "$socket"
    # Without /run/user/UID the socket folder lay in a state folder of its own.
    rmdir "${socket%/*}" "${socket%/*/*}" 2>/dev/null || true
}
trap finish EXIT
trap 'exit 130' INT TERM

"$python" tests/load/hook_bench.py --hook "$target/release/countersign-hook" --runs "$runs" \
    --instance "$name" --socket "$socket" --away "$name-away" --away-socket "$socket.away" 3>&- 4<&-
