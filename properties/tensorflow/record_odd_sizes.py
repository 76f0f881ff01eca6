#!/usr/bin/env python3
"""Uses of ops with sizes, ranks and numbers that TensorFlow 2.15.1 hardly expects, and what it makes of them.

    python record_odd_sizes.py FOLDER

Writes FOLDER/odd_sizes.pb and .json, as record_functions.py does. Each case is one op whose inputs are fed, so that no
client knows their shapes.
"""

import itertools

from record_cases import record_cases
from record_functions import np, tf
from record_refused_uses import Case, rows_of

R = tf.raw_ops
MAKERS = []
NARROW = (tf.float16, tf.bfloat16)


def floats(*shape, dtype=tf.float32):
    values = np.round(np.sin(np.arange(int(np.prod(shape))) * 1.7) * 2, 2).astype(np.float32).reshape(shape)
    return (values, dtype)


def ints(*values):
    return np.array(values[0] if len(values) == 1 and isinstance(values[0], list) else values, np.int32)


def longs(values):
    return np.array(values, np.int64)


def place(case, value):
    values, dtype = value if isinstance(value, tuple) else (np.asarray(value), None)
    if dtype in NARROW:
        return tf.cast(case.place(values), dtype)
    return case.place(values if dtype is None else values.astype(dtype.as_numpy_dtype))


def use(op, inputs, **attributes):
    def make(case):
        given = {n: [place(case, x) for x in v] if isinstance(v, list) else place(case, v) for n, v in inputs.items()}
        outs = getattr(R, op)(**given, **attributes)
        return tf.nest.flatten(list(outs) if isinstance(outs, tuple) else outs)
    MAKERS.append(make)


# ---- Gradients of normalisations: how many numbers each input has ----

for op_, dtype_ in itertools.product(["FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"], [tf.float32, *NARROW]):
    if op_ == "FusedBatchNormGrad" and dtype_ != tf.float32:
        continue
    for scale, mean, variance, rows in ((3, 3, 3, 2), (0, 3, 3, 2), (4, 3, 3, 2), (3, 0, 3, 2), (3, 3, 2, 2), (2, 2, 2, 2), (3, 2, 1, 2), (3, 3, 3, 0), (2, 3, 3, 0)):
        x = floats(1, rows, 1, 3, dtype=dtype_)
        more = {"reserve_space_3": floats(3)} if op_.endswith("V3") else {}
        use(op_, {"y_backprop": x, "x": x, "scale": floats(scale), "reserve_space_1": floats(mean), "reserve_space_2": np.abs(floats(variance)[0]), **more})
for scale in (3, 1):
    use("FusedBatchNormGradV3", {"y_backprop": floats(1, 3, 2, 1), "x": floats(1, 3, 2, 1), "scale": floats(scale), "reserve_space_1": floats(3),
                                 "reserve_space_2": np.abs(floats(3)[0]), "reserve_space_3": floats(0)}, data_format="NCHW")

# ---- CTCLoss: null labels (of a blank alone, one time is too few: TensorFlow writes outside of its memory) ----

for labels_, length in itertools.product([[3], [7], [3, 3], [7, 3], [3, 1], [0, 3], [0, 3, 3], [-1], [-1, 3], [0]], [5, 3, 2, 1]):
    if length > 1 or labels_[0] not in (3, 7):
        for attributes_ in ({}, {"ctc_merge_repeated": False}, {"preprocess_collapse_repeated": True}) if length == 5 else ({},):
            use("CTCLoss", {"inputs": np.sin(np.arange(20, dtype=np.float32)).reshape(5, 1, 4), "labels_indices": longs([[0, j] for j in range(len(labels_))]),
                            "labels_values": ints(labels_), "sequence_length": ints([length])}, **attributes_)

# ---- Texts, and which comes first ----

for value, dtype_ in ((floats(2)[0], tf.complex128), (np.array([1, 2, 3], np.uint8), tf.float32), (floats(2, 3)[0], tf.float64), (np.zeros((2, 0), np.uint8), tf.int16)):
    use("Bitcast", {"input": value}, type=dtype_)
for axis, shapes in ((5, [[2, 3], [[1, 2]]]), (5, [[[2, 3]], [1, 2]]), (5, [[2, 3], [1, 2]]), (0, [[2, 3], [1, 2, 3]]), (-3, [[2, 3], [1, 3]]), (5, [[2, 3], [1]]), (1, [[2, 3], [2, 4]])):
    use("ConcatOffset", {"concat_dim": np.int32(axis), "shape": [ints(s) for s in shapes]})
