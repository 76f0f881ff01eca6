"""Uses of single ops that record_ops.py draws: for each the op, its attributes, and for each step the inputs."""

from record_functions import np, tf

raw = tf.raw_ops
FAMILIES = {}


def family(name):
    def add(use):
        FAMILIES.setdefault(name, []).append(use)
        return use
    return add


class Drawn:
    """What one case draws from."""

    def __init__(self, draw):
        self.draw = draw
        self.numbers = np.random.RandomState(draw.randrange(2**31))

    def one(self, *choices):
        return self.draw.choice(choices)

    def array(self, shape, dtype=np.float32, low=-2.0, high=2.0):
        return np.round(self.numbers.uniform(low, high, shape), 2).astype(dtype)

    def sometimes(self, chance, odd, plain):
        return odd if self.draw.random() < chance else plain

    def real(self):
        return self.one(np.float32, np.float32, np.float64)


# ---- Factors of matrices ----


def matrices(d, dtype, square):
    def one():
        batch = d.one([], [], [2], [2, 1], [0])
        rows = d.one(1, 2, 3, 4, 5, 7)
        columns = rows if square and d.draw.random() < 0.85 else d.one(1, 2, 3, 4, 6)
        return d.sometimes(0.08, d.array([3], dtype), d.array(batch + [rows, columns], dtype))
    return [one() for _ in range(4)]


def singular_values(**rest):
    return raw.Svd(**rest)[0]


def eigenvalues(**rest):
    return raw.SelfAdjointEigV2(**rest)[0]


@family("factors")
def svd(d):
    attributes = {"compute_uv": d.sometimes(0.3, False, True), "full_matrices": d.one(True, False)}
    return (raw.Svd if attributes["compute_uv"] else singular_values), attributes, [{"input": m} for m in matrices(d, d.real(), False)]


@family("factors")
def qr(d):
    return raw.Qr, {"full_matrices": d.one(True, False)}, [{"input": m} for m in matrices(d, d.real(), False)]


@family("factors")
def lu(d):
    dtype = d.real()
    steps = matrices(d, dtype, True) + [np.array([[1, 2], [2, 4]], dtype), np.zeros([2, 0, 0], dtype)]
    return raw.Lu, {"output_idx_type": d.one(tf.int32, tf.int64)}, [{"input": m} for m in steps]


@family("factors")
def eigen(d):
    dtype = d.real()
    steps = [m + np.swapaxes(m, -1, -2) if m.ndim > 1 and m.shape[-1] == m.shape[-2] and d.draw.random() < 0.7 else m
             for m in matrices(d, dtype, True)]
    has_vectors = d.sometimes(0.3, False, True)
    return raw.SelfAdjointEigV2 if has_vectors else eigenvalues, {"compute_v": has_vectors}, [{"input": m} for m in steps]


@family("factors")
def least_squares(d):
    dtype, steps = d.real(), []
    for m in matrices(d, dtype, False):
        rhs = list(m.shape[:-1]) + [d.one(1, 2, 3)]
        if d.draw.random() < 0.15:
            rhs = d.one(rhs[1:], [5] + rhs[1:], rhs[:-2] + [rhs[-2] + 1, 2] if len(rhs) > 1 else rhs)
        steps.append({"matrix": m, "rhs": d.array(rhs, dtype), "l2_regularizer": np.float64(d.one(0.0, 0.0, 0.5, 0.1, -1.0))})
    return raw.MatrixSolveLs, {"fast": d.one(True, False)}, steps


@family("factors")
def tridiagonal(d):
    dtype, steps = d.real(), []
    for _ in range(5):
        size, batch = d.one(1, 2, 3, 5, 0), d.one([], [2])
        diagonals = d.array(batch + [d.sometimes(0.1, 2, 3), size], dtype)
        if d.draw.random() < 0.15:
            diagonals[...] = d.one(0, 1)
        elif size > 0 and d.draw.random() < 0.3:
            diagonals[..., -2, 0] = 0  # rows change places
        rhs = d.sometimes(0.15, d.one([3], [2, size + 1, 1], batch + [size + 1, 2]), batch + [size, d.one(1, 2)])
        steps.append({"diagonals": diagonals, "rhs": d.array(rhs, dtype)})
    pivots = d.one(True, True, False)
    return raw.TridiagonalSolve, {"partial_pivoting": pivots, "perturb_singular": False}, steps


