#!/usr/bin/env python3
"""Draws programs of one object each, runs them by real TensorFlow 2.15.1, and records every step.

    python record_resources.py queues|barriers|stages|tables|accumulators|arrays|stacks FOLDER [--cases 60] [--seed 1]

Writes FOLDER/resource_KIND.pb and .json, as record_functions.py does. A case is one object and a node for each op on it;
a step feeds one of the nodes, well or badly. Arrays and stacks live for a step, so that a step of theirs is a whole
program. A step that waits for ever ends by its timeout. A step that would
wait in spite of it, or end the process, is left out.
"""

import argparse
import json
import os
import random
import select
import signal

import drawn_resources
import record_functions as recorder
from record_functions import np, tf, v1


def said(value):
    return recorder.tensor_json(value) | ({"dtype": "string"} if np.asarray(value).dtype.kind in "OSU" else {})


def run(session, step):
    """One step and what came out."""
    feeds = {place.name: value for place, value in step.feeds}
    wanted = [session.graph.get_tensor_by_name(f) for f in step.fetches]
    also = [session.graph.get_operation_by_name(t) for t in step.targets]
    options = v1.RunOptions(timeout_in_ms=step.timeout)
    out = {"feeds": {n: said(v) for n, v in feeds.items()}, "fetches": step.fetches, "targets": step.targets}
    if step.timeout:
        out["timeout_ms"] = step.timeout
    try:
        values = session.run(wanted + also, feeds, options=options)
        out["results"] = [said(v) for v in values[:len(step.fetches)]]
    except tf.errors.OpError as e:
        out["error"] = {"code": CODES[e.error_code], "number": e.error_code, "message": recorder.root(e).message}
    return out


def reached(definition, steps):
    """How many of the steps TensorFlow ends in time and alive, in a process of its own."""
    end, start = os.pipe()
    child = os.fork()
    if not child:
        session = recorder.session_of(definition, False)
        for step in steps:
            os.write(start, b".")
            run(session, step)
        os.write(start, b".")
        os._exit(0)
    os.close(start)
    count, wait = 0, 60
    while select.select([end], [], [], wait)[0] and os.read(end, 1):
        count, wait = count + 1, 2
    os.close(end)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return count - 1


def without_bad_ends(definition, name, steps):
    """Without the steps that would not end, or would end the process."""
    while (count := reached(definition, steps)) < len(steps):
        print(f"a step of {name} is left out")
        steps = steps[:count] + steps[count + 1:]
    return steps


CODES = recorder.CODES | {1: "CANCELLED", 4: "DEADLINE_EXCEEDED", 6: "ALREADY_EXISTS", 8: "RESOURCE_EXHAUSTED", 10: "ABORTED"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=sorted(drawn_resources.KINDS))
    parser.add_argument("folder")
    parser.add_argument("--cases", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    v1.disable_eager_execution()
    with tf.Graph().as_default() as graph:
        cases = [drawn_resources.KINDS[options.kind](f"c{i}", random.Random(f"{options.seed} {i}")) for i in range(options.cases)]
        drawn = [list(case.steps()) for case in cases]
        definition = recorder.without_unused(graph.as_graph_def())
    kept = [without_bad_ends(definition, case.name, steps) for steps, case in zip(drawn, cases)]
    session = recorder.session_of(definition, False)
    steps = [step for steps in kept for step in steps]
    rows = drawn_resources.plain([run(session, step) for step in steps])
    name = f"resource_{options.kind}"
    with open(os.path.join(options.folder, f"{name}.pb"), "wb") as out:
        out.write(definition.SerializeToString(deterministic=True))
    with open(os.path.join(options.folder, f"{name}.json"), "w", encoding="utf-8") as out:
        json.dump({"name": name, "description": "programs of one object each, drawn by record_resources.py", "file": f"{name}.pb",
                   "num_nodes": len(definition.node), "ops": sorted({n.op for n in definition.node}), "repeatable": True,
                   "splits": False, "steps": rows}, out)
    print(f"{len(kept)} cases, {len(rows)} steps, {sum('error' in s for s in rows)} errors")


if __name__ == "__main__":
    main()