for shape, to in (((1, 1, 3), [2, -1]), ((3,), [-1, 3]), ((1, 1, 3), [2, 3]), ((0,), [-1]), ((), [2, -5])):
    use("BroadcastTo", {"input": floats(*shape), "shape": ints(to)})
for numbers, size, weights in (([1, -1], 4, 3), ([1, 2], 4, 3), ([1, -1], 4, 0), ([1, -1], -4, 0), ([], 4, 3), ([1, 9], 4, 2)):
    use("Bincount", {"arr": ints(numbers), "size": np.int32(size), "weights": floats(weights)})
    if numbers:
        use("DenseBincount", {"input": ints(numbers), "size": np.int32(size), "weights": floats(weights)})
for mode, paddings in itertools.product(["REFLECT", "SYMMETRIC"], ([3, 2], [2, 2], [1, 2], [-1, 0], [0, 5], [0, 3], [-1, 7])):
    use("MirrorPadGrad", {"input": floats(5), "paddings": ints([paddings])}, mode=mode)
NUMBER = floats()
for shape, diagonals, padding in itertools.product([(3, 4), (3,)], [[-1, 1], [], [1, 0, 1], [[1]], 0, 9, [1, -1]], [NUMBER, floats(2), floats(1)]):
    use("MatrixDiagPartV3", {"input": floats(*shape), "k": ints([diagonals]) if isinstance(diagonals, int) else ints(diagonals), "padding_value": padding})
for shape, diagonals, padding in itertools.product([(3,), ()], [[], [1, 0, 1], [[1]], [1, -1], [0]], [NUMBER, floats(2)]):
    for op_ in ("MatrixDiagV2", "MatrixDiagV3"):
        use(op_, {"diagonal": floats(*shape), "k": ints(diagonals), "num_rows": np.int32(-1), "num_cols": np.int32(-1), "padding_value": padding})
for shape, given, diagonals in itertools.product([(3, 3), (3,)], [(3,), ()], [[], [1, 0, 1], [[1]], [1, -1], [0]]):
    use("MatrixSetDiagV3", {"input": floats(*shape), "diagonal": floats(*given), "k": ints(diagonals)})
for masks, strides in (({"new_axis_mask": 1}, [0, 0]), ({"new_axis_mask": 1}, [0, 1]), ({"new_axis_mask": 2}, [0, 0]), ({"ellipsis_mask": 1}, [0, 0]),
                       ({"ellipsis_mask": 1}, [0, 1, 0]), ({"ellipsis_mask": 2}, [0, 0]), ({"ellipsis_mask": 1, "new_axis_mask": 2}, [1, 1, 0]), ({}, [1, 0])):
    use("StridedSlice", {"input": floats(2, 3), "begin": ints([0] * len(strides)), "end": ints([2] * len(strides)), "strides": ints(strides)}, **masks)
for edges in ([[[0, 0], [0, 0]]], [0, 0, 0, 0], [[0, 0]], [[0, 0], [0, 0], [0, 0]], [[0, 0], [0, 0]]):
    use("SpaceToBatch", {"input": floats(1, 4, 2, 1), "paddings": ints(edges)}, block_size=2)
    use("BatchToSpace", {"input": floats(4, 4, 2, 1), "crops": ints(edges)}, block_size=2)
for dtype_, (a, b) in itertools.product([tf.float32, tf.float64, *NARROW], [((3,), (3, 2)), ((2, 3), (3,)), ((3,), (3,)), ((2, 2, 3), (3, 2)), ((1, 2, 3), (1, 3, 2))]):
    use("MatMul", {"a": floats(*a, dtype=dtype_), "b": floats(*b, dtype=dtype_)})
for splits, shape in itertools.product([[0, 5], [0, 2, 9], [0, 2], [1, 3], [0], [], [0, 5, 2]], [[2, 2], [1, 2]]):
    if (splits, shape) != ([0, 2, 9], [2, 2]):  # TensorFlow reads a value that is not there
        use("RaggedTensorToTensor", {"shape": longs(shape), "values": floats(3), "default_value": np.float32(0), "row_partition_tensors": [longs(splits)]},
            row_partition_types=["ROW_SPLITS"])


if __name__ == "__main__":
    record_cases(__doc__, "odd_sizes", "uses of ops with sizes, ranks and numbers that they hardly expect", len(MAKERS), lambda number, draw: Case(number, MAKERS), rows_of)
