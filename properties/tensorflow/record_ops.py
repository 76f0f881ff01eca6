#!/usr/bin/env python3
"""Draws uses of single ops, good ones and bad ones, runs each by real TensorFlow 2.15.1, and records the answers.

    python record_ops.py FAMILY FOLDER [--cases 80] [--seed 1]

Writes FOLDER/FAMILY.pb and .json, as record_functions.py does. A case is one op with drawn attributes, whose inputs are
fed: each step feeds other values. What TensorFlow refuses while the graph is made is left out.
"""

import argparse
import json
import os
import random

import record_functions as recorder
import drawn_images  # noqa: F401 (its uses count, too)
import drawn_numbers  # noqa: F401
from drawn_ops import FAMILIES, Drawn
from record_functions import np, tf, v1

class Case:
    def __init__(self, name, draw, uses):
        op, attributes, self.values = draw.choice(uses)(Drawn(draw))
        self.places = {n: v1.placeholder(np.asarray(v).dtype if np.asarray(v).dtype.kind not in "OSU" else tf.string, name=f"{name}_{n}")
                       for n, v in self.values[0].items() if not isinstance(v, list)}
        lists = {n: [v1.placeholder(np.asarray(x).dtype, name=f"{name}_{n}{i}") for i, x in enumerate(v)]
                 for n, v in self.values[0].items() if isinstance(v, list)}
        made = op(**self.places, **lists, **attributes, name=name)
        self.places.update(lists)
        made = tf.nest.flatten(list(made) if isinstance(made, tuple) else made)
        self.fetches = [self.readable(t, f"{name}_out{i}").name for i, t in enumerate(made) if isinstance(t, tf.Tensor)]
        self.targets = [t.name for t in made if isinstance(t, tf.Operation)]

    @staticmethod
    def readable(tensor, name):
        if tensor.dtype in (tf.float16, tf.bfloat16, tf.qint8, tf.quint8, tf.qint32, tf.qint16, tf.quint16):
            return tf.cast(tensor, tf.float32, name=name)
        return tf.identity(tensor, name=name)

    def feeds(self, step):
        fed = {}
        for n, v in step.items():
            for place, x in zip(self.places[n], v) if isinstance(v, list) else [(self.places[n], v)]:
                fed[place.name] = np.asarray(x)
        return fed

    def rows(self, session):
        for step in self.values:
            feeds = self.feeds(step)
            row = recorder.run(session, feeds, self.fetches, self.targets)
            row.pop("lowered", None)
            row.pop("placed", None)
            yield {"feeds": {n: said(v) for n, v in feeds.items()}, "fetches": self.fetches, "targets": self.targets, **row}


def said(value):
    return recorder.tensor_json(value) | ({"dtype": "string"} if value.dtype.kind in "OSU" else {})


def plain(value):
    """As JSON can say it: numbers that are none as words."""
    if isinstance(value, dict):
        return {n: plain(v) for n, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, complex):
        return [plain(value.real), plain(value.imag)]
    if isinstance(value, float) and not np.isfinite(value):
        return "NaN" if np.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def made_cases(options):
    cases = []
    for i in range(options.cases):
        try:
            cases.append(Case(f"c{i}", random.Random(f"{options.seed} {i}"), FAMILIES[options.family]))
        except (ValueError, TypeError, tf.errors.OpError) as refused:
            print(f"c{i} is left out: {refused}")
    return cases


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("family", choices=sorted(FAMILIES))
    parser.add_argument("folder")
    parser.add_argument("--cases", type=int, default=80)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    v1.disable_eager_execution()
    with tf.Graph().as_default() as graph:
        cases = made_cases(options)
        definition = recorder.without_unused(graph.as_graph_def())
    session = recorder.session_of(definition, False)
    steps = plain([row for case in cases for row in case.rows(session)])
    with open(os.path.join(options.folder, options.family + ".pb"), "wb") as out:
        out.write(definition.SerializeToString(deterministic=True))
    with open(os.path.join(options.folder, options.family + ".json"), "w", encoding="utf-8") as out:
        json.dump({"name": options.family, "description": "single ops, drawn by record_ops.py", "file": options.family + ".pb",
                   "num_nodes": len(definition.node), "ops": sorted({n.op for n in definition.node}), "repeatable": True, "steps": steps,
                   **({"by_way_of_floats": True} if options.family == "sequences" else {})}, out)
    print(f"{len(cases)} cases, {len(steps)} steps, {sum('error' in s for s in steps)} errors")


if __name__ == "__main__":
    main()
