#!/bin/sh
# Our judgement beside that of others, over the shell cases of tests/corpus/dev.jsonl, in one run and as one table.
# Installs the others from npm into target/peers (nothing of theirs is kept here). Usage: tests/peers/run.sh [CORPUS]
set -eu
cd "$(dirname "$0")/../.."
corpus=$(realpath "${1:-tests/corpus/dev.jsonl}")
safety_net=2.4.5

for tool in node npm cargo; do
    command -v "$tool" >/dev/null || { echo "$tool is missing: comparing needs Node 20, npm and Rust" >&2; exit 2; }
done
here=$PWD
peers=$here/target/peers
mkdir -p "$peers"
if ! grep -qs "\"version\": \"$safety_net\"" "$peers/node_modules/cc-safety-net/package.json"; then
    npm install --prefix "$peers" --ignore-scripts --no-audit --no-fund --no-package-lock "cc-safety-net@$safety_net" >&2 || {
        echo "cc-safety-net $safety_net can't be installed from npm: nothing to compare with" >&2
        exit 1
    }
fi

cargo build --quiet --package countersign-cli --bin countersign
target=$(cargo metadata --format-version 1 --no-deps |
    node -e 'console.log(JSON.parse(require("fs").readFileSync(0)).target_directory)')
cp "$corpus" "$peers/corpus.jsonl"
"$target/debug/countersign" classify --jsonl <"$peers/corpus.jsonl" >"$peers/countersign.jsonl"
cp tests/peers/compare.mjs tests/peers/naive.mjs "$peers/"

# The cases stand in /home/u/proj, and a peer looks there: it gets that folder in a mount of its own.
inside='mount --bind "$1" /mnt && mount -t tmpfs none /home && mkdir -p /home/u/proj && cd /home/u/proj &&
    HOME=/home/u exec node /mnt/compare.mjs /mnt'
if unshare --user --map-root-user --mount true 2>/dev/null; then
    unshare --user --map-root-user --mount sh -c "$inside" sh "$peers"
elif [ "$(id -u)" = 0 ] && unshare --mount true 2>/dev/null; then
    unshare --mount sh -c "$inside" sh "$peers"
else
    echo "no private mount can be made here: peers judge without the project folder" >&2
    node "$peers/compare.mjs" "$peers"
fi
