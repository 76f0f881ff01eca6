"""More uses of single ops for record_ops.py: rounded numbers, scaled images, fingerprints, sums, Bessel functions, and an optimizer."""

from drawn_ops import family
from record_functions import np, tf

raw = tf.raw_ops


def ranges(d, dtype, axis, shape):
    size = [] if axis < 0 else [shape[axis]]
    least = d.array(size, dtype, -2, 0.5)
    most = d.array(size, dtype, 0.5, 2) if d.draw.random() < 0.9 else (least - 1).astype(dtype)
    if d.draw.random() < 0.12 and axis >= 0:
        least = d.one(d.array([], dtype), d.array([shape[axis] + 1], dtype))
    return least, most


def rounded(d):
    dtype, shape, axis = d.real(), d.one([2, 3], [4], [2, 1, 3], [], [0, 2]), d.one(-1, -1, 0, 1)
    attributes = {"signed_input": d.one(True, False), "range_given": d.one(True, False), "narrow_range": d.one(True, False), "axis": axis}
    inner = axis if axis < len(shape) else -1
    steps = []
    for _ in range(3):
        least, most = ranges(d, dtype, inner, shape)
        steps.append({"input": d.array(shape, dtype, -3, 3), "input_min": least, "input_max": most})
    return attributes, steps


@family("numbers")
def rounded_by_attribute(d):
    attributes, steps = rounded(d)
    attributes |= {"num_bits": d.one(1, 2, 4, 8, 8, 16, d.sometimes(0.3, 63, 30)), "round_mode": d.one("HALF_TO_EVEN", "HALF_UP")}
    return d.one(raw.QuantizeAndDequantizeV2, raw.QuantizeAndDequantizeV4), attributes, steps


@family("numbers")
def rounded_by_input(d):
    attributes, steps = rounded(d)
    return raw.QuantizeAndDequantizeV3, attributes, [s | {"num_bits": np.array(d.one(1, 3, 8, 16, d.sometimes(0.3, d.one(0, 64, [4]), 8)), np.int32)} for s in steps]


@family("numbers")
def rounded_gradient(d):
    dtype, shape, axis, steps = d.real(), d.one([2, 3], [4], []), d.one(-1, -1, 0, 1), []
    for _ in range(3):
        least, most = ranges(d, dtype, axis if axis < len(shape) else -1, shape)
        steps.append({"gradients": d.array(d.sometimes(0.1, [5], shape), dtype), "input": d.array(shape, dtype, -3, 3), "input_min": least,
                      "input_max": d.sometimes(0.1, d.array([7], dtype), most)})
    return raw.QuantizeAndDequantizeV4Grad, {"axis": axis}, steps


@family("numbers")
def fingerprint(d):
    steps = []
    for _ in range(3):
        shape = d.one([3], [2, 2], [0, 2], [2, 0], [1, 2, 2], d.sometimes(0.3, [], [1]))
        kind = d.one("text", "text", np.float32, np.int64, np.bool_) if not steps else kind  # noqa: F821
        data = np.array(d.array(shape, np.int32, 0, 9).astype(str), object) if kind == "text" else d.array(shape, kind, 0, 5)
        steps.append({"data": data, "method": np.array(d.sometimes(0.1, "murmur", "farmhash64"), object)})
    return raw.Fingerprint, {}, steps


KERNELS = ["lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic"]


def scales(d):
    return {"scale": np.array(d.sometimes(0.08, d.one([0, 1], 1, [1, 1, 1]), [d.one(0.5, 1, 1.5, 2, 0.3), d.one(0.5, 1, 1.7, 2)]), np.float32),
            "translation": np.array(d.sometimes(0.05, [1], [d.one(0, 0, 1, -1.5), d.one(0, 0.5, -2)]), np.float32)}


@family("numbers")
def scaled(d):
    dtype, steps = d.one(np.float32, np.float64, np.int32, np.uint8), []
    for _ in range(4):
        shape = d.sometimes(0.06, d.one([2, 3, 1], [1, 0, 2, 1], [1, 2, 2, 0]), [d.one(1, 2, 0), d.one(1, 3, 4), d.one(2, 5), d.one(1, 2)])
        size = np.array(d.sometimes(0.06, d.one([2], 2, [0, 1]), [d.one(1, 2, 4), d.one(2, 3, 6)]), np.int32)
        steps.append({"images": d.array(shape, dtype, 0, 9), "size": size} | scales(d))
    return raw.ScaleAndTranslate, {"kernel_type": d.one(*KERNELS), "antialias": d.one(True, False)}, steps


