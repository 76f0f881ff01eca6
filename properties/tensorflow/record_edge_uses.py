#!/usr/bin/env python3
"""Uses of ops at the edges of what TensorFlow 2.15.1 takes: odd ranks, empty tensors, numbers out of range.

    python record_edge_uses.py FOLDER

Writes FOLDER/edge_uses.pb and .json, as record_functions.py does. Each case is one op whose inputs are fed, so that no
client knows their shapes; one that changes variables sets them before and reads them after it.
"""

import itertools

import record_functions as recorder
from record_cases import record_cases
from record_functions import np, tf, v1
from record_refused_uses import plain

R = tf.raw_ops
HALF, BRAIN = np.float16, tf.bfloat16.as_numpy_dtype
CASES = []


def floats(*shape, dtype=np.float32):
    count = int(np.prod(shape))
    return np.array(np.round(np.sin(np.arange(count) * 1.7) * 2, 2), np.float32).reshape(shape).astype(dtype)


def positive(*shape):
    return np.array(np.abs(floats(*shape)) + 1, np.float32)


def ints(*values):
    return np.array(values[0] if len(values) == 1 and isinstance(values[0], list) else values, np.int32)


class Case:
    def __init__(self, number):
        self.name, self.make, self.feeds, self.steps = f"c{number}", CASES[number], {}, []

    def place(self, value):
        value = np.asarray(value)
        place = v1.placeholder(tf.string if value.dtype == object else tf.as_dtype(value.dtype), name=f"{self.name}_p{len(self.feeds)}")
        self.feeds[place.name] = value
        return place

    def build(self):
        with tf.name_scope(self.name):
            self.make(self)

    def fetch(self, tensors, targets=()):
        plain_type = {tf.float16: tf.float32, tf.bfloat16: tf.float32}
        fetched = [tf.cast(t, plain_type[t.dtype]) if t.dtype in plain_type else tf.identity(t) for t in tensors]
        self.steps.append((self.feeds, [t.name for t in fetched], [t.name for t in targets]))
        self.feeds = {}

    def use(self, op, inputs, attributes):
        given = {n: [self.place(x) for x in v] if isinstance(v, list) else self.place(v) for n, v in inputs.items()}
        return getattr(R, op)(**given, **attributes)

    def variables(self, values, is_resource):
        """Sets them in a step; gives each with an op that reads it."""
        made, set_ops, reads = {}, [], []
        for name, value in values.items():
            of_type = tf.as_dtype(value.dtype)
            if is_resource:
                made[name] = R.VarHandleOp(dtype=of_type, shape=None, shared_name=f"{self.name}_{name}")
                set_ops.append(R.AssignVariableOp(resource=made[name], value=tf.constant(value)))
                reads.append(R.ReadVariableOp(resource=made[name], dtype=of_type))
            else:
                made[name] = R.VariableV2(shape=value.shape, dtype=of_type, shared_name=f"{self.name}_{name}")
                set_ops.append(R.Assign(ref=made[name], value=tf.constant(value)).op)
                reads.append(tf.identity(made[name]))
        self.fetch([], set_ops)
        return made, reads


def use(op, inputs, **attributes):
    def make(case):
        outs = case.use(op, inputs, attributes)
        outs = tf.nest.flatten(list(outs) if isinstance(outs, tuple) else outs)
        case.fetch([o for o in outs if isinstance(o, tf.Tensor)])
    CASES.append(make)


def change(op, values, inputs, **attributes):
    """`values` are the variables that the op changes, by the names of its inputs."""
    def make(case):
        variables, reads = case.variables(values, "Resource" in op)
        done = case.use(op, inputs, {**variables, **attributes})
        case.fetch([], [done if isinstance(done, tf.Operation) else done.op])
        case.fetch(reads)
    CASES.append(make)


# ---- Updates by coordinates, and by rows ----

