#!/usr/bin/env python3
"""Exports every script in scripts/ and runs the job: try_scripts.py TARRY, with a python that has TensorFlow.

Part of ./tarry test --nightly. Each script must give a scenario with one call, and the scenario the verdicts below.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KILLED = ["--set", "build.replicas_to_aggregate=4", "--faults", "kill worker/2 at 20ms", "--until", "60s"]
# What the measured times of ops decide (which load verdict there is) is another one on each machine.
EXPECTED = {
    "client_only": [([], "asynchronous", 0)],
    "control_flow": [([], "asynchronous", 0)],
    "control_flow_v2": [([], "asynchronous", 0)],
    "dropout": [([], "asynchronous", 0)],
    "embeddings": [([], "asynchronous", 0)],
    "monitored_async": [([], "asynchronous", 0)],
    "monitored_sync": [([], "backup", 0), (KILLED, "stuck", 4)],
    "moving_averages": [([], "asynchronous", 0)],
    "partitioned": [([], "asynchronous", 0)],
    "plain_session": [([], "asynchronous", 0)],
    "queue_input": [([], "asynchronous", 0)],
    "summaries": [([], "asynchronous", 0)],
    "supervisor": [([], "asynchronous", 0)],
    "sync_embeddings": [([], "fair", 0)],
    "vision": [([], "asynchronous", 0)],
}


def export(script, folder):
    words = [sys.executable, HERE / "tarry_export.py", "--out", folder, "--values", "--trace", "--", script]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    return "" if done.returncode == 0 else done.stdout


def run(tarry, folder, options):
    done = subprocess.run([tarry, "run", folder, "--json", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=300)
    verdicts = [v["kind"] for v in json.loads(done.stdout)["verdicts"]] if done.returncode in (0, 1, 4) else []
    return done.returncode, verdicts, done.stderr


def wrong_of(tarry, name, folder):
    problem = export(HERE / "scripts" / (name + ".py"), folder)
    if problem:
        return [name + ": not exported\n" + problem]
    wrong = []
    for options, verdict, code in EXPECTED[name]:
        got, verdicts, text = run(tarry, folder, options)
        if got != code or verdict not in verdicts:
            wrong.append(f"{name} {options}: expected {verdict} and exit code {code}, got {verdicts} and {got}\n{text}")
    return wrong


def main(tarry):
    names = sorted(p.stem for p in (HERE / "scripts").glob("*.py"))
    wrong = [name + ": EXPECTED has no row" for name in names if name not in EXPECTED]
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            wrong += wrong_of(tarry, name, str(pathlib.Path(folder) / name)) if name in EXPECTED else []
            print(name, flush=True)
    print("\n".join(wrong) or f"{len(names)} scripts: each became a scenario, with the expected verdicts")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
