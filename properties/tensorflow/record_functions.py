#!/usr/bin/env python3
"""Draws random graphs with functions, runs them by real TensorFlow 2.15.1, and records what came out.

    python record_functions.py calls|conds|loops|devices|apart FOLDER [--cases 60] [--seed 1]

Writes FOLDER/function_KIND.pb, one graph with all cases, and FOLDER/function_KIND.json, a sidecar as
../conform/executor.hpp reads it: several steps of each case, with values or the error, and in `lowered`, for a step that
fetches all, the names of the nodes that it ran after functions were taken into the graph. Compress both with zstd.

Grappler is off. Calls carry `_lower_as_multi_device_function` while they run, and the graph that is written does not:
so they are inlined as with `do_function_inlining`, and TensorFlow's per-device optimizer does not clean up behind it. A
case whose steps differ with `do_function_inlining` in place of the attribute is left out; so is one with which the
process would end. `devices` draws requests for one of two devices, in bodies too, and no effects on variables:
FOLDER/function_devices.cpu2.pb has them, and `cpu2.placed` says on which device each node was. `apart` has functions
that must not be inlined, and conditionals and loops that lack the attribute with which they are lowered; no Reshape,
which Grappler takes out of such a function with its check.
"""

import argparse
import json
import os
import random

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

v1 = tf.compat.v1
CODES = {3: "INVALID_ARGUMENT", 5: "NOT_FOUND", 9: "FAILED_PRECONDITION", 10: "ABORTED", 11: "OUT_OF_RANGE", 12: "UNIMPLEMENTED", 13: "INTERNAL"}
CALLS = ("PartitionedCall", "StatefulPartitionedCall")