FOUR_ROWS = np.arange(8, dtype=np.float32).reshape(4, 2)
for op_, rows, to in itertools.product(["Update", "Add", "Max"], [(0, 2), (3, 2, 1), (3, 9), (9, 1), (-1, 0)], ["", "Resource"]):
    change(f"{to}ScatterNd{op_}", {"ref": FOUR_ROWS}, {"indices": ints(*rows), "updates": floats(len(rows), 2)})
for indices, updates in ((ints(1, 2), floats(2)), (ints([[[1], [2]]]), floats(1, 2, 2)), (np.zeros((2, 0), np.int32), floats(2, 4, 2))):
    change("ScatterNdUpdate", {"ref": FOUR_ROWS}, {"indices": indices, "updates": updates})
for indices, updates, shape in (
        ([1], (2,), (4, 2)), ([1], (1,), (4, 1)), ([0], (3,), (4, 3)), ([2], (1,), (4,)), ([2, 1], (2,), (4,)), ([[0], [1]], (2, 3), (0, 3)),
        (np.zeros((0, 0)), (0,), ()), (np.zeros((1, 7)), (1,), [1] * 7), (np.zeros((1, 8)), (1,), [1] * 8), (np.zeros((0, 1)), (0, 3), (0, 3))):
    use("ScatterNd", {"indices": np.array(indices, np.int32), "updates": floats(*updates), "shape": np.array(shape, np.int32)})
for op_, (variable, rows, updates) in itertools.product(["Update", "Add", "Div"], (
        ((3, 2), [[0], [1]], (2, 2)), ((3, 2), [0, 2], (3, 2)), ((3, 2), [0, 2], (1, 2, 2)), ((3, 2), [], (2, 2)), ((), [0, 2], (2, 2)), ((), [0, 0], ()),
        ((4, 2), [0, 1], (2, 4)), ((2, 2, 2), [0], (1, 1, 4)), ((4, 2), [0, 9], (2, 4)), ((4, 2), [0, 9], (3, 4)), ((2, 2), 1, (2,)))):
    value = np.arange(1, 1 + int(np.prod(variable)), dtype=np.float32).reshape(variable)
    change(f"ResourceScatter{op_}", {"resource": value}, {"indices": np.array(rows, np.int32), "updates": positive(*updates)})
for variable, rows, updates in (((3, 3), [0, 2], (2, 2)), ((4, 2), [0, 2], (2, 1)), ((4, 2), 1, (1,))):  # others would read beside the updates
    value = np.arange(1, 1 + int(np.prod(variable)), dtype=np.float32).reshape(variable)
    change("ResourceScatterUpdate", {"resource": value}, {"indices": np.array(rows, np.int32), "updates": floats(*updates)})
for rows, updates in (([[0], [2]], (2, 2)), ([0, 2], (3, 2)), ([], (0, 2)), ([], ()), ([], (3, 2)), ([0, 9], (2, 2))):
    change("ResourceScatterDiv", {"resource": FOUR_ROWS + 1}, {"indices": np.array(rows, np.int32), "updates": np.zeros(updates, np.float32)})


def random_shuffles(shapes):
    def make(case):
        value = case.place(np.float32(0))
        case.feeds.clear()
        out = R.RandomShuffle(value=value, seed=3, seed2=5)
        for shape in shapes:
            case.feeds[value.name] = floats(*shape)
            case.fetch([out])
    CASES.append(make)


for shape in ((4, 0), (0, 4), (1, 0), (1, 4), (1, 1), (2, 1), (0,), ()):
    random_shuffles([shape, (5,), shape, (6,)])


# ---- Windows ----


def convolve(op, image, kernel, dtype, strides=None, padding="SAME", **attributes):
    use(op, {"input": floats(*image, dtype=dtype), "filter": floats(*kernel, dtype=dtype)}, strides=strides or [1] * (5 if op == "Conv3D" else 4), padding=padding,
        **attributes)