@family("numbers")
def scaled_back(d):
    steps = []
    for _ in range(4):
        batch, channels = d.one(1, 2), d.one(1, 2)
        steps.append({"grads": d.array(d.sometimes(0.04, [2, 2, 1], [batch, d.one(1, 2, 4), d.one(2, 3), channels])),
                      "original_image": d.array(d.sometimes(0.04, [2, 2, 1], [batch, d.one(1, 3), d.one(2, 5), channels]))} | scales(d))
    return raw.ScaleAndTranslateGrad, {"kernel_type": d.one(*KERNELS), "antialias": d.one(True, False)}, steps


@family("numbers")
def bessel(d):
    op = d.one(*[getattr(raw, "Bessel" + n) for n in ["I0", "I1", "J0", "J1", "K0", "K0e", "K1", "K1e", "Y0", "Y1"]])
    dtype = d.real()
    return op, {}, [{"x": d.array([4], dtype, low, high)} for low, high in ((0, 1), (0.1, 4), (5, 20))]


@family("numbers")
def total(d):
    dtype, count, steps = d.one(np.float32, np.float64, np.int32), d.one(1, 2, 3), []
    for _ in range(3):
        shape = d.one([2], [], [2, 2], [0])
        steps.append({"inputs": [d.array(shape, dtype) for _ in range(count - 1)] + [d.array(d.sometimes(0.1, [3], shape), dtype)]})
    return raw.AccumulateNV2, {"shape": None}, steps


def averaged_dually(grad, lr, l1, l2, global_step, dtype, refs, name):
    kept = []
    for part, value in (("var", 1.0), ("sum", 0.5), ("squares", 0.25)):
        start = tf.constant([value, value + 1, value], dtype)
        if refs:
            made = raw.VariableV2(shape=[3], dtype=dtype, shared_name=f"{name}_{part}")
            kept.append((made, raw.Assign(ref=made, value=start).op))
        else:
            made = raw.VarHandleOp(shape=[3], dtype=dtype, shared_name=f"{name}_{part}")
            kept.append((made, raw.AssignVariableOp(resource=made, value=start)))
    handles = [k[0] for k in kept]
    with tf.control_dependencies([k[1] for k in kept]):
        op = raw.ApplyAdagradDA if refs else raw.ResourceApplyAdagradDA
        done = op(var=handles[0], gradient_accumulator=handles[1], gradient_squared_accumulator=handles[2], grad=grad, lr=lr, l1=l1, l2=l2, global_step=global_step)
    with tf.control_dependencies([done]):
        return [raw.Identity(input=h) if refs else raw.ReadVariableOp(resource=h, dtype=dtype) for h in handles]


@family("numbers")
def dual_averaging(d):
    dtype = d.real()
    number = lambda *choices: np.array(d.sometimes(0.05, [0.1], d.one(*choices)), dtype)
    steps = [{"grad": d.array(d.sometimes(0.06, [2], [3]), dtype), "lr": number(0.1, 0.5), "l1": number(0, 0, 0.1, 0.4), "l2": number(0, 0.1, 1),
              "global_step": np.array(d.sometimes(0.05, [1], d.one(0, 1, 5)), np.int64)} for _ in range(3)]
    return averaged_dually, {"dtype": dtype, "refs": d.one(True, False)}, steps


# ---- Numbers that are none ----


def odd(d, shape, dtype):
    values = d.array(shape, dtype).ravel()
    for i in range(values.size):
        if d.draw.random() < 0.3:
            values[i] = d.one(np.nan, np.nan, np.inf, -np.inf, 0.0, -0.0)
    return values.reshape(shape)


def changed_complex(values, more, name, dtype, change):
    if change.startswith("Assign"):
        place = raw.VariableV2(shape=[3], dtype=dtype, shared_name=f"{name}_variable")
        return raw.Identity(input=getattr(raw, change)(ref=raw.Assign(ref=place, value=values), value=more))
    handle = raw.VarHandleOp(shape=[3], dtype=dtype, shared_name=f"{name}_variable")
    with tf.control_dependencies([raw.AssignVariableOp(resource=handle, value=values)]):
        done = getattr(raw, change.removeprefix("Resource"))(resource=handle, value=more)
    with tf.control_dependencies([done]):
        return raw.ReadVariableOp(resource=handle, dtype=dtype)


@family("odd_numbers")
def complex_updates(d):
    change = d.one("AssignAdd", "AssignSub", "ResourceAssignAddVariableOp", "ResourceAssignSubVariableOp")
    dtype = d.one(np.complex64, np.complex128)
    number = lambda: (d.array([3]) + 1j * d.array([3])).astype(dtype)
    return changed_complex, {"dtype": dtype, "change": change}, [{"values": number(), "more": number()} for _ in range(2)]


