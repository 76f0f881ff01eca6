#!/usr/bin/env python3
"""Draws uses of random ops with seeds, runs each several times by real TensorFlow 2.15.1, and records the values.

    python record_draws.py FOLDER [--cases 160] [--seed 1]

Writes FOLDER/seeded_draws.pb and .json, as record_functions.py does. An op draws on where its last step ended, so the
steps of a case stand in one session. Values of half and bfloat16 are fetched as floats.
"""

from record_cases import record_cases, step_of
from record_functions import np, tf, v1

TYPES = [tf.float32, tf.float32, tf.float64, tf.float16, tf.bfloat16]
SHAPES = [[], [1], [2], [5], [3, 2], [0], [2, 0, 3], [17], [2, 3, 4]]
TRUE_CLASSES = [[[0, 4]], [[1, 2], [3, 3]], [[5, 1]], [[2, 9]], [[-1, 0]], [[0, 1, 2]], [1, 2], np.zeros((0, 2))]


class Case:
    def __init__(self, number, draw):
        self.draw, self.name, self.feeds = draw, f"c{number}", {}
        self.seeds = {"seed": draw.choice([0, 1, 7, 87654321, -3, 2**40 + 5]), "seed2": draw.choice([1, 2, 11, 123456789012, -1])}

    def input(self, name, dtype, values):
        place = v1.placeholder(dtype, name=f"{self.name}_{name}")
        self.feeds[place.name] = [np.array(v, dtype.as_numpy_dtype) for v in values]
        return place

    def shape(self, bad=True):
        bad = [[[2, 3]], [-1]] if bad and self.draw.random() < 0.2 else []
        return self.input("shape", self.draw.choice([tf.int32, tf.int64]), self.draw.sample(SHAPES, 4) + bad)

    def values(self):
        op = self.draw.choice([tf.raw_ops.RandomUniform, tf.raw_ops.RandomStandardNormal, tf.raw_ops.TruncatedNormal])
        return [tf.cast(op(shape=self.shape(), dtype=(t := self.draw.choice(TYPES)), **self.seeds), tf.float64 if t == tf.float64 else tf.float32)]

    def integers(self):
        dtype = self.draw.choice([tf.int32, tf.int64])
        least = self.input("least", dtype, [-5, 0, 3, -1000, 4])
        most = self.input("most", dtype, [9, 2, 4, 100000, 4] + ([[1, 2]] if self.draw.random() < 0.2 else []))
        return [tf.raw_ops.RandomUniformInt(shape=self.shape(), minval=least, maxval=most, **self.seeds)]

    def order(self):
        sizes = self.draw.sample([0, 1, 2, 3, 4, 5, 6, 9, 12], 4)
        rows = self.input("rows", tf.int32, [np.arange(n * 2).reshape(n, 2) for n in sizes] + [np.arange(7), 5])
        return [tf.raw_ops.RandomShuffle(value=rows, **self.seeds)]

    def classes(self):
        dtype = self.draw.choice([tf.float32, tf.float64])
        rows = [[[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]], [[1.0, 0.01, 3.0, 0.5]], [[0.4], [2.0]], [[0.0, 0.5, 2.0], [1.0, -1.0, 1.0]], [1.0]]
        samples = self.input("samples", tf.int32, [1, 3, 4, 6, 0, -1])
        return [tf.raw_ops.Multinomial(logits=tf.math.log(self.input("weights", dtype, rows)), num_samples=samples, output_dtype=self.draw.choice([tf.int32, tf.int64]), **self.seeds)]

    def candidates(self):
        common = {"true_classes": self.input("true", tf.int64, self.draw.sample(TRUE_CLASSES, 5)), "num_true": 2, "unique": self.draw.random() < 0.6, **self.seeds}
        kind, size = self.draw.randrange(4), self.draw.choice([6, 8, 40, 1000])
        some = {"num_sampled": self.draw.choice([1, 3, 5, 7]), **common}
        if kind == 0:
            return list(tf.raw_ops.LogUniformCandidateSampler(range_max=size, **some))
        if kind == 1:
            return list(tf.raw_ops.UniformCandidateSampler(range_max=size, **some))
        if kind == 2:
            return list(tf.raw_ops.AllCandidateSampler(**some))
        reserved, weights = self.draw.choice([0, 0, 1, 3]), [float(w) for w in self.draw.sample(range(1, 60), 7)]
        off = self.draw.choice([0, 0, 0, 1])
        return list(tf.raw_ops.FixedUnigramCandidateSampler(
            range_max=7 + reserved + off, unigrams=weights, num_reserved_ids=reserved, distortion=self.draw.choice([1.0, 0.75]), **some))

    def variates(self):
        dtype = self.draw.choice([tf.float32, tf.float64])
        parameters = self.input("of", dtype, [[0.3, 1.0, 4.5], [12.0, 30.5, 0.9], [2.0]])
        op, kind = self.draw.choice([("Gamma", "alpha"), ("Poisson", "rate")])
        if op == "Gamma":
            return [tf.raw_ops.RandomGamma(shape=self.shape(bad=False), alpha=parameters, **self.seeds)]
        return [tf.raw_ops.RandomPoissonV2(shape=self.shape(), rate=parameters, dtype=self.draw.choice([tf.int32, tf.int64, tf.float32, tf.float64]), **self.seeds)]

    def stateless(self):
        seed = self.input("seed", tf.int64, [[3, 4], [-1, 7], [2**40, 5], [0, 0], [1]])
        dtype = self.draw.choice([tf.float32, tf.float64])
        parameters = self.input("of", dtype, [[0.3, 1.0, 4.5], [12.0, 30.5, 0.9], [2.0]])
        shape = self.input("shape", tf.int32, [[3], [2, 3], [4, 2, 3], [0, 3], [3, 2]])
        kind = self.draw.randrange(5)
        if kind == 0:
            return [tf.raw_ops.StatelessRandomGammaV2(shape=shape, seed=seed, alpha=parameters)]
        if kind == 1:
            return [tf.raw_ops.StatelessRandomPoisson(shape=shape, seed=seed, lam=parameters, dtype=self.draw.choice([tf.int32, tf.float32, tf.float64]))]
        if kind == 2:
            rows = self.input("rows", tf.float32, [np.arange(n * 2).reshape(n, 2) for n in (5, 1, 9, 4)])
            return [tf.random.experimental.stateless_shuffle(rows, seed=seed)]
        if kind == 3:
            return [tf.random.stateless_gamma(shape, seed=seed, alpha=parameters, dtype=dtype)]
        weights = self.input("weights", dtype, [[[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]], [[1.0, 0.01, 3.0, 0.5]]])
        return [tf.raw_ops.StatelessMultinomial(logits=tf.math.log(weights), num_samples=self.input("samples", tf.int32, [1, 3, 6, 0]), seed=seed)]

    def queue(self):
        q = tf.raw_ops.RandomShuffleQueueV2(component_types=[tf.int64], shapes=[[]], capacity=30, min_after_dequeue=0, shared_name=self.name, **self.seeds)
        put = tf.raw_ops.QueueEnqueueManyV2(handle=q, components=[np.arange(20)])
        with tf.control_dependencies([put]):
            one = tf.raw_ops.QueueDequeueV2(handle=q, component_types=[tf.int64])
            with tf.control_dependencies(one):
                rest = tf.raw_ops.QueueDequeueManyV2(handle=q, n=self.draw.choice([3, 19]), component_types=[tf.int64])
        return [one[0], rest[0]]

    def build(self):
        made = self.draw.choice([self.values] * 4 + [self.integers, self.order, self.classes, self.candidates, self.candidates, self.queue, self.variates, self.variates, self.stateless, self.stateless])()
        self.fetches = [tf.identity(t, name=f"{self.name}_out{i}").name for i, t in enumerate(made)]

    def steps(self):
        for turn in range(1 if "_out1" in self.fetches[-1] and not self.feeds else 5):
            yield {n: values[turn % len(values)] for n, values in self.feeds.items()}


def rows_of(session, case):
    for feeds in case.steps():
        yield step_of(session, feeds, case.fetches)


if __name__ == "__main__":
    record_cases(__doc__, "seeded_draws", "random ops with seeds, several steps each", 160, Case, rows_of)
