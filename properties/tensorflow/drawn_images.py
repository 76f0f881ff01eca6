"""More uses of single ops that record_ops.py draws: slices that are assigned to, images."""

from drawn_ops import family, raw
from record_functions import np, tf


# ---- Slices that are assigned to, in variables that the same step sets ----


def sliced_variable(initial, name, **rest):
    handle = raw.VarHandleOp(dtype=tf.float32, shape=[], shared_name=name + "_variable", name=name + "_variable")
    with tf.control_dependencies([raw.AssignVariableOp(resource=handle, value=initial)]):
        change = raw.ResourceStridedSliceAssign(ref=handle, name=name, **rest)
    with tf.control_dependencies([change]):
        return raw.ReadVariableOp(resource=handle, dtype=tf.float32)


def sliced_reference(initial, name, **rest):
    place = raw.VariableV2(shape=[], dtype=tf.float32, shared_name="", container="", name=name + "_variable")
    return raw.StridedSliceAssign(ref=raw.Assign(ref=place, value=initial, validate_shape=False), name=name, **rest)


def sliced_copy(initial, name, **rest):
    return raw.TensorStridedSliceUpdate(input=initial, name=name, **rest)


@family("assigned_slices")
def assigned_slices(d):
    steps = []
    for _ in range(6):
        shape = d.one([5], [4, 3], [2, 3, 2])
        entries = d.one(*range(1, len(shape) + 1))
        begin = [d.one(0, 0, 1, -1, -2) for _ in range(entries)]
        end = [d.one(size, size, 2, -1, 1) for size in shape[:entries]]
        strides = [d.one(1, 1, 1, 2, -1, d.sometimes(0.1, 0, 1)) for _ in range(entries)]
        value = d.one([], [], [1], [shape[-1]], [2], [1, 1], [shape[0], 1], shape, [2, 3])
        whole = {"initial": d.array(shape), "begin": np.array(begin, np.int32), "end": np.array(end, np.int32), "strides": np.array(strides, np.int32)}
        if d.draw.random() < 0.05:
            whole["begin"] = d.one(whole["begin"][:0], whole["begin"].reshape(1, -1))
        steps.append({**whole, "value": d.array(value)})
    masks = {n: d.sometimes(0.3, d.one(1, 2, 3), 0) for n in ("begin_mask", "end_mask")}
    masks.update({n: d.sometimes(0.15, d.one(1, 2), 0) for n in ("ellipsis_mask", "new_axis_mask", "shrink_axis_mask")})
    return d.one(sliced_variable, sliced_reference, sliced_copy), masks, steps


# ---- Images of another size ----


def resized(d, op, dtype):
    steps = []
    for _ in range(3):
        images = d.array(d.sometimes(0.06, d.one([3, 3, 1], [1, 0, 3, 1]), [d.one(1, 2), d.one(1, 2, 4, 5), d.one(1, 3, 4, 7), d.one(1, 2, 3)]), dtype, 0, 9)
        size = [d.one(1, 2, 3, 6, 9), d.one(1, 2, 4, 8)]
        steps.append({"images": images, "size": np.array(d.sometimes(0.06, d.one([0, 2], [2], [[2, 2]]), size), np.int32)})
    return op, steps


def scaled(d):
    return d.one({"align_corners": True}, {}, {"half_pixel_centers": True})


@family("resampled")
def bicubic(d):
    op, steps = resized(d, raw.ResizeBicubic, d.one(np.float32, np.float32, np.float64, np.int32, np.uint8))
    return op, scaled(d), steps


@family("resampled")
def area(d):
    op, steps = resized(d, raw.ResizeArea, d.one(np.float32, np.float32, np.float64, np.int32, np.uint8))
    return op, {"align_corners": d.one(True, False)}, steps


@family("resampled")
def resized_back(d):
    steps, dtype = [], d.real()
    for _ in range(3):
        batch, channels = d.one(1, 2), d.one(1, 2)
        gradient = d.array(d.sometimes(0.08, [3, 3, 1], [batch, d.one(1, 3, 6), d.one(1, 2, 5), channels]))
        steps.append({"grads": gradient, "original_image": d.array(d.sometimes(0.08, [3, 3], [batch, d.one(1, 3, 4), d.one(2, 5), channels]), dtype)})
    return d.one(raw.ResizeBicubicGrad, raw.ResizeBilinearGrad), scaled(d), steps


