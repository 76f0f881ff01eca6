#!/usr/bin/env python3
"""Fetches what is inside loops of control flow v1, by real TensorFlow 2.15.1: a value of one iteration, of none, of several.

    python record_loop_fetches.py FOLDER [--cases 25] [--seed 1]

Writes FOLDER/loop_fetches.pb and .json, as record_functions.py does.
"""

from record_cases import record_cases, step_of
from record_functions import np, tf, v1


class Loop:
    """Counts to a limit that is fed, perhaps with a loop inside; all its tensors may be fetched."""

    def __init__(self, number, draw):
        self.name, self.draw = f"c{number}", draw

    def build(self):
        before = set(v1.get_default_graph().get_operations())
        self.limit = v1.placeholder(tf.int32, [], name=f"{self.name}_n")
        deep = self.draw.random() < 0.3

        def body(i, x):
            if deep:
                x = v1.while_loop(lambda j, _: j < i, lambda j, y: (j + 1, y + 1.0), [0, x])[1]
            return i + 1, self.draw.choice([lambda: x * 2.0, lambda: tf.cond(i < 1, lambda: x + 3.0, lambda: x - 1.0)])()

        v1.while_loop(lambda i, _: i < self.limit, body, [0, 1.0], name=f"{self.name}_loop",
                      parallel_iterations=self.draw.choice([1, 10]))
        made = [op for op in v1.get_default_graph().get_operations() if op not in before]
        self.tensors = [t.name for op in made for t in op.outputs if op.type not in ("Const", "Placeholder")]

    def rows(self, session):
        for _ in range(10):
            count = self.draw.choice([1, 1, 1, 2])
            yield step_of(session, {self.limit.name: np.int32(self.draw.choice([0, 1, 1, 2, 3]))}, self.draw.sample(self.tensors, count))


if __name__ == "__main__":
    v1.disable_control_flow_v2()
    record_cases(__doc__, "loop_fetches", "tensors of loops, drawn by record_loop_fetches.py", 25, Loop, lambda session, case: case.rows(session), splits=False)
