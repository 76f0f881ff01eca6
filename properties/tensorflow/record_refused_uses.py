#!/usr/bin/env python3
"""Uses of ops that TensorFlow 2.15.1 refuses, or just not: which attributes, types and sizes, and in which order.

    python record_refused_uses.py FOLDER

Writes FOLDER/refused_uses.pb and .json, as record_functions.py does. Each case is one op whose inputs are fed, so that no
client knows their shapes.
"""

import itertools

from record_cases import record_cases, step_of
from record_functions import np, tf, v1

R = tf.raw_ops
NUMBERS = [tf.float32, tf.bfloat16, tf.float64, tf.float16]
WINDOWS = {  # strides, dilations, padding, explicit paddings
    "same": ([1, 2, 2, 1], [1, 1, 1, 1], "SAME", []), "unequal": ([1, 1, 2, 1], [1, 1, 1, 1], "SAME", []),
    "deep": ([1, 1, 1, 2], [1, 1, 1, 1], "SAME", []), "batches": ([2, 1, 1, 1], [1, 1, 1, 1], "SAME", []),
    "dilated": ([1, 1, 1, 1], [1, 2, 2, 1], "SAME", []), "dilated_deep": ([1, 1, 1, 1], [1, 1, 1, 2], "SAME", []),
    "both": ([1, 1, 2, 1], [1, 2, 2, 1], "SAME", []), "none": ([1, 1, 1, 1], [1, 0, 1, 1], "SAME", []),
    "explicit": ([1, 1, 1, 1], [1, 1, 1, 1], "EXPLICIT", [0, 0, 1, 1, 1, 1, 0, 0]),
    "explicit_dilated": ([1, 1, 1, 1], [1, 2, 2, 1], "EXPLICIT", [0, 0, 2, 2, 2, 2, 0, 0]),
    "explicit_unequal": ([1, 1, 2, 1], [1, 1, 1, 1], "EXPLICIT", [0, 0, 1, 1, 1, 1, 0, 0]),
    "negative": ([1, 1, 1, 1], [1, 1, 1, 1], "EXPLICIT", [0, 0, -1, 1, 1, 1, 0, 0]),
    "of_batches": ([1, 1, 1, 1], [1, 1, 1, 1], "EXPLICIT", [1, 0, 1, 1, 1, 1, 0, 0]),
    "of_none": ([1, 1, 1, 1], [1, 1, 1, 1], "EXPLICIT", []),
    "not_asked": ([1, 1, 1, 1], [1, 1, 1, 1], "SAME", [0, 0, 1, 1, 1, 1, 0, 0]),
}
FORMATS = [{}, {"precision": 2}, {"scientific": True}, {"shortest": True}, {"scientific": True, "shortest": True}, {"width": 6},
           {"width": 6, "fill": "-"}, {"fill": "--"}, {"width": 6, "fill": "x"}, {"precision": 1, "width": 8}]