@family("factors")
def tridiagonal_product(d):
    dtype, steps = d.real(), []
    for _ in range(4):
        size, batch = d.one(1, 2, 3, 5), d.one([], [2])
        step = {n: d.array(batch + d.sometimes(0.07, d.one([2, size], [1, size + 1], [size]), [1, size]), dtype) for n in ("superdiag", "maindiag", "subdiag")}
        steps.append({**step, "rhs": d.array(batch + [size, d.one(1, 2, 3)], dtype)})
    return raw.TridiagonalMatMul, {}, steps


# ---- Boxes that lie over each other ----


def boxes_of(d, count):
    corners = d.array([count, 4], low=0, high=1)
    return d.sometimes(0.3, np.round(corners * 3) / 3, corners).astype(np.float32)


def choices(d, shape):
    step = {"boxes": boxes_of(d, shape), "scores": d.array([shape], low=0, high=1), "max_output_size": np.int32(d.one(1, 2, 3, 10, 10))}
    odd = d.draw.random()
    if odd < 0.06:
        step["scores"] = d.array([shape + 1])
    elif odd < 0.1:
        step["boxes"] = d.array(d.one([shape, 3], [shape], [1, shape, 4]))
    elif odd < 0.14:
        step["scores"] = d.array([1, shape])
    elif odd < 0.18:
        step["max_output_size"] = d.one(np.int32(-1), np.int32([2]))
    return step


def threshold(d, *others):
    return d.sometimes(0.06, d.one(np.float32([0.5]), np.float32(-0.1), np.float32(1.5)), np.float32(d.one(0.1, 0.3, 0.5, 0.8, 1.0, 0.0, *others)))


@family("suppression")
def padded(d):
    steps = [{**choices(d, d.one(1, 4, 6, 9)), "iou_threshold": threshold(d), "score_threshold": np.float32(d.one(0.0, 0.3, -1.0))} for _ in range(5)]
    return raw.NonMaxSuppressionV4, {"pad_to_max_output_size": d.one(True, False)}, steps


@family("suppression")
def soft(d):
    steps = [{**choices(d, d.one(1, 4, 6, 9)), "iou_threshold": threshold(d), "score_threshold": d.sometimes(0.05, np.float32([0]), np.float32(d.one(0.0, 0.3, -1.0))),
              "soft_nms_sigma": d.sometimes(0.05, d.one(np.float32([0]), np.float32(-1)), np.float32(d.one(0.0, 0.5, 0.1, 2.0)))} for _ in range(5)]
    return raw.NonMaxSuppressionV5, {"pad_to_max_output_size": d.one(True, False)}, steps


@family("suppression")
def by_overlaps(d):
    steps = []
    for _ in range(4):
        count = d.one(1, 3, 5)
        shape = d.sometimes(0.1, d.one([count], [count, count + 1]), [count, count])
        step = choices(d, count)
        step.pop("boxes")
        steps.append({"overlaps": d.array(shape, low=0, high=1), **step, "overlap_threshold": threshold(d), "score_threshold": np.float32(d.one(0.0, 0.3))})
    return raw.NonMaxSuppressionWithOverlaps, {}, steps


@family("suppression")
def combined(d):
    steps = []
    for _ in range(4):
        batch, count, classes = d.one(1, 2), d.one(1, 4, 6), d.one(1, 2, 3)
        boxes, scores = [batch, count, d.one(1, classes), 4], [batch, count, classes]
        odd = d.draw.random()
        if odd < 0.2:
            boxes, scores = d.one((boxes[1:], scores), (boxes, scores[1:]), (boxes[:3] + [3], scores), ([batch, count, 4, 4], scores), (boxes, [batch, count + 1, classes]), (boxes, [batch + 1, count, classes]))
        most = [d.sometimes(0.05, d.one(np.int32(0), np.int32([1])), np.int32(d.one(1, 2, 5, 20))) for _ in range(2)]
        low = d.one(0, 0, -0.5)
        steps.append({"boxes": d.array(boxes, low=low, high=1 - low), "scores": d.array(scores, low=0, high=1), "max_output_size_per_class": most[0], "max_total_size": most[1],
                      "iou_threshold": threshold(d), "score_threshold": d.sometimes(0.05, np.float32([0]), np.float32(d.one(0.0, 0.3)))})
    return raw.CombinedNonMaxSuppression, {"pad_per_class": d.one(True, False), "clip_boxes": d.one(True, False)}, steps


# ---- Sequences without alignment ----


