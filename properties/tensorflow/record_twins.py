#!/usr/bin/env python3
"""Builds models with control flow v1 and again with v2, trains both by real TensorFlow 2.15.1, and records the losses.

    python record_twins.py FOLDER

Writes FOLDER/control_flow_twins.pb and .json, as record_functions.py does. A model and its twin start from the same
values and must have the same losses in TensorFlow, step by step.
"""

import json
import os
import sys

import record_functions as recorder
from record_functions import np, tf, v1


def variable(name, shape, seed):
    values = np.random.RandomState(seed).uniform(-0.5, 0.5, shape).astype(np.float32)
    return v1.get_variable(name, initializer=values, use_resource=True)


def dense(x):
    return tf.matmul(x[:, 0, :], variable("w", [3, 4], 1))


def rnn(cell_of):
    def model(x):
        cell = cell_of(4)
        with v1.variable_scope("rnn", initializer=v1.constant_initializer(0.1)):
            outputs, _ = v1.nn.dynamic_rnn(cell, x, sequence_length=[3, 2], dtype=tf.float32)
        return tf.reduce_sum(outputs, 1)
    return model


def loop(x):
    w = variable("w", [3, 3], 2)
    _, state = v1.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, tf.tanh(tf.matmul(s, w))), [0, x[:, 0, :]])
    return state


def condition(x):
    w, b = variable("w", [3, 3], 3), variable("b", [3], 4)
    y = tf.matmul(x[:, 0, :], w)
    return v1.cond(tf.reduce_sum(y) > 0.0, lambda: tf.tanh(y + b), lambda: y * 2.0 - b)


def after(change):
    with tf.control_dependencies([change]):
        return tf.constant(0)


def update(x):
    w, seen = variable("w", [3, 2], 5), variable("seen", [], 6)
    y = tf.matmul(x[:, 1, :], w)
    up, down = lambda: seen.assign_add(1.0, read_value=False), lambda: seen.assign_sub(0.5, read_value=False)
    with tf.control_dependencies([v1.cond(tf.reduce_mean(y) > 0.0, lambda: after(up()), lambda: after(down()))]):
        return y + seen.read_value()


def mapped(x):
    w = variable("w", [3, 3], 7)
    return v1.foldl(lambda a, row: a + row, tf.map_fn(lambda row: tf.sigmoid(tf.matmul(row, w)), x))


def scanned(x):
    w = variable("w", [3, 3], 8)
    return tf.scan(lambda a, row: tf.tanh(tf.matmul(a + row, w)), tf.transpose(x, [1, 0, 2]), initializer=tf.zeros([2, 3]))[-1]


def nested(x):
    w = variable("w", [3, 3], 9)
    turn = lambda t: v1.cond(tf.reduce_sum(t) > 0.0, lambda: tf.matmul(t, w), lambda: t * 0.9)
    inner = lambda s: v1.while_loop(lambda j, t: j < 2, lambda j, t: (j + 1, turn(t)), [0, s])[1]
    return v1.while_loop(lambda i, s: i < 2, lambda i, s: (i + 1, inner(s) + 0.1), [0, x[:, 2, :]])[1]


MODELS = {"dense": dense, "rnn": rnn(v1.nn.rnn_cell.BasicRNNCell), "gru": rnn(v1.nn.rnn_cell.GRUCell),
          "lstm": rnn(v1.nn.rnn_cell.BasicLSTMCell), "loop": loop, "condition": condition, "update": update,
          "mapped": mapped, "scanned": scanned, "nested": nested}


def train(name, version, x):
    (v1.enable_control_flow_v2 if version == 2 else v1.disable_control_flow_v2)()
    with v1.variable_scope(f"{name}_v{version}"), v1.name_scope(f"{name}_v{version}"):
        loss = tf.identity(tf.reduce_mean(tf.square(MODELS[name](x) - 0.3)), name="loss")
        own = [v for v in v1.trainable_variables() if v.name.startswith(f"{name}_v{version}/")]
        step = v1.train.GradientDescentOptimizer(0.2).minimize(loss, var_list=own, name="train")
        return loss.name, step.name


def steps_of(pairs, draw):
    yield {}, [], ["init"]
    for _ in range(4):
        feed = {"x:0": draw.uniform(-1, 1, [2, 3, 3]).astype(np.float32)}
        for pair in pairs:
            yield feed, [loss for loss, _ in pair], [step for _, step in pair]


def main(folder):
    v1.disable_eager_execution()
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [2, 3, 3], name="x")
        pairs = [[train(name, version, x) for version in (1, 2)] for name in MODELS]
        tf.group(*[v.initializer for v in v1.global_variables()], name="init")
        definition = recorder.without_unused(graph.as_graph_def())
    session, rows = recorder.session_of(recorder.marked(definition, graph), False), []
    for feeds, fetches, targets in steps_of(pairs, np.random.RandomState(1)):
        row = recorder.run(session, feeds, fetches, targets)
        row.pop("lowered", None)
        row.pop("placed", None)
        assert "error" not in row, row
        losses = [r["value"] for r in row["results"]]
        assert not losses or np.isclose(losses[0], losses[1], rtol=1e-5), (fetches, losses)
        rows.append({"feeds": {n: recorder.tensor_json(v) for n, v in feeds.items()}, "fetches": fetches, "targets": targets, **row})
    with open(os.path.join(folder, "control_flow_twins.pb"), "wb") as out:
        out.write(definition.SerializeToString(deterministic=True))
    with open(os.path.join(folder, "control_flow_twins.json"), "w", encoding="utf-8") as out:
        json.dump({"name": "control_flow_twins", "description": "models of control flow v1 and v2, trained side by side",
                   "file": "control_flow_twins.pb", "num_nodes": len(definition.node),
                   "ops": sorted({n.op for n in definition.node}), "repeatable": True, "steps": rows}, out)
    print(f"{len(MODELS)} pairs, {len(rows)} steps")


if __name__ == "__main__":
    main(sys.argv[1])