class Case:
    """One random graph: values of three kinds, which ops, functions, conditionals and loops combine."""

    def __init__(self, number, kind, draw):
        self.kind, self.draw, self.prefix = kind, draw, f"c{number}"
        self.depth, self.deepest = 0, 3 if kind == "calls" else 2
        self.x = v1.placeholder(tf.float32, [3], name=f"{self.prefix}_x")
        self.k = v1.placeholder(tf.int32, [], name=f"{self.prefix}_k")
        self.p = v1.placeholder(tf.bool, [], name=f"{self.prefix}_p")
        self.v = v1.Variable([1.0, 2.0, 3.0], use_resource=True, name=f"{self.prefix}_v")

    @staticmethod
    def after(tensors):
        """Effects come in one order, in whatever graph they are. A data input alone does not order what a call does."""
        with tf.control_dependencies(tensors):
            gate = tf.no_op()
        return tf.control_dependencies([gate])

    def place(self):
        return self.draw.choice([None, "/device:CPU:0", "/device:CPU:1", "/cpu:1"]) if self.kind == "devices" else None

    def value(self, known):
        return self.draw.choice(known)

    def plain(self, known):
        a, b = self.value(known), self.value(known)
        return self.draw.choice([
            lambda: a + b, lambda: a - b, lambda: a * b, lambda: tf.maximum(a, b), lambda: -a, lambda: tf.square(a) * 0.25,
            lambda: tf.abs(a), lambda: a + 2.0, lambda: tf.reverse(a, [0]), lambda: a + tf.reduce_sum(b),
            lambda: tf.reshape(a, [self.k]) if self.draw.random() < 0.3 and self.kind != "apart" else a * 0.5,
            lambda: a + tf.gather(b, self.k - 1) if self.draw.random() < 0.5 else tf.identity(a),
            lambda: tf.where(a > b, a, b), lambda: a + tf.cast(self.k, tf.float32)])()

    def effect(self, known):
        change = self.v.assign_add if self.draw.random() < 0.5 else self.v.assign
        with tf.control_dependencies([change(self.value(known) * 0.5, read_value=False)]):
            return self.v.read_value()

    def call(self, known):
        wanted = self.draw.randint(1, 2)

        apart = {"_noinline": True} if self.kind == "apart" and self.draw.random() < 0.6 else None

        @tf.function(autograph=False, experimental_attributes=apart)
        def f(*given):
            own = self.grow(list(given), self.draw.randint(1, 3))
            return tuple(own[-wanted:]) if wanted > 1 else own[-1]

        given = [self.value(known) for _ in range(self.draw.randint(1, 2))]
        return self.listed(f(*given))

    @staticmethod
    def listed(results):
        return list(results) if isinstance(results, (tuple, list)) else [results]

    def cond(self, known):
        predicate = self.draw.choice([lambda: self.p, lambda: self.k > 2, lambda: tf.reduce_sum(self.value(known)) > 0.0])()
        sides = [lambda: self.grow(list(known), self.draw.randint(1, 2))[-1] for _ in range(2)]
        return self.listed(tf.cond(predicate, *sides))

    def case(self, known):
        sides = [lambda: self.grow(list(known), 1)[-1] for _ in range(self.draw.randint(2, 3))]
        return self.listed(tf.switch_case(self.k - 2, sides))

    def loop(self, known):
        bound, start = self.draw.choice([self.k, tf.constant(2), tf.constant(0)]), self.value(known)
        body = lambda i, y: (i + 1, self.shaped(self.grow(list(known) + [y], self.draw.randint(1, 2))[-1] * 0.5))
        return self.listed(tf.while_loop(lambda i, y: i < bound, body, [0, self.shaped(start)],
                                         parallel_iterations=self.draw.choice([1, 10]))[1])

    @staticmethod
    def shaped(tensor):
        return tf.ensure_shape(tensor, [3]) if tensor.shape.rank is None or not tensor.shape.is_fully_defined() else tensor

    def structured(self, known):
        kinds = {"calls": [self.call], "conds": [self.cond, self.cond, self.case, self.call], "loops": [self.loop, self.loop, self.cond, self.call]}
        kinds["devices"] = kinds["apart"] = [self.loop, self.cond, self.call, self.call]
        return self.draw.choice(kinds[self.kind])(known)

    def grow(self, known, count):
        self.depth += 1
        for _ in range(count):
            dice = self.draw.random()
            with self.after(known[-1:]), tf.device(self.place()):
                if dice < 0.45 and self.depth <= self.deepest:
                    known += self.structured(known)
                elif dice < 0.6 and self.kind != "devices":
                    known.append(self.effect(known))
                else:
                    known.append(self.plain(known))
        self.depth -= 1
        return known

    def build(self):
        known = [self.x, self.v.read_value() if self.kind != "devices" else self.x * 2.0]
        with self.after(known):
            known += self.structured(known)
        self.grow(known, self.draw.randint(1, 3))
        self.outputs = [tf.identity(t, name=f"{self.prefix}_out{i}") for i, t in enumerate(known[2:])]
        if self.draw.random() < 0.5:
            gradient = tf.gradients(tf.reduce_sum(self.shaped(self.outputs[-1])), [self.x])[0]
            if gradient is not None:
                self.outputs.append(tf.identity(gradient, name=f"{self.prefix}_grad"))
        with self.after(known[-1:]):
            self.outputs.append(tf.identity(self.v.read_value(), name=f"{self.prefix}_after"))

    def feeds(self):
        return {self.x.name: np.array([self.draw.choice([-2.0, -0.5, 0.5, 1.0, 3.0]) for _ in range(3)], np.float32),
                self.k.name: np.int32(self.draw.choice([1, 2, 3, 3, 3, 4])), self.p.name: self.draw.random() < 0.5}

    def start(self):
        return {}, [], [self.v.initializer.name]

    def steps(self):
        yield self.start()
        yield self.feeds(), [o.name for o in self.outputs], []
        for _ in range(3):
            fetches = self.draw.sample([o.name for o in self.outputs], min(len(self.outputs), self.draw.randint(1, 3)))
            targets = [self.outputs[0].op.name] if self.draw.random() < 0.2 else []
            yield self.feeds(), fetches, targets