def sequences(d, dtype):
    time, batch, classes = d.one(1, 3, 5), d.one(1, 2, 3), d.one(2, 3, 4)
    shape = d.sometimes(0.08, d.one([time, batch], [time, 0, classes], [0, batch, classes]), [time, batch, classes])
    lengths = [d.one(time, time, max(1, time - 1), 0) for _ in range(batch)]
    odd = d.draw.random()
    if odd < 0.15:
        lengths = d.one(lengths + [1], [lengths], [time + 1] * batch)
    return {"inputs": d.array(shape, dtype, -3, 3), "sequence_length": np.array(lengths, np.int32)}


@family("sequences")
def greedy(d):
    dtype = d.real()
    return raw.CTCGreedyDecoder, {"merge_repeated": d.one(True, False), "blank_index": d.one(-1, -1, 0, 1, -2, 3)}, [sequences(d, dtype) for _ in range(5)]


@family("sequences")
def beams(d):
    dtype = d.real()
    return raw.CTCBeamSearchDecoder, {"merge_repeated": d.one(True, False), "beam_width": d.one(1, 2, 5, 20), "top_paths": d.one(1, 1, 2, 3)}, [sequences(d, dtype) for _ in range(5)]


@family("sequences")
def losses(d):
    dtype, steps = d.real(), []  # the process may end where no label is left: the first one is none that ends
    for _ in range(5):
        step = sequences(d, dtype)
        time, batch, classes = (list(step["inputs"].shape) + [2])[:3]
        places, labels = [], []
        for b in range(batch):
            for i in range(d.sometimes(0.1, 0, d.one(1, 1, 2, 3) if time > 2 else 1)):
                places.append([b, i])
                labels.append(d.sometimes(0.06, d.one(-1, classes - 1, classes) if i > 0 else -1, d.one(*range(max(1, classes - 1)))))
        odd = d.draw.random()
        if places and odd < 0.25:
            places = d.one(places + [[0, 9]], places[::-1], [[p[0] + 1, p[1]] for p in places], places[:1] * len(places), [[p[0], p[1] - 1] for p in places], places, places)
        shape = [len(places), 2]
        labels = np.array(labels, np.int32) if d.draw.random() < 0.95 else np.array([labels], np.int32)
        steps.append({"inputs": step["inputs"], "labels_indices": np.array(places, np.int64).reshape(shape), "labels_values": labels, "sequence_length": step["sequence_length"]})
    return raw.CTCLoss, {"preprocess_collapse_repeated": d.sometimes(0.3, True, False), "ctc_merge_repeated": d.sometimes(0.3, False, True), "ignore_longer_outputs_than_inputs": d.one(True, False)}, steps


# ---- Few bits, counts, lists ----


def ends(d, shape):
    least = d.array(shape, low=-4, high=0)
    most = least + d.array(shape, low=0.5, high=6)
    if d.draw.random() < 0.15:
        least, most = np.float32(least * 0), np.float32(most * 0)
    if d.draw.random() < 0.1:
        most = d.array([2])
    return {"min": np.float32(least), "max": np.float32(most)}


@family("few_bits")
def by_attributes(d):
    least = d.one(-6.0, -0.5, 0.0, -1.7)
    attributes = {"min": least, "max": least + d.one(0.3, 6.0, 2.2), "num_bits": d.one(2, 4, 8, 16), "narrow_range": d.one(True, False)}
    shapes = [d.one([], [5], [2, 3]) for _ in range(3)]
    if d.draw.random() < 0.5:
        return raw.FakeQuantWithMinMaxArgs, attributes, [{"inputs": d.array(s, low=-7, high=7)} for s in shapes]
    return raw.FakeQuantWithMinMaxArgsGradient, attributes, [{"gradients": d.array(d.sometimes(0.1, [4], s)), "inputs": d.array(s, low=-7, high=7)} for s in shapes]


@family("few_bits")
def by_inputs(d):
    attributes, is_back, per_channel = {"num_bits": d.one(2, 4, 8, 16), "narrow_range": d.one(True, False)}, d.one(True, False), d.one(True, False)
    steps = []
    for _ in range(4):
        shape = d.one([5], [2, 3], [2, 2, 4])
        step = {"inputs": d.array(shape if per_channel else d.sometimes(0.05, [], shape), low=-7, high=7), **ends(d, shape[-1:] if per_channel else [])}
        steps.append({"gradients": d.array(d.sometimes(0.1, [4], step["inputs"].shape)), **step} if is_back else step)
    plain = raw.FakeQuantWithMinMaxVarsPerChannel if per_channel else raw.FakeQuantWithMinMaxVars
    back = raw.FakeQuantWithMinMaxVarsPerChannelGradient if per_channel else raw.FakeQuantWithMinMaxVarsGradient
    return back if is_back else plain, attributes, steps


