#!/usr/bin/env bash
# Fuzzes every parser of foreign bytes: tests/fuzz/run.sh [SECONDS each, 60] [TARGET…]. One at a time, at low priority.
# Ends with 1 where a target broke a promise, and says where the input lies. New inputs grow in target/corpus; only
# what is worth replaying in `cargo test` belongs into corpus/TARGET (as found-…). SANITIZER=none is faster.
set -euo pipefail
cd "$(dirname "$0")"

seconds=${1:-60}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || { echo "usage: tests/fuzz/run.sh [SECONDS] [TARGET…]; \`$seconds\` is no number of seconds" >&2; exit 2; }
targets=("${@:2}")
if [ ${#targets[@]} -eq 0 ]; then
    for file in fuzz_targets/*.rs; do targets+=("$(basename "$file" .rs)"); done
fi
for target in "${targets[@]}"; do
    [ -f "fuzz_targets/$target.rs" ] || { echo "there is no target \`$target\`; those there are: $(cd fuzz_targets && echo *.rs | sed 's/\.rs//g')" >&2; exit 2; }
done
for tool in cargo c++; do
    command -v "$tool" >/dev/null 2>&1 || { echo "$tool is missing: fuzzing needs Rust (https://rustup.rs) and a C++ compiler (on Debian: g++)" >&2; exit 2; }
done

triple=$(rustc -vV | sed -n 's/^host: //p')
sanitizer=${SANITIZER:-address}
[ "$sanitizer" = none ] || compgen -G "$(rustc --print target-libdir)/librustc*_rt.*san.a" >/dev/null || {
    echo "this toolchain has no sanitizer runtime: fuzzing without it"
    sanitizer=none
}
if cargo fuzz --version >/dev/null 2>&1; then
    binaries=target/$triple/release
    only=()
    [ ${#targets[@]} -eq 1 ] && only=("${targets[0]}")
    # The pinned compiler is a stable one; this lets it take the flags that a sanitizer needs.
    RUSTC_BOOTSTRAP=1 nice -n 10 \
        cargo fuzz build --release --fuzz-dir . --target-dir target --sanitizer "$sanitizer" "${only[@]}"
else
    echo "cargo-fuzz is not installed (\`cargo install cargo-fuzz\`): fuzzing without AddressSanitizer"
    binaries=target/plain/$triple/release
    passes="-Cpasses=sancov-module"
    for flag in level=4 inline-8bit-counters pc-table trace-compares; do
        passes+=" -Cllvm-args=-sanitizer-coverage-$flag"
    done
    RUSTFLAGS="$passes --cfg=fuzzing -Ccodegen-units=1" \
        nice -n 10 cargo build --release "${targets[@]/#/--bin=}" --target "$triple" --target-dir target/plain
fi

report=()
broken=()
for target in "${targets[@]}"; do
    grown=target/corpus/$target artifacts=artifacts/$target log=target/$target.log
    mkdir -p "$grown" "$artifacts"
    echo "== $target, $seconds s"
    status=0
    nice -n 10 "$binaries/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
        -print_final_stats=1 -artifact_prefix="$artifacts/" "$grown" "corpus/$target" >"$log" 2>&1 || status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    covered=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    report+=("$(printf '%-14s %12s runs  %8s edges  %6s inputs' \
        "$target" "${runs:-?}" "${covered:-?}" "$(find "$grown" -type f | wc -l)")")
    if [ "$status" -ne 0 ]; then
        grep -aE -A 3 "panicked at|ERROR:|SUMMARY:" "$log" | head -n 20 || true
        input=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
        broken+=("$target: tests/fuzz/${input:-$log}   (again: tests/fuzz/$binaries/$target tests/fuzz/${input:-INPUT})")
    fi
done

printf '%s\n' "" "${report[@]}"
if [ ${#broken[@]} -ne 0 ]; then
    printf '%s\n' "" "A promise was broken; the whole story is in tests/fuzz/target/TARGET.log, the input in:" "${broken[@]}"
    exit 1
fi
echo "No promise was broken."