def tensor_json(value):
    array = np.asarray(value)
    return {"dtype": str(array.dtype), "shape": list(array.shape), "value": array.tolist()}


def marked(definition, graph):
    """The graph with the attribute that inlines calls in it."""
    copy = type(definition)()
    copy.CopyFrom(definition)
    for nodes in [copy.node] + [f.node_def for f in copy.library.function]:
        for node in nodes:
            if node.op in CALLS:
                node.attr["_lower_as_multi_device_function"].b = True
    return copy


def config(inlines, cpus):
    c = v1.ConfigProto(device_count={"CPU": cpus}, inter_op_parallelism_threads=1, intra_op_parallelism_threads=1)
    c.graph_options.rewrite_options.disable_meta_optimizer = True
    c.graph_options.optimizer_options.opt_level = -1
    c.graph_options.optimizer_options.do_function_inlining = inlines
    return c


def session_of(definition, inlines, cpus=1):
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(definition, name="")
    return v1.Session(graph=graph, config=config(inlines, cpus))


def root(error):
    while error.__cause__ or error.__context__:
        error = error.__cause__ or error.__context__
    return error


def run(session, feeds, fetches, targets):
    metadata, out = v1.RunMetadata(), {}
    options = v1.RunOptions(output_partition_graphs=True)
    try:
        wanted = [session.graph.get_tensor_by_name(f) for f in fetches]
        also = [session.graph.get_operation_by_name(t) for t in targets]
        values = session.run(wanted + also, feeds, options=options, run_metadata=metadata)
        out["results"] = [tensor_json(v) for v in values[:len(fetches)]]
    except tf.errors.OpError as e:
        out["error"] = {"code": CODES[e.error_code], "number": e.error_code, "message": root(e).message}
    placed = {n.name: n.device.split("device:")[-1] for g in metadata.partition_graphs for n in g.node}
    names = [n.name for g in metadata.partition_graphs for n in g.node if n.op not in ("_Arg", "_Retval")]
    if names:
        out["lowered"], out["placed"] = sorted(names), placed
    return out


def functions_in(nodes):
    """The functions that nodes name, as ops or in attributes."""
    names = {n.op for n in nodes}
    for node in nodes:
        for value in node.attr.values():
            names |= {value.func.name} | {f.name for f in value.list.func}
    return names


def without_unused(definition):
    known = {f.signature.name: f for f in definition.library.function}
    used, fresh = set(), functions_in(definition.node) & set(known)
    while fresh:
        used |= fresh
        fresh = set().union(*(functions_in(known[f].node_def) for f in fresh)) & set(known) - used
    copy = type(definition)()
    copy.CopyFrom(definition)
    del copy.library.function[:]
    copy.library.function.extend(f for name, f in known.items() if name in used)
    del copy.library.gradient[:]
    return copy


def without_devices(definition):
    copy = type(definition)()
    copy.CopyFrom(definition)
    for nodes in [copy.node] + [f.node_def for f in copy.library.function]:
        for node in nodes:
            node.device = ""
    return copy


def without_lowering(definition, seed):
    """Most conditionals and loops without the attribute that lowers them."""
    draw = random.Random(f"lowering {seed}")
    copy = type(definition)()
    copy.CopyFrom(definition)
    for nodes in [copy.node] + [f.node_def for f in copy.library.function]:
        for node in nodes:
            if "_lower_using_switch_merge" in node.attr and draw.random() < 0.6:
                del node.attr["_lower_using_switch_merge"]
    return copy


