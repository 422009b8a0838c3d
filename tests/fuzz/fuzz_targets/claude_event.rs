//! Fuzzes `countersign_fuzz::agent::claude_event`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    countersign_fuzz::agent::claude_event(bytes);
});