IMAGES, DEPTHS, VOLUMES = "Conv2D", "DepthwiseConv2dNative", "Conv3D"
BY_TWO, EXPLICIT = [1, 2, 2, 1], {"padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 1, 1, 1, 0, 0]}
for dtype in (np.float32, BRAIN, np.float64):
    for image in ((0, 5, 5, 2), (1, 0, 5, 2), (1, 5, 5, 0), (0, 5, 5, 3), (0, 1, 5, 2)):
        for op_, padding in itertools.product((IMAGES, DEPTHS), ("SAME", "VALID")):
            convolve(op_, image, (3, 3, 2, 4), dtype, BY_TWO, padding)
    convolve(IMAGES, (0, 5, 5, 2), (3, 3, 2, 4), dtype, BY_TWO, **EXPLICIT)
    for image, kernel in (((0, 3, 3, 3, 1), (2, 2, 2, 1, 2)), ((1, 0, 3, 3, 1), (2, 2, 2, 1, 2)), ((1, 3, 3, 3, 0), (2, 2, 2, 1, 2)), ((1, 3, 3, 3, 3), (2, 2, 2, 2, 2)),
                          ((0, 3, 3, 3, 4), (2, 2, 2, 2, 3)), ((1, 3, 3, 3, 4), (2, 2, 2, 2, 2)), ((1, 3, 3, 3, 2), (2, 2, 1, 2, 0)), ((1, 3, 3, 3, 2), (2, 2, 1, 0, 2))):
        convolve(VOLUMES, image, kernel, dtype)
    for op_, image, kernel in itertools.product((IMAGES, DEPTHS), ((2, 2, 2, 2),), ((0, 2, 2, 2), (2, 2, 0, 2), (2, 2, 2, 0), (2, 2, 2), (2, 2, 2, 2, 2))):
        convolve(op_, image, kernel, dtype)
    for image in ((1, 3, 3, 4), (1, 3, 3, 3), (1, 3, 3, 1)):
        convolve(DEPTHS, image, (2, 2, 2, 3), dtype)
    for op_ in (IMAGES, DEPTHS):
        convolve(op_, (0, 3, 3, 6), (2, 1, 2, 4), dtype)
        for image in ((2, 1, 3, 3, 2), (2, 3, 4, 5, 2), (2, 2, 2, 2, 2, 2)):
            convolve(op_, image, (2, 2, 2, 2), dtype, BY_TWO)
    for image in ((1, 3, 3, 1), (2, 2, 2, 2, 2, 2)):
        convolve(VOLUMES, image, (2, 2, 1, image[-1], 2), dtype, padding="VALID")
    convolve(VOLUMES, (1, 3, 3, 3, 2), (2, 2, 2, 2), dtype)
    for strides, dilations in (([2, 1, 1, 1, 1], [1] * 5), ([1, 1, 1, 1, 2], [1] * 5), ([1] * 5, [1, 1, 1, 1, 2]), ([1] * 5, [1, 2, 1, 1, 1])):
        convolve(VOLUMES, (1, 3, 3, 3, 1), (2, 2, 2, 1, 2), dtype, strides, "VALID", dilations=dilations)
for dtype in (np.float64, HALF):
    convolve(DEPTHS, (1, 3, 3), (2, 2, 2), dtype)
    convolve(VOLUMES, (1, 3, 3, 3), (2, 2, 2, 2), dtype)
    convolve(IMAGES, (2, 2, 2), (2, 2, 2, 2), dtype)

POOLS = ([2, 2, 2, 1], BY_TWO), (BY_TWO, [2, 2, 2, 1]), ([1, 1, 1, 2], [1, 1, 1, 1]), ([1, 1, 1, 2], [1, 1, 1, 2]), (BY_TWO, [1, 2, 2, 2]), ([1, 2, 2, 2], BY_TWO), \
    ([1, 0, 2, 1], BY_TWO), ([2, 0, 2, 1], BY_TWO), ([1, 1, 1, 3], [1, 1, 1, 3]), ([1, 1, 1, 3], [1, 1, 1, 1]), ([1, 1, 1, 4], [1, 2, 2, 4])
for dtype, (op_, name_) in itertools.product((np.float32, BRAIN, np.float64), (("AvgPool", "value"), ("MaxPool", "input"))):
    for size, strides in POOLS:
        use(op_, {name_: floats(1, 4, 4, 4, dtype=dtype)}, ksize=size, strides=strides, padding="SAME")
    for image in ((1, 1, 5, 5), (0, 4, 4, 2), (1, 4, 4, 0), (4, 4, 4)):
        use(op_, {name_: floats(*image, dtype=dtype)}, ksize=BY_TWO, strides=[1, 1, 2, 1], padding="VALID")
    use(op_, {name_: floats(4, 4, 4, dtype=dtype)}, ksize=[1, 2, 2, 2], strides=BY_TWO, padding="SAME")
for op_, (size, strides) in itertools.product(("AvgPool3D", "MaxPool3D"), (
        ([2, 2, 2, 2, 1], [1] * 5), ([1, 2, 2, 2, 1], [2, 1, 1, 1, 1]), ([1, 2, 2, 2, 2], [1] * 5), ([1, 2, 2, 2, 1], [1, 1, 1, 1, 2]), ([1, 2, 2, 2, 0], [1] * 5),
        ([1, 0, 2, 2, 1], [1] * 5), ([1, 1, 1, 1, 2], [1, 1, 1, 1, 2]), ([0, 1, 1, 1, 1], [1] * 5), ([2, 1, 2, 2, 2], [1] * 5))):
    use(op_, {"input": floats(1, 4, 4, 4, 2)}, ksize=size, strides=strides, padding="VALID")
for dtype, (size, strides) in itertools.product((np.float32, np.float64), (
        ([2, 2, 2, 1], BY_TWO), ([1, 2, 2, 2], BY_TWO), (BY_TWO, [1, 2, 2, 2]), (BY_TWO, [2, 2, 2, 1]), (BY_TWO, [1, 0, 2, 1]))):
    grad = floats(1, 2, 2, 1, dtype=dtype)
    use("MaxPoolGrad", {"orig_input": floats(1, 4, 4, 1, dtype=dtype), "orig_output": grad, "grad": grad}, ksize=size, strides=strides, padding="VALID")
    use("AvgPoolGrad", {"orig_input_shape": ints(1, 4, 4, 1), "grad": grad}, ksize=size, strides=strides, padding="VALID")
for sizes, grad in (([1, 4, 4], (1, 2, 2, 1)), ([1, 4, 4, 1, 1], (1, 2, 2, 1)), ([1, -4, 4, 1], (1, 2, 2, 1)), ([[1, 4, 4, 1]], (1, 2, 2, 1)), ([1, 4, 4, 1], (1, 2, 2))):
    use("AvgPoolGrad", {"orig_input_shape": np.array(sizes, np.int32), "grad": floats(*grad, dtype=np.float64)}, ksize=BY_TWO, strides=BY_TWO, padding="VALID")
use("AvgPoolGrad", {"orig_input_shape": ints(1, 4, 4, 1, 1), "grad": floats(1, 2, 2, 1)}, ksize=BY_TWO, strides=BY_TWO, padding="VALID")
for size, strides in (([2, 2, 2, 2, 1], [1] * 5), ([1, 2, 2, 2, 2], [1] * 5), ([1, 2, 2, 2, 1], [1, 2, 2, 2, 2]), ([1, 0, 2, 2, 1], [1] * 5)):
    grad = floats(1, 2, 2, 2, 1)
    use("MaxPool3DGrad", {"orig_input": floats(1, 4, 4, 4, 1), "orig_output": grad, "grad": grad}, ksize=size, strides=strides, padding="VALID")
    use("AvgPool3DGrad", {"orig_input_shape": ints(1, 4, 4, 4, 1), "grad": grad}, ksize=size, strides=strides, padding="VALID")
for sizes, strides, rates in ((BY_TWO, BY_TWO, [1, 1, 1, 2]), (BY_TWO, [1, 2, 2, 2], [1] * 4), ([2, 2, 2, 1], BY_TWO, [1] * 4), (BY_TWO, BY_TWO, [1, 0, 1, 1]),
                              ([1, 0, 2, 1], BY_TWO, [1] * 4), (BY_TWO, [1, 0, 2, 1], [1] * 4), ([2, 0, 2, 1], [2, 0, 2, 1], [2, 0, 1, 1])):
    use("ExtractImagePatches", {"images": floats(1, 5, 5, 1)}, ksizes=sizes, strides=strides, rates=rates, padding="SAME")
for strides, rates in (([1, 1, 1, 2], [1] * 4), ([2, 1, 1, 1], [1] * 4), ([1] * 4, [1, 1, 1, 2]), ([1, 0, 1, 1], [1] * 4), ([1] * 4, [1, 0, 1, 1])):
    use("Dilation2D", {"input": floats(1, 4, 4, 1), "filter": floats(2, 2, 1)}, strides=strides, rates=rates, padding="SAME")

for op_, image, other in (("ResizeBilinear", "images", {"size": ints(5, 2)}), ("ResizeNearestNeighbor", "images", {"size": ints(5, 2)}),
                          ("ResizeBicubic", "images", {"size": ints(5, 2)}), ("ResizeBilinearGrad", "grads", {"original_image": floats(1, 3, 4, 2)}),
                          ("ResizeBicubicGrad", "grads", {"original_image": floats(1, 3, 4, 2)}), ("ResizeNearestNeighborGrad", "grads", {"size": ints(3, 4)})):
    for shape in ((1, 3, 4, 2), (2, 3)):
        use(op_, {image: floats(*shape), **other}, align_corners=True, half_pixel_centers=True)


# ---- Optimizers: two faults at a time ----

NUMBERS = {"lr": .1, "alpha": .1, "rho": .9, "momentum": .5, "epsilon": .01, "beta1_power": .9, "beta2_power": .99, "beta1": .9, "beta2": .99, "logbase": 1.,
           "sign_decay": .9, "beta": .9, "l1": .1, "l2": .1, "l2_shrinkage": .1, "lr_power": -.5}
DENSE = {"GradientDescent": ("", "alpha delta"), "ProximalGradientDescent": ("", "alpha l1 l2 delta"), "Adagrad": ("accum", "lr grad"),
         "AdagradV2": ("accum", "lr epsilon grad"), "Momentum": ("accum", "lr grad momentum"), "KerasMomentum": ("accum", "lr grad momentum"),
         "RMSProp": ("ms mom", "lr rho momentum epsilon grad"), "CenteredRMSProp": ("mg ms mom", "lr rho momentum epsilon grad"),
         "AddSign": ("m", "lr alpha sign_decay beta grad"), "PowerSign": ("m", "lr logbase sign_decay beta grad"),
         "Adadelta": ("accum accum_update", "lr rho epsilon grad"), "Adam": ("m v", "beta1_power beta2_power lr beta1 beta2 epsilon grad"),
         "AdaMax": ("m v", "beta1_power lr beta1 beta2 epsilon grad"), "Ftrl": ("accum linear", "grad lr l1 l2 lr_power"),
         "FtrlV2": ("accum linear", "grad lr l1 l2 l2_shrinkage lr_power"), "ProximalAdagrad": ("accum", "lr l1 l2 grad"),
         "AdagradDA": ("gradient_accumulator gradient_squared_accumulator", "grad lr l1 l2 global_step")}
BY_ROWS = [n for n in DENSE if n not in ("GradientDescent", "AddSign", "PowerSign", "Adam", "AdaMax")]
SMALL = np.arange(6, dtype=np.float32).reshape(3, 2) / 4


def given_to(name, is_sparse, bad):
    if name in ("grad", "delta"):
        return np.ones(1, np.float32) if bad else SMALL[:2] if is_sparse else SMALL
    if name == "indices":
        return ints([[0, 2]]) if bad else ints(0, 2)
    value = np.int64(1) if name == "global_step" else np.float32(NUMBERS[name])
    return value.reshape(1) if bad else value


def optimize(name, is_sparse, faults, **instead):
    slots, inputs = (words.split() for words in DENSE[name])
    if is_sparse:
        inputs = [n for m in inputs for n in (["grad", "indices"] if m in ("grad", "delta") else [m])]
    values = {"var": SMALL, **{s: np.ones(1, np.float32) if s in faults else SMALL / 4 if s == "mg" else SMALL + 1 for s in slots}}
    change("Resource" + ("Sparse" if is_sparse else "") + "Apply" + name, {n: instead.get(n, v) for n, v in values.items()},
           {n: instead.get(n, given_to(n, is_sparse, n in faults)) for n in inputs})


def faults_of(name, is_sparse):
    slots, inputs = (words.split() for words in DENSE[name])
    first = slots + [n for n in inputs if n not in ("grad", "delta")]
    return itertools.combinations(first[:2] + slots + first[-2:] + (["indices"] if is_sparse else ["delta" if "delta" in inputs else "grad"]), 2)


for name, is_sparse in [(n, False) for n in DENSE] + [(n, True) for n in BY_ROWS]:
    for faults in sorted(set(tuple(sorted(set(f))) for f in faults_of(name, is_sparse))):
        if faults != ("accum_update",):  # compared with nothing, and read behind its end
            optimize(name, is_sparse, faults)
for name in BY_ROWS:
    optimize(name, True, (), grad=np.arange(8, dtype=np.float32).reshape(2, 2, 2) / 8)
    optimize(name, True, (), grad=np.arange(8, dtype=np.float32).reshape(2, 2, 2) / 8, indices=ints(1, 9))
    optimize(name, True, (), grad=np.arange(6, dtype=np.float32).reshape(2, 3))
optimize("Adadelta", False, (), accum_update=np.arange(6, dtype=np.float32))


# ---- Others ----


def normalised_back(op, changed, dtype=np.float32, is_training=True):
    vectors = {"scale": floats(3), "reserve_space_1": floats(3), "reserve_space_2": positive(3)}
    given = {"y_backprop": floats(2, 2, 2, 3, dtype=dtype), "x": floats(2, 2, 2, 3, dtype=dtype), **vectors}
    use(op, {**given, **({"reserve_space_3": floats(3)} if op.endswith("V3") else {}), **changed}, is_training=is_training)


for op_, is_training in itertools.product(("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"), (True, False)):
    for changed in ({}, {"scale": floats(0)}, {"reserve_space_1": floats(2), "reserve_space_2": floats(2)}, {"reserve_space_2": floats(2)},
                    {"x": floats(1, 2, 2, 3), "scale": floats(2)}, {"x": floats(0, 2, 2, 3), "y_backprop": floats(0, 2, 2, 3)}):
        normalised_back(op_, changed, is_training=is_training)
for op_ in ("FusedBatchNormGradV2", "FusedBatchNormGradV3"):
    normalised_back(op_, {"x": floats(0, 2, 2, 3, dtype=HALF), "y_backprop": floats(0, 2, 2, 3, dtype=HALF)}, HALF)



def ctc_loss(labels, times=5, **attributes):
    use("CTCLoss", {"inputs": np.sin(np.arange(times * 4, dtype=np.float32)).reshape(times, 1, 4), "labels_values": np.array(labels, np.int32),
                    "labels_indices": np.array([[0, j] for j in range(len(labels))], np.int64), "sequence_length": ints([times])}, **attributes)


for labels in ([3], [7], [3, 3], [3, 1], [0, 3], [0, 1], [-1], [0]):
    ctc_loss(labels)
for times, labels in ((2, [3]), (2, [3, 3, 3]), (3, [4]), (1, [0])):
    ctc_loss(labels, times)
ctc_loss([3], ctc_merge_repeated=False)
ctc_loss([3, 3], preprocess_collapse_repeated=True)
for rank in (1, 2, 3, 4):
    for zero, masks in itertools.product(range(rank), ({}, {"new_axis_mask": 1}, {"new_axis_mask": 2}, {"ellipsis_mask": 1}, {"ellipsis_mask": 2}, {"new_axis_mask": 3},
                                                       {"shrink_axis_mask": 1}, {"new_axis_mask": 1, "ellipsis_mask": 2})):
        steps = [0 if d == zero else 1 for d in range(rank)]
        if rank < 4 or masks:
            use("StridedSlice", {"input": floats(2, 3, 4), "begin": ints([0] * rank), "end": ints([1] * rank), "strides": ints(steps)}, **masks)


use("Bitcast", {"input": floats(3)}, type=tf.complex128)
use("Bitcast", {"input": np.ones(3, np.uint8)}, type=tf.float32)
use("ConcatOffset", {"concat_dim": np.int32(5), "shape": [ints(2, 3), ints([[1, 2]])]})
use("ConcatOffset", {"concat_dim": np.int32(5), "shape": [ints(2, 3), ints(2, 3)]})
use("ConcatOffset", {"concat_dim": np.int32(5), "shape": [ints(2, 3), ints(2, 3, 4)]})
use("BroadcastTo", {"input": floats(1, 1, 3), "shape": ints(2, -1)})
use("Bincount", {"arr": ints(1, -1), "size": np.int32(4), "weights": floats(3)})
use("Bincount", {"arr": ints(1, 1), "size": np.int32(4), "weights": floats(3)})
for mode, pads in itertools.product(("REFLECT", "SYMMETRIC"), ([[3, 2], [2, 0]], [[2, 2], [0, 0]], [[0, 3], [0, 0]], [[6, 0], [0, 0]], [[1, 1], [3, 3]])):
    use("MirrorPadGrad", {"input": floats(5, 5), "paddings": ints(pads)}, mode=mode)
for op_, k, padding, shape in itertools.product(("MatrixDiagPartV2", "MatrixDiagPartV3"), ([], [-1, 1], [0, 1, 2]), (floats(2), np.float32(0)), ((3, 4), (3,))):
    use(op_, {"input": floats(*shape), "k": np.array(k, np.int32), "padding_value": padding})
use("MatrixDiagV3", {"diagonal": floats(3), "k": ints([]), "num_rows": np.int32(-1), "num_cols": np.int32(-1), "padding_value": floats(2)})
use("MatrixSetDiagV3", {"input": floats(3, 3), "diagonal": floats(3), "k": ints([])})
for dtype, (a, b) in itertools.product((np.float32, BRAIN, np.float64, HALF), (((3,), (3, 2)), ((3, 2), (2,)), ((3,), (3,)), ((2, 2, 2), (2, 2)))):
    use("MatMul", {"a": floats(*a, dtype=dtype), "b": floats(*b, dtype=dtype)})
for dtype, shape in itertools.product((np.float32, BRAIN, np.float64, HALF), ((), (1, 1, 1, 1, 1, 1))):
    if shape or dtype in (np.float64, HALF):  # of a float scalar the refusal depends on more than the op
        use("Softmax", {"logits": floats(*shape, dtype=dtype)})
for dtype in (np.float32, np.float64):
    for logits in ([[.5, 1e30, 2], [100, -100, 1e10], [1, 200, 0]], [[1e30, 1e30, 0], [-1e30, 0, 1e30], [3e38, -3e38, 0]], [[1e5, 0, 0], [0, 1e5, 0], [88, 0, -88]]):
        use("SparseSoftmaxCrossEntropyWithLogits", {"features": np.array(logits, dtype), "labels": ints(0, 1, 2)})


def rows_of(session, case):
    for feeds, fetches, targets in case.steps:
        row = recorder.run(session, feeds, fetches, targets)
        row.pop("lowered", None)
        row.pop("placed", None)
        row = {"feeds": {n: recorder.tensor_json(v) for n, v in feeds.items()}, "fetches": fetches, "targets": targets, **row}
        for tensor in list(row["feeds"].values()) + row.get("results", []):
            if tensor["dtype"] == "object":
                tensor["dtype"] = "string"
            tensor["value"] = plain(tensor["value"])
        yield row


if __name__ == "__main__":
    record_cases(__doc__, "edge_uses", "uses of ops at the edges of what they take", len(CASES), lambda number, draw: Case(number), rows_of, False)
