"""What record_draws.py and record_complex.py share: many cases in one graph, run in one session, in one recording."""

import argparse
import json
import os
import random

import record_functions as recorder
from record_functions import tf, v1


def record_cases(said, name, description, cases, make, rows_of, splits=True):
    """`make(number, draw)` gives a case, whose build() adds to the graph; `rows_of(session, case)` gives its steps.

    `said` is the program's docstring, `cases` how many are drawn unless the command line says so; without
    `splits` the graph is not judged on random devices.
    """
    parser = argparse.ArgumentParser(description=said, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--cases", type=int, default=cases)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    v1.disable_eager_execution()
    with tf.Graph().as_default() as graph:
        drawn = [make(i, random.Random(f"{options.seed} {i}")) for i in range(options.cases)]
        for case in drawn:
            case.build()
        definition = recorder.without_unused(graph.as_graph_def())
    session = recorder.session_of(definition, False)
    steps = [row for case in drawn for row in rows_of(session, case)]
    with open(os.path.join(options.folder, f"{name}.pb"), "wb") as out:
        out.write(definition.SerializeToString(deterministic=True))
    with open(os.path.join(options.folder, f"{name}.json"), "w", encoding="utf-8") as out:
        json.dump({"name": name, "description": description, "file": f"{name}.pb", "num_nodes": len(definition.node),
                   "ops": sorted({n.op for n in definition.node}), "repeatable": True, "splits": splits, "steps": steps}, out)
    print(f"{len(drawn)} cases, {len(steps)} steps, {sum('error' in s for s in steps)} errors")


def step_of(session, feeds, fetches):
    """One step and what came out, without what record_functions.py alone says."""
    row = recorder.run(session, feeds, fetches, [])
    row.pop("lowered", None)
    row.pop("placed", None)
    return {"feeds": {n: recorder.tensor_json(v) for n, v in feeds.items()}, "fetches": fetches, "targets": [], **row}
