#!/usr/bin/env python3
"""Draws uses of complex numbers and of Fourier transforms, runs them by real TensorFlow 2.15.1, and records the values.

    python record_complex.py FOLDER [--cases 150] [--seed 1]

Writes FOLDER/complex_numbers.pb and .json, as record_functions.py does. Complex numbers are fed and fetched as their
real and imaginary parts.
"""

from record_cases import record_cases, step_of
from record_functions import np, tf, v1

R = tf.raw_ops
UNARY = ["Neg", "Square", "Sqrt", "Rsqrt", "Reciprocal", "Exp", "Expm1", "Log", "Log1p", "Sin", "Cos", "Tan", "Sinh", "Cosh", "Tanh", "Asin", "Acos",
         "Atan", "Asinh", "Acosh", "Atanh", "Sigmoid", "Sign"]
BINARY = ["AddV2", "Sub", "Mul", "RealDiv", "DivNoNan", "MulNoNan", "Xdivy", "Xlogy", "SquaredDifference", "Pow", "Equal", "NotEqual"]
GRADIENTS = ["TanhGrad", "SigmoidGrad", "ReciprocalGrad", "SqrtGrad", "RsqrtGrad"]
SHAPES = [[2, 3], [3], [], [1, 3], [2, 1], [0, 3]]


class Case:
    def __init__(self, number, draw):
        self.draw, self.name, self.feeds = draw, f"c{number}", {}
        self.real = draw.choice([tf.float32, tf.float64])
        self.complex = tf.complex64 if self.real == tf.float32 else tf.complex128

    def place(self, dtype, values):
        place = v1.placeholder(dtype, name=f"{self.name}_p{len(self.feeds)}")
        self.feeds[place.name] = [np.array(v, dtype.as_numpy_dtype) for v in values]
        return place

    def reals(self, shapes):
        values = lambda shape: np.round([self.draw.uniform(-2, 2) for _ in range(int(np.prod(shape)))], 3).reshape(shape)
        return self.place(self.real, [values(s) for s in shapes])

    def complexes(self, shapes=None):
        shapes = shapes or [self.draw.choice(SHAPES) for _ in range(3)]
        return tf.complex(self.reals(shapes), self.reals(shapes))

    def unary(self):
        return [getattr(R, self.draw.choice(UNARY))(x=self.complexes())]

    def binary(self):
        return [getattr(R, self.draw.choice(BINARY))(x=self.complexes(), y=self.complexes())]

    def gradient(self):
        return [getattr(R, self.draw.choice(GRADIENTS))(y=self.complexes([[2, 3]]), dy=self.complexes([[2, 3]]))]

    def parts(self):
        x = self.complexes()
        return [R.Angle(input=x, Tout=self.real), R.ComplexAbs(x=x, Tout=self.real), R.Conj(input=x), R.Complex(real=self.reals([[2, 3], [3]]), imag=self.reals([[3], [2, 3], [4]]), Tout=self.complex)]

    def cast(self):
        to = self.draw.choice([tf.float32, tf.float64, tf.int32, tf.half, tf.complex64, tf.complex128])
        back = tf.cast(self.place(self.draw.choice([tf.int32, tf.float32, tf.half, tf.bool]), [[0, 1, 1]]), self.complex)
        return [tf.cast(self.complexes(), to), back]

    def reduction(self):
        op = self.draw.choice([R.Sum, R.Prod, R.Mean])
        return [op(input=self.complexes([[2, 3], [3, 2], [2, 0]]), axis=self.place(tf.int32, [[0], [0, 1], [1], [5]]), keep_dims=self.draw.random() < 0.5)]

    def product(self):
        a, b = self.complexes([[2, 3, 3], [3, 3]]), self.complexes([[2, 3, 3], [2, 3, 3], [3, 2]])
        return [R.BatchMatMulV2(x=a, y=b, adj_x=self.draw.random() < 0.5, adj_y=self.draw.random() < 0.5),
                R.MatMul(a=self.complexes([[3, 3]]), b=self.complexes([[3, 3]]), transpose_a=self.draw.random() < 0.5),
                R.AddN(inputs=[self.complexes([[2]]), self.complexes([[2]])]),
                R.ConjugateTranspose(x=self.complexes([[2, 3]]), perm=[1, 0])]

    def transform(self):
        rank = self.draw.choice([1, 1, 2, 3])
        name = ["FFT", "FFT2D", "FFT3D"][rank - 1]
        shapes = [[self.draw.choice([1, 2, 3, 4, 5, 7, 8, 9]) for _ in range(rank + self.draw.choice([0, 1]))] for _ in range(4)] + [[0] * rank, [2] * (rank - 1)]
        return [getattr(R, self.draw.choice(["", "I"]) + name)(input=self.complexes(shapes))]

    def transform_of_reals(self):
        rank = self.draw.choice([1, 1, 2, 3])
        name = ["RFFT", "RFFT2D", "RFFT3D"][rank - 1]
        shapes = [[self.draw.choice([2, 3, 4, 5, 6, 8]) for _ in range(rank + self.draw.choice([0, 1]))] for _ in range(5)]
        lengths = self.place(tf.int32, [s[-rank:] for s in shapes[:2]] + [[3] * rank, [2] * rank, [self.draw.choice([-1, 0, 1])] * rank])
        if self.draw.random() < 0.5:
            return [getattr(R, name)(input=self.reals(shapes), fft_length=lengths, Tcomplex=self.complex)]
        return [getattr(R, "I" + name)(input=self.complexes(shapes), fft_length=lengths, Treal=self.real)]

    def build(self):
        kinds = [self.unary] * 5 + [self.binary] * 4 + [self.gradient, self.parts, self.cast, self.reduction, self.product] + [self.transform] * 3 + [self.transform_of_reals] * 4
        made, outs = self.draw.choice(kinds)(), []
        for t in made:
            outs += [R.Real(input=t, Tout=t.dtype.real_dtype), R.Imag(input=t, Tout=t.dtype.real_dtype)] if t.dtype.is_complex else [tf.cast(t, tf.float32) if t.dtype == tf.half else t]
        self.fetches = [tf.identity(t, name=f"{self.name}_out{i}").name for i, t in enumerate(outs)]

    def steps(self):
        for turn in range(4):
            feeds = {n: values[turn % len(values)] for n, values in self.feeds.items()}
            for fetches in ([self.fetches] if len(self.fetches) < 3 else [[f] for f in self.fetches]):
                yield feeds, fetches


def rows_of(session, case):
    for feeds, fetches in case.steps():
        row = step_of(session, feeds, fetches)
        if all(np.isfinite(np.array(r["value"], float)).all() for r in row.get("results", [])):
            yield row


if __name__ == "__main__":
    record_cases(__doc__, "complex_numbers", "complex numbers and Fourier transforms", 150, Case, rows_of)
