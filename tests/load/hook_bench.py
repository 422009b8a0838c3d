"""Runs each hook in turn, many times, and prints the medians of processor and wall time. Started by hook_bench.sh."""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time

CALL = json.dumps({
    "session_id": "0c3f2a52-4c1e-4f57-9a53-0d1f5a0b7c11", "cwd": "/home/ann/project", "permission_mode": "default",
    "hook_event_name": "PermissionRequest", "tool_name": "Bash",
    "tool_input": {"command": "cargo test --workspace", "description": "Run the tests"},
}).encode()
GOAL_CPU_MS = 2.0


def main():
    arguments = parse()
    peers = find_peers(arguments)
    results = {}
    for state, instance, socket in (
        ("daemon down", arguments.away, arguments.away_socket),
        ("daemon answers at once", arguments.instance, arguments.socket),
    ):
        results[state] = measure(state, peers, instance, socket, arguments.runs)
    for state, samples in results.items():
        show(state, samples, arguments.runs)
    if "sh" in results["daemon down"] and shutil.which("nc") is None:
        print("sh: there is no `nc` here, so the shell connected to nothing and its figures are a lower bound")
    judge(results)
    for state, samples in results.items():
        print(summary(state, medians(samples)))


def parse():
    parser = argparse.ArgumentParser()
    for name in ("--hook", "--instance", "--socket", "--away", "--away-socket"):
        parser.add_argument(name, required=True)
    parser.add_argument("--runs", type=int, default=200)
    return parser.parse_args()


def find_peers(arguments):
    """Name → a function from instance and socket to a command line. The hook is first, the others beside it."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hooks")
    with open(os.path.join(folder, "hook.sh"), encoding="utf-8") as file:
        script = file.read()
    peers = {
        "countersign-hook": lambda instance, _: [
            arguments.hook, "--agent", "claude", "--instance", instance, "--limit", "125", "PermissionRequest"],
        "sh": lambda _, socket: ["/bin/sh", "-c", script, "hook", socket],
        "python": lambda _, socket: [sys.executable, os.path.join(folder, "hook.py"), socket],
    }
    node = shutil.which("node")
    if node:
        peers["node"] = lambda _, socket: [node, os.path.join(folder, "hook.mjs"), socket]
    else:
        print("node: not installed, left out")
    return peers


def measure(state, peers, instance, socket, runs):
    """Every hook once a round, so that whatever else the machine does hits all of them alike."""
    samples = {name: [] for name in peers}
    expected = None
    for run in range(runs):
        if run % 20 == 0:
            print(f"\r{state}: {run} of {runs}", end="", file=sys.stderr, flush=True)
        for name, command in peers.items():
            output, sample = run_once(command(instance, socket))
            # The first of a round is ours: all others must say the same, else they did not do the same.
            expected = output if expected is None else expected
            if output != expected and not (name == "sh" and shutil.which("nc") is None):
                sys.exit(f"\n{name} printed {output!r} where {expected!r} was expected")
            samples[name].append(sample)
    print(f"\r{state}: {runs} of {runs}", file=sys.stderr)
    if bool(expected) == (state == "daemon down"):
        sys.exit(f"{state}: the hook printed {expected!r}")
    return samples


def run_once(command):
    start = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.write(CALL)
    process.stdin.close()
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.stdout.close()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"\n{command[0]} ended with {process.returncode}")
    return output, ((usage.ru_utime + usage.ru_stime) * 1000, wall * 1000)


def medians(samples):
    return {name: [statistics.median(column) for column in zip(*rows)] for name, rows in samples.items()}


def show(state, samples, runs):
    table = medians(samples)
    cpu, wall = table["countersign-hook"]
    print(f"\n{state} (median of {runs})")
    print(f"  {'':18}{'CPU ms':>9}{'wall ms':>9}{'CPU ×':>8}{'wall ×':>8}")
    for name, (its_cpu, its_wall) in table.items():
        print(f"  {name:18}{its_cpu:9.2f}{its_wall:9.2f}{its_cpu / cpu:8.1f}{its_wall / wall:8.1f}")


def summary(state, table):
    cpu, wall = table["countersign-hook"]
    others = ", ".join(f"{name} × {its_wall / wall:.1f}" for name, (_, its_wall) in table.items() if its_wall != wall)
    return f"hook, {state}: {cpu:.2f} ms CPU, {wall:.2f} ms wall; the others' wall time: {others}"


def judge(results):
    for state, samples in results.items():
        table = medians(samples)
        (cpu, wall), (_, shell) = table["countersign-hook"], table["sh"]
        verdict = "met" if cpu <= GOAL_CPU_MS and wall <= shell else "missed"
        print(f"goal, {state} (at most {GOAL_CPU_MS:.0f} ms CPU, no slower than sh): {verdict}")


if __name__ == "__main__":
    main()