@family("resampled")
def nearest_back(d):
    steps, dtype = [], d.one(np.float32, np.float64, np.int32)
    for _ in range(3):
        shape = d.sometimes(0.08, [3, 3, 1], [d.one(1, 2), d.one(1, 3, 6), d.one(1, 2, 5), d.one(1, 2)])
        steps.append({"grads": d.array(shape, dtype, -9, 9), "size": np.array(d.sometimes(0.1, d.one([0, 2], [2]), [d.one(1, 2, 4), d.one(1, 3, 7)]), np.int32)})
    return raw.ResizeNearestNeighborGrad, scaled(d), steps


@family("resampled")
def warped(d):
    dtype, steps = d.one(np.float32, np.float32, np.float64, np.int32, np.uint8), []
    for _ in range(4):
        batch = d.one(1, 2)
        by = d.array([d.one(1, batch), 8], low=-1.5, high=1.5)
        by[:, 6:] *= d.one(0, 0, 0.2)
        by[:, [0, 4]] = d.one(1, by[:, [0, 4]], -1)
        step = {"images": d.array(d.sometimes(0.05, [3, 3, 1], [batch, d.one(1, 3, 4), d.one(1, 2, 5), d.one(1, 2)]), dtype, 0, 9), "transforms": by}
        if d.draw.random() < 0.06:
            step["transforms"] = d.array(d.one([3, 8], [1, 7], [8]))
        step["output_shape"] = np.array(d.sometimes(0.08, d.one([0, 2], [2], [[2, 2]]), [d.one(1, 3, 5), d.one(2, 4)]), np.int32)
        steps.append({**step, "fill_value": d.sometimes(0.05, np.float32([1]), np.float32(d.one(0, 3)))})
    attributes = {"interpolation": d.one("NEAREST", "BILINEAR"), "fill_mode": d.one("REFLECT", "WRAP", "CONSTANT", "NEAREST")}
    if attributes["fill_mode"] != "NEAREST" and d.draw.random() < 0.3:
        return raw.ImageProjectiveTransformV2, attributes, [{n: v for n, v in s.items() if n != "fill_value"} for s in steps]
    return raw.ImageProjectiveTransformV3, attributes, steps


@family("resampled")
def glimpses(d):
    steps = []
    for _ in range(4):
        batch = 1  # what comes behind a glimpse that lies outside is not set
        images = d.array(d.sometimes(0.05, [3, 3, 1], [batch, d.one(3, 4), d.one(2, 5), d.one(1, 2)]))
        offsets = d.array(d.sometimes(0.1, d.one([batch], [batch + 1, 2], [batch, 3]), [batch, 2]), low=-3, high=3)
        steps.append({"input": images, "size": np.array(d.sometimes(0.05, [2], [d.one(1, 2, 4), d.one(1, 3, 6)]), np.int32), "offsets": offsets})
    return d.one(raw.ExtractGlimpse, raw.ExtractGlimpseV2), {"noise": "zero", "uniform_noise": False, "normalized": d.one(True, False), "centered": d.one(True, False)}, steps


# ---- Dilation ----


def windows_fitting(size, filter_size, rate, stride, padding):
    reach = (filter_size - 1) * rate + 1
    return -(-size // stride) if padding == "SAME" else (size - reach) // stride + 1


@family("resampled")
def dilated(d):
    dtype, steps, padding = d.one(np.float32, np.float32, np.float64, np.int32), [], d.one("SAME", "VALID")
    stride, rate, is_back = d.one(1, 2), d.one(1, 1, 2), d.one(True, True, False)
    for _ in range(3):
        height, width, channels, tall, wide = d.one(4, 5), d.one(3, 6), d.one(1, 2), d.one(1, 2), d.one(1, 2)
        images = d.array([d.one(1, 2), height, width, channels], dtype, -5, 5)
        step = {"input": images, "filter": d.array(d.sometimes(0.1, [2, 2], [tall, wide, d.sometimes(0.05, 3, channels)]), dtype, -3, 3)}
        if is_back:
            fits = [windows_fitting(height, tall, rate, stride, padding), windows_fitting(width, wide, rate, stride, padding)]
            step["out_backprop"] = d.array(d.sometimes(0.1, [1, 1, 1, channels], [images.shape[0], *fits, channels]), dtype, -5, 5)
        steps.append(step)
    op = d.one(raw.Dilation2DBackpropInput, raw.Dilation2DBackpropFilter) if is_back else raw.Dilation2D
    return op, {"strides": [1, stride, stride, 1], "rates": [1, rate, rate, 1], "padding": padding}, steps
