#!/usr/bin/env bash
# Installs what the tests need beyond Rust: a C compiler, git, npm. Changes nothing where all of it is there.
set -euo pipefail

missing=()
need() { # command package
    command -v "$1" >/dev/null 2>&1 || missing+=("$2")
}
need cc gcc
need git git
need npm npm
need node nodejs

if ! command -v cargo >/dev/null 2>&1; then
    echo "cargo is missing: install Rust with rustup (https://rustup.rs), then run this again" >&2
    exit 1
fi
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -eq 0 ]; then
    as_root=()
elif sudo -n true 2>/dev/null; then
    as_root=(sudo -n)
else
    echo "missing: ${missing[*]}" >&2
    echo "install them, for example: sudo apt-get install ${missing[*]}" >&2
    exit 1
fi
command -v apt-get >/dev/null 2>&1 || { echo "missing: ${missing[*]} (no apt-get here: install them by hand)" >&2; exit 1; }
echo "installing ${missing[*]}"
"${as_root[@]}" apt-get update -q
DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}"