def counting(d):
    return {"minlength": d.one(-1, 0, 3, 9), "maxlength": d.one(-1, 0, 4, 8), "binary_output": d.sometimes(0.3, True, False)}


def weights_for(d, values, dtype):
    shape = d.one([0], [0], d.sometimes(0.15, [7], list(np.shape(values))))
    return d.array(shape, dtype, 0, 4)


@family("counts")
def dense_counts(d):
    dtype, number, steps = d.one(np.int32, np.int64), d.one(np.float32, np.float64, np.int32, np.int64), []
    for _ in range(4):
        values = d.array(d.one([5], [2, 3], [3, 2], [0], d.sometimes(0.2, d.one([], [0, 2], [1, 1, 1]), [4])), dtype, -1, 6)
        steps.append({"values": values, "weights": weights_for(d, values, number)})
    return raw.DenseCountSparseOutput, counting(d), steps


@family("counts")
def sparse_counts(d):
    dtype, number, steps = d.one(np.int32, np.int64), d.one(np.float32, np.int64), []
    for _ in range(4):
        count, rank = d.one(1, 3, 4), d.one(1, 2)
        places, values = d.array([count, rank], np.int64, 0, 4), d.array([count], dtype, -1, 6)
        if d.draw.random() < 0.2:
            places = d.one(places[:, 0], places + 3, places[1:], places - 3)
        shape = d.sometimes(0.1, [4], [4] * rank)
        steps.append({"indices": places, "values": values, "dense_shape": np.array(shape, np.int64), "weights": weights_for(d, values, number)})
    return raw.SparseCountSparseOutput, counting(d), steps


@family("counts")
def ragged_counts(d):
    dtype, number, steps = d.one(np.int32, np.int64), d.one(np.float32, np.int64), []
    for _ in range(4):
        values = d.array([4], dtype, -1, 6)
        splits = d.sometimes(0.2, d.one([0], [1, 4], [0, 3], []), d.one([0, 4], [0, 1, 4], [0, 0, 2, 4]))
        steps.append({"splits": np.array(splits, np.int64), "values": values, "weights": weights_for(d, values, number)})
    return raw.RaggedCountSparseOutput, counting(d), steps


def joined_list(items, shape, leading, limit, holes, name):
    made = raw.TensorListReserve(element_shape=limit, num_elements=len(items) + holes, element_dtype=tf.float32)
    for i, item in enumerate(items):
        made = raw.TensorListSetItem(input_handle=made, index=i, item=item)
    return list(raw.TensorListConcatV2(input_handle=made, element_shape=shape, leading_dims=leading, element_dtype=tf.float32, name=name))


def gathered_list(items, shape, indices, limit, holes, name):
    made = raw.TensorListReserve(element_shape=limit, num_elements=len(items) + holes, element_dtype=tf.float32)
    for i, item in enumerate(items):
        made = raw.TensorListSetItem(input_handle=made, index=i, item=item)
    return raw.TensorListGather(input_handle=made, indices=indices, element_shape=shape, element_dtype=tf.float32, name=name)


@family("counts")
def lists(d):
    steps, count, holes, is_joined = [], d.one(1, 2, 3), d.one(0, 0, 1), d.one(True, True, False)
    for _ in range(4):
        wide, high = d.one(1, 2), d.one(1, 3)
        items = [d.array(d.sometimes(0.05, [], [d.one(high, high, 2) if is_joined else 2, d.sometimes(0.1, 3, wide)])) for _ in range(count)]
        limit = d.one(-1, [-1, wide], [-1, -1], d.sometimes(0.3 if is_joined else 0.8, [high if is_joined else 2, wide], -1))
        shape = d.one(-1, [-1, wide], [-1, -1], d.sometimes(0.3, d.one([high, wide], []), -1))
        step = {"items": items, "shape": np.array(shape, np.int32), "limit": np.array(limit, np.int32)}
        if is_joined:
            step["leading"] = np.array(d.one([], [2] * (count + holes), [1]), np.int64)
        else:
            step["indices"] = np.array(d.one([0], [0, count - 1], [count + holes], []), np.int32)
        steps.append(step)
    return joined_list if is_joined else gathered_list, {"holes": holes}, steps