def on_two_devices(definition, steps, path):
    """Where the nodes of a step run; the sends, receives and loops of the cut are left out."""
    session = session_of(marked(definition, None), False, 2)
    placed = []
    for number, step in enumerate(steps):
        feeds = {n: np.array(v["value"], v["dtype"]) for n, v in step["feeds"].items()}
        row = run(session, feeds, step["fetches"], step["targets"])
        if "lowered" in step and "placed" in row:
            placed.append({"step": number, "devices": {n: row["placed"][n] for n in step["lowered"] if n in row["placed"]}})
    with open(path, "wb") as out:
        out.write(definition.SerializeToString(deterministic=True))
    return {"file": os.path.basename(path), "placed": placed}


def read_steps(cases, definition, inlines):
    session = session_of(definition, inlines)
    return [list(rows_of(session, *case)) for case in cases]


def rows_of(session, case, steps):
    """Steps and what came out. How far a step that fails gets depends on threads, so variables then start anew."""
    for step in steps:
        row = run(session, *step)
        yield step, row
        if "error" in row:
            yield case.start(), run(session, *case.start())


def same(a, b):
    return a.get("results") == b.get("results") and a.get("error", {}).get("code") == b.get("error", {}).get("code")


def can_be_placed(kind, draw):
    """One graph that cannot be placed would fail the session of all."""
    with tf.Graph().as_default() as graph:
        Case(0, kind, draw).build()
        definition = marked(graph.as_graph_def(), graph)
    return "error" not in run(session_of(definition, False, 2), {}, [], ["c0_v/Assign"])


def draw_cases(kind, count, seed):
    cases, drawn = [], 0
    while len(cases) < count:
        drawn += 1
        seeded = lambda: random.Random(f"{kind} {seed} {drawn - 1}")  # noqa: B023, E731
        if kind == "devices" and not can_be_placed(kind, seeded()):
            continue
        case = Case(len(cases), kind, seeded())
        case.build()
        cases.append((case, [(f, list(o), list(t)) for f, o, t in case.steps()]))
    return cases


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["calls", "conds", "loops", "devices", "apart"])
    parser.add_argument("folder")
    parser.add_argument("--cases", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    v1.disable_eager_execution()
    v1.enable_control_flow_v2()
    with tf.Graph().as_default() as graph:
        cases = draw_cases(options.kind, options.cases, options.seed)
        requested = without_unused(graph.as_graph_def())
        definition = without_devices(requested)
        if options.kind == "apart":
            definition = without_lowering(definition, options.seed)
    recorded, plain = read_steps(cases, marked(definition, graph), False), read_steps(cases, definition, True)
    steps = []
    for rows, others in zip(recorded, plain):
        if not all(same(a, b) for (_, a), (_, b) in zip(rows, others)):
            continue
        for number, ((feeds, fetches, targets), row) in enumerate(rows):
            if number != 1 or options.kind == "apart":  # the step that fetches everything
                row.pop("lowered", None)
            row.pop("placed", None)
            targets = [t.lstrip("^") for t in targets]
            steps.append({"feeds": {n: tensor_json(v) for n, v in feeds.items()}, "fetches": fetches, "targets": targets, **row})
    name = f"function_{options.kind}"
    with open(os.path.join(options.folder, name + ".pb"), "wb") as out:
        out.write(definition.SerializeToString(deterministic=True))
    sidecar = {"name": name, "description": f"random graphs of functions ({options.kind})", "file": name + ".pb",
               "num_nodes": len(definition.node), "ops": sorted({n.op for n in definition.node}), "repeatable": True, "steps": steps}
    if options.kind == "devices":
        sidecar["splits"] = False
        sidecar["cpu2"] = on_two_devices(requested, steps, os.path.join(options.folder, name + ".cpu2.pb"))
    with open(os.path.join(options.folder, name + ".json"), "w", encoding="utf-8") as out:
        json.dump(sidecar, out)
    errors = sum("error" in s for s in steps)
    print(f"{name}: {len(definition.node)} nodes, {len(definition.library.function)} functions, {len(steps)} steps, {errors} errors")


if __name__ == "__main__":
    main()