@family("odd_numbers")
def unique(d):
    dtype = d.real()
    return d.one(raw.Unique, raw.UniqueWithCounts), {}, [{"x": odd(d, [d.one(3, 6)], dtype)} for _ in range(4)]


@family("odd_numbers")
def unique_rows(d):
    dtype = d.real()
    return d.one(raw.UniqueV2, raw.UniqueWithCountsV2), {}, [{"x": odd(d, d.one([4, 1], [3, 2], [5]), dtype), "axis": np.array([0], np.int32)} for _ in range(4)]


@family("odd_numbers")
def extremes(d):
    dtype, op = d.real(), d.one(raw.ArgMax, raw.ArgMin, raw.Max, raw.Min)
    name = "dimension" if op in (raw.ArgMax, raw.ArgMin) else "axis"
    return op, {}, [{"input": odd(d, d.one([5], [2, 4]), dtype), name: np.int32(d.one(0, -1))} for _ in range(4)]


@family("odd_numbers")
def compared(d):
    dtype, op = d.real(), d.one(raw.Maximum, raw.Minimum, raw.Equal, raw.NotEqual, raw.Less, raw.GreaterEqual, raw.FloorMod, raw.Mod, raw.FloorDiv, raw.DivNoNan, raw.MulNoNan)
    return op, {}, [{"x": odd(d, [5], dtype), "y": odd(d, [5], dtype)} for _ in range(4)]


@family("odd_numbers")
def of_one(d):
    dtype = d.real()
    op = d.one(raw.Relu, raw.Relu6, raw.Sign, raw.Round, raw.Rint, raw.Floor, raw.Softplus, raw.Softsign, raw.Elu, raw.Selu, raw.Sigmoid, raw.Tanh, raw.Sqrt, raw.Rsqrt)
    place = "features" if op in (raw.Relu, raw.Relu6, raw.Softplus, raw.Softsign, raw.Elu, raw.Selu) else "x"
    return op, {}, [{place: odd(d, [6], dtype)} for _ in range(3)]


# ---- Gradients of boxes that are cut out of images ----


def cut(d):
    count, batch, channels = d.one(0, 1, 2, 3), d.one(1, 2), d.one(1, 2)
    crops = [d.sometimes(0.04, count + 1, count), d.one(1, 2, 3), d.one(1, 2, 4), channels]
    images = [batch, d.one(1, 3, 4), d.one(2, 5), d.sometimes(0.04, 3, channels)]
    boxes = d.array(d.sometimes(0.05, [4], [count, 4]), np.float32, -0.3, 1.3)
    of = d.array([d.sometimes(0.04, count + 1, count)], np.int32, 0, batch + d.sometimes(0.05, 1, 0) - 0.01)
    return d.sometimes(0.04, [2, 2, 1], crops), d.sometimes(0.04, [2, 2], images), boxes, of


@family("numbers")
def cut_back_to_images(d):
    steps = []
    for _ in range(4):
        crops, images, boxes, of = cut(d)
        steps.append({"grads": d.array(crops), "boxes": boxes, "box_ind": of, "image_size": np.array(images, np.int32)})
    return raw.CropAndResizeGradImage, {"T": d.one(tf.float32, tf.float64), "method": d.one("bilinear", "bilinear", "nearest")}, steps


@family("numbers")
def cut_back_to_boxes(d):
    dtype, steps = d.one(np.float32, np.float64, np.uint8, np.int32), []
    for _ in range(4):
        crops, images, boxes, of = cut(d)
        steps.append({"grads": d.array(crops), "image": d.array(images, dtype, 0, 9), "boxes": boxes, "box_ind": of})
    return raw.CropAndResizeGradBoxes, {}, steps


# ---- Einsum with dimensions that are broadcast ----


@family("numbers")
def with_ellipsis(d):
    equation = d.one("...ij,...jk->...ik", "...i,...i->...", "...i,i->...i", "i...j->j...i", "i...->...", "...ii->...i", "...ij,jk->...ik", "...i,...i->i", "a...b,b...c->...ac")
    letters = {l: d.one(1, 2, 3) for l in "abcijk"}
    subscripts, steps = equation.split("->")[0].split(","), []
    for _ in range(4):
        wide = d.one([], [2], [3, 2], [1])
        shapes = []
        for s in subscripts:
            own = [d.sometimes(0.3, 1, n) for n in (wide[1:] if d.draw.random() < 0.2 else wide)]
            before, _, after = s.partition("...") if "..." in s else (s, "", "")
            shape = [letters[l] for l in before] + (own if "..." in s else []) + [letters[l] for l in after]
            shapes.append(d.sometimes(0.05, shape[1:], shape))
        steps.append({"inputs": [d.array(s, low=-1, high=1) for s in shapes]})
    return raw.Einsum, {"equation": equation}, steps
