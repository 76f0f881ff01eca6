#!/usr/bin/env python3
"""Builds models with control flow v1 and again with v2 and functions, and trains them side by side by TensorFlow 2.15.1.

    python record_models.py FOLDER [MODEL ...]

For each model FOLDER/twin_MODEL.pb, .cpu2.pb (the same on two CPU devices) and .json, a sidecar as record_functions.py
writes it. Twins: control flow v1 with reference variables, v1 with resource variables, v2 with resource variables and
functions. All start from the same values and get the same inputs; TensorFlow's losses must agree, step by step, on one
device, on two, and with many threads. Compress all with zstd.
"""

import json
import os
import sys

import more_twin_models
import record_functions as recorder
import twin_models
from record_functions import np, tf, v1
from twin_tools import D, SCOPE, Twin, ordered_minimize, then, variables_here

TWINS = (("ref", 1, False), ("res", 1, True), ("fun", 2, True))

MODELS = twin_models.MODELS | more_twin_models.MODELS


def build(name, kind, version, resource, inputs):
    (v1.enable_control_flow_v2 if version == 2 else v1.disable_control_flow_v2)()
    SCOPE[0] = f"{kind}/"
    with v1.variable_scope(kind, use_resource=resource, initializer=v1.constant_initializer(0.1)), tf.device(D[0]):
        made = MODELS[name][0](Twin(version, resource, inputs))
        loss, train, also = (made if isinstance(made, tuple) else (made,)) + (None,) * (3 - len(made) if isinstance(made, tuple) else 2)
        with v1.name_scope(kind + "_step"):
            loss = tf.identity(loss, name="loss")
            if train is None:
                with tf.control_dependencies(also or []):
                    gate = tf.no_op()
                train = ordered_minimize(then([gate], loss), [(v1.train.GradientDescentOptimizer(0.2), variables_here())])
            also = [tf.identity(a, name=f"also{i}") for i, a in enumerate(also or [])]
            return [loss.name] + [a.name for a in also], tf.group(train, name="train").name


def steps_of(name, pairs, count):
    draw = np.random.RandomState(len(name))
    yield {}, [], ["init"]
    for _ in range(count):
        feed = {f"{n}:0": v for n, v in MODELS[name][1](draw).items()}
        for fetches, train in pairs:
            yield feed, fetches, [train]


def same_losses(name, rows):
    for group in zip(*[iter(rows)] * len(TWINS)):
        for other in group[1:]:
            for a, b in zip(group[0]["results"], other["results"]):
                x, y = np.array(a["value"], np.float64), np.array(b["value"], np.float64)
                assert np.allclose(x, y, rtol=2e-5, atol=1e-6), (name, a, b)


def race_free(name, definition, pairs, count):
    """Many threads, again and again: the losses are the same."""
    seen = None
    for _ in range(3):
        graph = tf.Graph()
        with graph.as_default():
            tf.import_graph_def(recorder.marked(definition, None), name="")
        config = recorder.config(False, 2)
        config.inter_op_parallelism_threads = 4
        rows = []
        with v1.Session(graph=graph, config=config) as session:
            for step in steps_of(name, pairs, count):
                rows.append(recorder.run(session, *step).get("results"))
        seen = seen or rows
        for a, b in zip(seen, rows):
            for x, y in zip(a, b):
                assert np.allclose(np.array(x["value"], float), np.array(y["value"], float), rtol=1e-5, atol=1e-6), ("a race", name, x, y)


def feed_json(v):
    a = np.asarray(v)
    if a.dtype == object:
        return {"dtype": "string", "shape": list(a.shape), "value": [[s.decode("latin-1") for s in row] for row in a]}
    return recorder.tensor_json(v)


def record(name, folder, count=5):
    with tf.Graph().as_default() as graph:
        example = MODELS[name][1](np.random.RandomState(0))
        inputs = {}
        for n, v in example.items():
            a = np.asarray(v)
            shape = [None] + list(a.shape[1:]) if n in ("indices", "ids", "weights") else a.shape
            inputs[n] = v1.placeholder(tf.string if a.dtype == object else tf.as_dtype(a.dtype), shape, name=n)
        pairs = [build(name, *twin, inputs) for twin in TWINS]
        tf.group(*[v.initializer for v in v1.global_variables()], v1.tables_initializer(), name="init")
        two = recorder.without_unused(graph.as_graph_def())
    definition = recorder.without_devices(two)
    outcomes = []
    race_free(name, two, pairs, count)
    for what, inlines, cpus in ((recorder.marked(definition, None), False, 1), (definition, True, 1), (recorder.marked(two, None), False, 2)):
        session, rows = recorder.session_of(what, inlines, cpus), []
        for feeds, fetches, targets in steps_of(name, pairs, count):
            row = recorder.run(session, feeds, fetches, targets)
            row.pop("lowered", None)
            row.pop("placed", None)
            assert "error" not in row, (name, cpus, row)
            rows.append({"feeds": {n: feed_json(v) for n, v in feeds.items()}, "fetches": fetches, "targets": targets, **row})
        same_losses(name, rows[1:])
        outcomes.append(rows)
    for rows in outcomes[1:]:
        for a, b in zip(outcomes[0], rows):
            for x, y in zip(a["results"], b["results"]):
                assert np.allclose(np.array(x["value"], float), np.array(y["value"], float), rtol=1e-5, atol=1e-6), (name, x, y)
    for ending, what in ((".pb", definition), (".cpu2.pb", two)):
        with open(os.path.join(folder, f"twin_{name}{ending}"), "wb") as out:
            out.write(what.SerializeToString(deterministic=True))
    with open(os.path.join(folder, f"twin_{name}.json"), "w", encoding="utf-8") as out:
        json.dump({"name": f"twin_{name}", "description": "a model of control flow v1 (reference and resource variables) and of v2 with functions, trained side by side",
                   "file": f"twin_{name}.pb", "num_nodes": len(definition.node), "ops": sorted({n.op for n in definition.node}), "repeatable": True,
                   "splits": False, "steps": outcomes[0], "cpu2": {"file": f"twin_{name}.cpu2.pb"}}, out)
    losses = [r["results"][0]["value"] for r in outcomes[0][1::len(TWINS)]]
    print(f"{name}: {len(definition.node)} nodes, {len(outcomes[0])} steps, losses {losses}")


def main(folder, *names):
    v1.disable_eager_execution()
    for name in names or MODELS:
        try:
            record(name, folder)
        except Exception as e:  # noqa: BLE001
            if names:
                raise
            print(f"{name}: NOT RECORDED: {type(e).__name__}: {str(e)[:400]}")


if __name__ == "__main__":
    main(*sys.argv[1:])
