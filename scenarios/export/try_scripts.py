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
KILLED = ["--set", "build.replicas_to_aggregate=4", "--faults", "kill worker/2 after step_began#5", "--until", "2s"]
# What the measured times of ops decide (which load verdict there is) is another one on each machine.
EXPECTED = {
    "client_only": [([], "asynchronous", 0)],
    "control_flow": [([], "asynchronous", 0)],
    "control_flow_v2": [([], "asynchronous", 0)],
    "dropout": [([], "asynchronous", 0)],
    "embeddings": [([], "asynchronous", 0)],
    "function_train_op": [([], "asynchronous", 0)],
    "monitored_async": [([], "asynchronous", 0)],
    "monitored_sync": [([], "backup", 0), (KILLED, "stuck", 4)],
    "moving_averages": [([], "asynchronous", 0)],
    "partitioned": [([], "asynchronous", 0)],
    "plain_session": [([], "asynchronous", 0)],
    "queue_input": [([], "asynchronous", 0)],
    "row_updates": [([], "asynchronous", 0)],
    "summaries": [([], "asynchronous", 0)],
    "supervisor": [([], "asynchronous", 0)],
    "sync_embeddings": [([], "fair", 0)],
    "tensor_train_op": [([], "asynchronous", 0)],
    "vision": [([], "asynchronous", 0)],
}
EACH_TASK = {"monitored_sync": (4, [([], "backup", 0)])}  # exported as so many tasks, too, into one folder


def export(script, folder, task):
    words = [sys.executable, HERE / "tarry_export.py", "--out", folder, "--values", "--trace", "--", script,
             f"--task_index={task}"]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    return "" if done.returncode == 0 else done.stdout


def run(tarry, folder, options):
    done = subprocess.run([tarry, "run", folder, "--json", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=300)
    answer = json.loads(done.stdout) if done.returncode in (0, 1, 4) else {}
    return done.returncode, [v["kind"] for v in answer.get("verdicts", [])], answer.get("global_step"), done.stderr


def counts_steps(folder):
    return any('"name": "global_step"' in sidecar.read_text() for sidecar in pathlib.Path(folder).glob("*.json"))


def wrong_of(tarry, name, folder, tasks, expected):
    problem = "".join(export(HERE / "scripts" / (name + ".py"), folder, task) for task in range(tasks))
    if problem:
        return [f"{name}, {tasks} tasks: not exported\n{problem}"]
    wrong = []
    for options, verdict, code in expected:
        got, verdicts, step, text = run(tarry, folder, options)
        if got != code or verdict not in verdicts:
            wrong.append(f"{name} {options}: expected {verdict} and exit code {code}, got {verdicts} and {got}\n{text}")
        wrong += [f"{name} {options}: trains nothing, its global step stays 0"] if counts_steps(folder) and step == 0 else []
    return wrong


def wrong_of_script(tarry, name, folder):
    tasks, expected = EACH_TASK.get(name, (0, []))
    wrong = wrong_of(tarry, name, folder, 1, EXPECTED[name])
    return wrong + (wrong_of(tarry, name, folder + "_of_each", tasks, expected) if tasks else [])


def main(tarry):
    names = sorted(p.stem for p in (HERE / "scripts").glob("*.py"))
    wrong = [name + ": EXPECTED has no row" for name in names if name not in EXPECTED]
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            wrong += wrong_of_script(tarry, name, str(pathlib.Path(folder) / name)) if name in EXPECTED else []
            print(name, flush=True)
    print("\n".join(wrong) or f"{len(names)} scripts: each became a scenario, with the expected verdicts")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