def convolution(op, dtype, window):
    strides, dilations, padding, paddings = WINDOWS[window]
    high, wide = (-(-6 // strides[d]) for d in (1, 2))
    image, kernel = ([1, 6, 6, 2], [3, 3, 2, 2])
    back = [1, high, wide, 4 if "Depthwise" in op else 2]
    lists = {"input_sizes": image, "filter_sizes": kernel}
    wanted = {"Input": {"input_sizes": image, "filter": kernel, "out_backprop": back},
              "Filter": {"input": image, "filter_sizes": kernel, "out_backprop": back}}
    inputs = next((v for end, v in wanted.items() if op.endswith("Backprop" + end)), {"input": image, "filter": kernel})

    def make(case):
        given = {n: case.place(np.array(s, np.int32)) if n in lists else case.numbers(s, dtype) for n, s in inputs.items()}
        return getattr(R, op)(**given, strides=strides, dilations=dilations, padding=padding, explicit_paddings=paddings)
    return make


def text_of(dtype, asked):
    return lambda case: R.AsString(input=case.numbers([2], dtype), **asked)


def cases():
    ops = [k + b for k in ("Conv2D", "DepthwiseConv2dNative") for b in ("", "BackpropInput", "BackpropFilter")]
    uses = itertools.product(ops, NUMBERS, WINDOWS)  # without a sum that bfloat16 rounds at each step
    yield from (convolution(*c) for c in uses if c[1:] != (tf.bfloat16, "explicit"))
    yield from (text_of(*c) for c in itertools.product([tf.bool, tf.complex64, tf.int32, tf.float32, tf.int8, tf.float16], FORMATS))
    for sizes in ([16, -15, 5], [7, -2, 1], [-1, -2, 8], [-1, 3, 4], [-1, -5, 3], [7, -1], [-1], [6], [5], [-1, -1], [-1, 4], [-2, 8], [2, -1, 1]):
        yield lambda case, z=sizes: R.SplitV(value=case.numbers([6], tf.float32), size_splits=case.place(np.array(z, np.int32)),
                                             axis=case.place(np.int32(0)), num_split=len(z))
    for dtype in (tf.float16, tf.bfloat16, tf.complex64, tf.complex128, tf.int8):
        yield lambda case, t=dtype: R.Where(condition=case.numbers([2, 3], t))
    for begin, shape in itertools.product([-6, -5, -1, 4, 5], [[4], [2, 3], [0], [1]]):
        yield lambda case, b=begin, s=shape: R.StridedSlice(input=case.numbers(s, tf.int32), begin=case.place(np.array([b], np.int32)),
                                                            end=case.place(np.array([0], np.int32)),
                                                            strides=case.place(np.array([1], np.int32)), shrink_axis_mask=1)
    for pattern in ("*", "(", "[", "a**", "+", "\\", "x)", "a|*", "[]a", "a+?", "b"):
        yield lambda case, p=pattern: R.RegexFullMatch(input=case.place(np.array([b"a", b"b"], object)), pattern=case.place(np.array(p.encode(), object)))
    for size, strides, dtype in itertools.product([[1, 0, 1, 1], [2, 1, 1, 1], [1, 2, 2, 2], [1, 2, 1, 1], [1, 1], [-1, 2, 2, 1]], [[1, 1, 1, 1], [1, 2, 1, 1]],
                                                  [tf.float32, tf.float16, tf.int32, tf.int8]):
        yield lambda case, k=size, s=strides, t=dtype: R.MaxPoolV2(input=case.numbers([1, 4, 4, 2], t), ksize=case.place(np.array(k, np.int32)),
                                                                   strides=case.place(np.array(s, np.int32)), padding="VALID")
    for dtype in (tf.int8, tf.uint8, tf.int32, tf.int64):
        yield lambda case, t=dtype: R.MaxPool(input=case.numbers([1, 4, 4, 2], t), ksize=[1, 2, 2, 1], strides=[1, 1, 2, 1], padding="SAME")
        yield lambda case, t=dtype: R.EuclideanNorm(input=case.numbers([2, 9], t), axis=case.place(np.int32(1)))
    for dtype in (tf.int8, tf.uint16, tf.float16, tf.bfloat16, tf.float32):
        for op in (R.UnsortedSegmentMax, R.UnsortedSegmentMin):
            yield lambda case, t=dtype, f=op: f(data=case.numbers([2], t), segment_ids=case.place(np.array([0, 2], np.int32)), num_segments=case.place(np.int32(4)))
    for dtype in (tf.float32, tf.float16):
        for shape, running, factor in (([6, 1], [0], 1.0), ([1, 1, 1, 2], [0], 0.5), ([1, 1, 1, 2], [2], 0.5), ([1, 1, 1, 2], [3], 0.5)):
            yield lambda case, t=dtype, s=shape, r=running, f=factor: R.FusedBatchNormV3(
                x=case.numbers(s, t), scale=case.numbers(s[-1:], tf.float32), offset=case.numbers(s[-1:], tf.float32), mean=case.numbers(r, tf.float32),
                variance=case.numbers(r, tf.float32), exponential_avg_factor=f).y
    for columns in (np.int16(2), np.int32(2), np.int64(9)):
        yield lambda case, k=columns: R.TopKV2(input=case.numbers([2, 3], tf.float32), k=case.place(k)).values


class Case:
    def __init__(self, number, makers):
        self.name, self.make, self.feeds = f"c{number}", makers[number], {}

    def place(self, value):
        place = v1.placeholder(tf.string if value.dtype == object else value.dtype, name=f"{self.name}_p{len(self.feeds)}")
        self.feeds[place.name] = value
        return place

    def numbers(self, shape, dtype):
        values = np.array([(7 * i + 3) % 5 - 1 if i % 4 else 2.5 * (i % 3) for i in range(int(np.prod(shape)))], np.float32).reshape(shape)
        return tf.cast(self.place(np.abs(values) if dtype.is_unsigned else values), dtype)

    def build(self):
        try:
            with tf.name_scope(self.name):
                made = self.make(self)
        except ValueError:  # refused while the graph is made
            self.fetches = []
            return
        outs = made if isinstance(made, list) else [made]
        plain = {tf.float16: tf.float32, tf.bfloat16: tf.float32}
        self.fetches = [tf.cast(t, plain[t.dtype]).name if t.dtype in plain else tf.identity(t).name for t in outs]


def rows_of(session, case):
    if not case.fetches:
        return
    row = step_of(session, case.feeds, case.fetches)
    for tensor in list(row["feeds"].values()) + row.get("results", []):
        if tensor["dtype"] == "object":
            tensor["dtype"] = "string"
        tensor["value"] = plain(tensor["value"])
    yield row


def plain(value):
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, complex):
        return [value.real, value.imag]
    if isinstance(value, float) and not np.isfinite(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value.decode("latin-1") if isinstance(value, bytes) else value


if __name__ == "__main__":
    MAKERS = list(cases())
    record_cases(__doc__, "refused_uses", "uses of ops that are refused, or just not", len(MAKERS), lambda number, draw: Case(number, MAKERS), rows_of)
