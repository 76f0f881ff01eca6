"""Models that record_models.py trains: words, columns, attention, pictures, loops, averages, towers.

A function builds a model and gives its loss, its training op (None: gradient descent) and what else is fetched; the
function behind it draws the inputs of a step.
"""

from record_functions import np, tf, v1
from twin_tools import D, after, dense, ordered_minimize, then, variables_here


def sampled(loss_of):
    def model(t):
        table = t.var("embeddings", [12, 4])
        w, b = t.var("nce_w", [12, 4]), t.var("nce_b", [12])
        x = tf.nn.embedding_lookup(table, t["center"])
        candidates = (tf.cast(t["candidates"], tf.int64), tf.fill([3, 1], 0.3), tf.fill([4], 0.25))
        turn = t.fun(lambda e: tf.nn.l2_normalize(e, 1))
        losses = loss_of(weights=w, biases=b, labels=tf.cast(t["target"], tf.int64), inputs=x + 0.1 * turn(x), num_sampled=4, num_classes=12,
                         num_true=1, sampled_values=candidates)
        return tf.reduce_mean(losses)
    return model


def words(draw):
    return {"center": draw.randint(0, 12, [3]).astype(np.int32), "target": draw.randint(0, 12, [3, 1]).astype(np.int32),
            "candidates": draw.permutation(12)[:4].astype(np.int32)}


def wide_deep(t):
    sparse = v1.SparseTensor(t["indices"], t["ids"], tf.constant([3, 4], tf.int64))
    weights = v1.SparseTensor(t["indices"], t["weights"], tf.constant([3, 4], tf.int64))
    with tf.device(D[1]):
        wide, table = t.var("wide", [10, 1]), t.var("table", [10, 3])
    linear = v1.nn.embedding_lookup_sparse(wide, sparse, weights, combiner="sum")
    parts = [v1.nn.embedding_lookup_sparse(table, sparse, None, combiner=c) for c in ("mean", "sqrtn")]
    hidden = t.fun(lambda h: tf.nn.relu(dense_of(h)))
    w, b = t.var("deep_w", [7, 4]), t.var("deep_b", [4])
    dense_of = lambda h: tf.matmul(h, w) + b
    logits = linear + dense(t, hidden(tf.concat(parts + [t["age"]], 1)), "out", 1)
    loss = tf.reduce_mean(v1.losses.sigmoid_cross_entropy(t["label"], logits, reduction="none"))
    own = variables_here()
    wides = [v for v in own if "/wide" in v.name]
    deep = [v for v in own if "/wide" not in v.name]
    a = v1.train.FtrlOptimizer(0.2, l1_regularization_strength=0.01).minimize(loss, var_list=wides, gate_gradients=2)
    b = v1.train.AdagradOptimizer(0.1).minimize(loss, var_list=deep, gate_gradients=2)
    # both read what the other changes
    return loss, ordered_minimize(loss, [(v1.train.FtrlOptimizer(0.2, l1_regularization_strength=0.01, name="F"), wides), (v1.train.AdagradOptimizer(0.1, name="A"), deep)])


def ads(draw):
    rows = sorted({(int(r), int(c)) for r in range(3) for c in draw.randint(0, 4, 2)})
    return {"indices": np.array(rows, np.int64), "ids": draw.randint(0, 10, len(rows)).astype(np.int64),
            "weights": draw.uniform(0.5, 2, len(rows)).astype(np.float32), "age": draw.uniform(0, 1, [3, 1]).astype(np.float32),
            "label": draw.randint(0, 2, [3, 1]).astype(np.float32)}


def columns(t):
    fc = v1.feature_column
    city = fc.categorical_column_with_hash_bucket("city", 5)
    age = fc.bucketized_column(fc.numeric_column("age"), [20.0, 40.0])
    job = fc.categorical_column_with_vocabulary_list("job", ["cook", "pilot"], num_oov_buckets=1)
    dense_columns = [fc.indicator_column(city), age, fc.indicator_column(fc.crossed_column(["city", "job"], 4)), fc.indicator_column(job)]
    features = {"city": t["city"], "age": t["age"], "job": t["job"]}
    x = v1.feature_column.input_layer(features, dense_columns)
    x = tf.reshape(x, [3, 15])
    f = t.fun(lambda h: tf.nn.elu(h))
    return tf.reduce_mean(tf.square(dense(t, f(dense(t, x, "h", 3)), "out", 1) - t["label"]))


def people(draw):
    pick = lambda words: np.array([[words[i]] for i in draw.randint(0, len(words), 3)], object)
    return {"city": pick([b"Rome", b"Oslo", b"Bern"]), "age": draw.uniform(10, 50, [3, 1]).astype(np.float32),
            "job": pick([b"cook", b"pilot", b"poet"]), "label": draw.uniform(0, 1, [3, 1]).astype(np.float32)}


def attention(t):
    """A decoder that attends to what an encoder's TensorArray holds."""
    memory_w, query_w, v = t.var("memory_w", [3, 4]), t.var("query_w", [4, 4]), t.var("v", [4])
    cell_w, out_w = t.var("cell_w", [7, 4]), t.var("out_w", [4, 5])
    embed = t.var("embed", [5, 3])
    encoder = t.var("encoder", [6, 3])
    x = tf.transpose(t["x"], [1, 0, 2])
    states = tf.TensorArray(tf.float32, 4, name="states").unstack(x)
    def encode(i, s, out):
        s = tf.tanh(tf.matmul(tf.concat([s, states.read(i)], 1), encoder))
        return i + 1, s, out.write(i, s)
    _, _, encoded = v1.while_loop(lambda i, *_: i < 4, encode, [0, tf.zeros([2, 3]), tf.TensorArray(tf.float32, 4)])
    memory = tf.transpose(encoded.stack(), [1, 0, 2])
    memory = tf.reshape(memory, [2, 4, 3])
    keys = tf.einsum("bts,sk->btk", memory, memory_w)
    def decode(i, s, word, losses):
        score = tf.reduce_sum(v * tf.tanh(keys + tf.expand_dims(tf.matmul(s, query_w), 1)), 2)
        context = tf.reduce_sum(tf.expand_dims(tf.nn.softmax(score), 2) * memory, 1)
        with tf.device(D[1]):
            s = tf.tanh(tf.matmul(tf.concat([s, context], 1), cell_w)) + tf.pad(tf.gather(embed, word), [[0, 0], [0, 1]])
        logits = tf.matmul(s, out_w)
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=t["labels"][:, i], logits=logits)
        return i + 1, s, tf.argmax(logits, 1, output_type=tf.int32), losses.write(i, loss)
    _, _, last, losses = v1.while_loop(lambda i, *_: i < tf.shape(t["labels"])[1], decode,
                                       [0, tf.zeros([2, 4]), tf.zeros([2], tf.int32), tf.TensorArray(tf.float32, 0, dynamic_size=True)])
    return tf.reduce_mean(losses.stack()), None, [last]


def sentences(draw):
    return {"x": draw.uniform(-1, 1, [2, 4, 3]).astype(np.float32), "labels": draw.randint(0, 5, [2, 3]).astype(np.int32)}


def transformer(t):
    width, heads = 4, 2
    q, k, v, o = (t.var(n, [width, heads, 2]) for n in "qkvo")
    gain, bias = t.var("gain", [width], value=1.0), t.var("bias", [width], value=0.0)
    f1, f2 = t.var("f1", [width, 6]), t.var("f2", [6, width])

    def norm(x):
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return (x - mean) * tf.math.rsqrt(variance + 1e-6) * gain + bias

    @t.fun
    def attend(x, mask):
        scores = tf.einsum("bqhd,bkhd->bhqk", tf.einsum("btw,whd->bthd", x, q), tf.einsum("btw,whd->bthd", x, k))
        weights = tf.nn.softmax(scores * 0.7 + (1.0 - mask) * -1e9)
        return tf.einsum("bqhd,whd->bqw", tf.einsum("bhqk,bkhd->bqhd", weights, tf.einsum("btw,whd->bthd", x, v)), o)

    @t.fun
    def layer(x, mask):
        x = norm(x + attend(x, mask))
        return norm(x + tf.einsum("btf,fw->btw", tf.nn.gelu(tf.einsum("btw,wf->btf", x, f1)), f2))

    mask = tf.reshape(tf.linalg.band_part(tf.ones([3, 3]), -1, 0), [1, 1, 3, 3])
    return tf.reduce_mean(tf.square(layer(layer(t["x"], mask), mask) - t["y"]))


def tokens(draw):
    return {n: draw.uniform(-1, 1, [2, 3, 4]).astype(np.float32) for n in "xy"}


def gan(t):
    """Two losses, two optimizers; the generator learns in every second step."""
    step = t.count("step")
    with v1.variable_scope("g"):
        h = tf.reshape(dense(t, t["z"], "in", 8, tf.nn.relu), [2, 2, 2, 2])
        kernel = t.var("kernel", [3, 3, 1, 2])
        fake = tf.tanh(tf.nn.conv2d_transpose(h, kernel, [2, 4, 4, 1], [1, 2, 2, 1], "SAME"))
    with v1.variable_scope("d"):
        conv = t.var("conv", [3, 3, 1, 3])
        w, b = t.var("w", [12, 1]), t.var("b", [1])

    @t.fun
    def judge(image):
        y = tf.nn.leaky_relu(tf.nn.conv2d(image, conv, [1, 2, 2, 1], "SAME"), 0.2)
        return tf.matmul(tf.reshape(y, [2, 12]), w) + b

    real, false = judge(t["real"]), judge(fake)
    cross = tf.nn.sigmoid_cross_entropy_with_logits
    d_loss = tf.reduce_mean(cross(labels=tf.ones_like(real), logits=real)) + tf.reduce_mean(cross(labels=tf.zeros_like(false), logits=false))
    g_loss = tf.reduce_mean(cross(labels=tf.ones_like(false), logits=false))
    own = variables_here()
    train = ordered_minimize(d_loss, [(v1.train.AdamOptimizer(0.05, beta1=0.5, name="DA"), [v for v in own if "/d/" in v.name])],
                             g_loss, [(v1.train.RMSPropOptimizer(0.05, name="GA"), [v for v in own if "/g/" in v.name])])
    return d_loss + g_loss, train, [fake]


def noise(draw):
    return {"z": draw.uniform(-1, 1, [2, 3]).astype(np.float32), "real": draw.uniform(-1, 1, [2, 4, 4, 1]).astype(np.float32)}


def residual(t):
    """A residual block; batch norm takes moments while training and moving averages otherwise."""
    gain, bias = t.var("gain", [3], value=1.0), t.var("beta", [3], value=0.0)
    mean, variance = t.var("mean", [3], trainable=False, value=0.0), t.var("variance", [3], trainable=False, value=1.0)
    c1, c2 = t.var("c1", [3, 3, 2, 3]), t.var("c2", [1, 1, 2, 3])
    y = tf.nn.conv2d(t["x"], c1, [1, 1, 1, 1], "SAME")

    def moments():
        m, v = tf.nn.moments(y, [0, 1, 2])
        m, v = tf.identity(m), tf.identity(v)
        ups = [mean.assign_sub(0.1 * (mean - tf.stop_gradient(m))), variance.assign_sub(0.1 * (variance - tf.stop_gradient(v)))]
        with tf.control_dependencies(ups):
            return tf.identity(m), tf.identity(v)

    m, v = v1.cond(t["training"], moments, lambda: (tf.identity(mean), tf.identity(variance)))
    normal = t.fun(lambda a, b, c: tf.nn.batch_normalization(a, b, c, None, None, 1e-3))
    with tf.device(D[1]):
        z = tf.nn.relu(normal(y, m, v) * gain + bias + tf.nn.conv2d(t["x"], c2, [1, 1, 1, 1], "SAME"))
        pooled = tf.reduce_mean(tf.nn.max_pool2d(z, 2, 2, "VALID"), [1, 2])
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=t["labels"], logits=pooled))
    opt = v1.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True)
    train = lambda: after(opt.minimize(loss, var_list=variables_here(), gate_gradients=2))
    return loss, opt.minimize(loss, var_list=variables_here(), gate_gradients=2), [m]


def pictures(draw):
    return {"x": draw.uniform(-1, 1, [2, 4, 4, 2]).astype(np.float32), "labels": draw.randint(0, 3, [2]).astype(np.int32), "training": bool(draw.randint(2))}


def vgg(t):
    """Layers of tf.compat.v1.layers, dropout with the mask that the input gives, weight decay."""
    x = t["x"]
    for i in range(2):
        w, b = t.var(f"conv{i}", [3, 3, x.shape[3], 3]), t.var(f"bias{i}", [3])
        x = tf.nn.max_pool2d(tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME"), b)), 2, 2, "SAME")
    x = tf.reshape(x, [2, 3])
    x = v1.cond(t["training"], lambda: x * t["mask"] / 0.5, lambda: tf.identity(x))
    logits = t.fun(lambda h: h * 1.5)(dense(t, x, "fc", 4))
    loss = tf.reduce_mean(v1.nn.softmax_cross_entropy_with_logits_v2(labels=tf.one_hot(t["labels"], 4), logits=logits))
    decay = tf.add_n([tf.nn.l2_loss(v) for v in variables_here()])
    return loss + 0.01 * decay


def masked(draw):
    return {**pictures(draw), "mask": draw.randint(0, 2, [2, 3]).astype(np.float32)}


def queued(t):
    """Examples go through a queue; a loop takes one after another."""
    queue = tf.queue.FIFOQueue(8, [tf.float32], [[3]], name="queue")
    w = t.var("w", [3, 3])
    with tf.control_dependencies([queue.enqueue_many([t["x"]])]):
        start = tf.constant(0)

    def body(i, s):
        x = queue.dequeue()
        return i + 1, tf.tanh(tf.matmul(s + tf.reshape(x, [1, 3]), w))

    _, s = v1.while_loop(lambda i, s: i < 4, body, [start, tf.zeros([1, 3])], parallel_iterations=1)
    return tf.reduce_mean(tf.square(s - 0.2)), None, [s]


def rows(draw):
    return {"x": draw.uniform(-1, 1, [4, 3]).astype(np.float32)}


def nested(t):
    w, b = t.var("w", [3, 3]), t.var("b", [3])

    def inner(i, s):
        def turn(j, u):
            return j + 1, v1.cond(tf.reduce_sum(u) > 0.1 * tf.cast(i, tf.float32), lambda: tf.tanh(tf.matmul(u, w)), lambda: u * 0.7 + b)
        return v1.while_loop(lambda j, u: j <= i, turn, [0, s])[1]

    def outer(i, s, kept):
        s = t.fun(lambda q: q + 0.1)(inner(i, s))
        return i + 1, s, kept.write(i, tf.reduce_sum(s))

    _, s, kept = v1.while_loop(lambda i, *_: i < t["n"], outer, [0, t["x"], tf.TensorArray(tf.float32, t["n"])])
    return tf.reduce_mean(tf.square(s)) + 0.1 * tf.reduce_sum(kept.stack())


def counted(draw):
    return {"x": draw.uniform(-1, 1, [2, 3]).astype(np.float32), "n": np.int32(draw.randint(1, 4))}


def averages(t):
    """Exponential moving averages, kept in every second step, and read when asked."""
    step = t.count("step")
    w, kept = t.var("w", [3, 2]), t.var("kept", [3, 2], trainable=False, value=0.0)
    loss = tf.reduce_mean(tf.square(tf.matmul(t["x"], w) - 0.3))
    train = v1.train.AdamOptimizer(0.1).minimize(loss, var_list=[w], gate_gradients=2)
    with tf.control_dependencies([train]):
        up = step.assign_add(1)
    with tf.control_dependencies([up]):
        number = step.read_value() if t.resource else tf.identity(step)
    keep = lambda: after(kept.assign_sub(0.1 * (kept - w)))
    done = v1.cond(tf.equal(number % 2, 0), keep, lambda: tf.constant(0))
    with tf.control_dependencies([done]):
        average = kept.read_value() if t.resource else tf.identity(kept)
        now = w.read_value() if t.resource else tf.identity(w)
    chosen = v1.cond(t["average"], lambda: average, lambda: now)
    return loss, tf.group(done), [tf.reduce_sum(chosen)]


def chosen(draw):
    return {"x": draw.uniform(-1, 1, [2, 3]).astype(np.float32), "average": bool(draw.randint(2))}


def towers(t):
    """Two towers on two devices share variables; their gradients are averaged, clipped by norm; the rate decays."""
    step = t.count("step")
    w, b = t.var("w", [3, 4]), t.var("b", [4])
    out = t.var("out", [4, 1])
    optimizer = v1.train.MomentumOptimizer(v1.train.exponential_decay(0.2, step, 2, 0.5, staircase=True), 0.9)
    tower = t.fun(lambda x, y: tf.reduce_mean(tf.square(tf.matmul(tf.nn.relu(tf.matmul(x, w) + b), out) - y)))
    losses, gradients = [], []
    for i, (x, y) in enumerate(zip(tf.split(t["x"], 2), tf.split(t["y"], 2))):
        with tf.device(D[i]), v1.name_scope(f"tower{i}"):
            losses.append(tower(x, y))
            gradients.append(tf.gradients(losses[-1], [w, b, out]))
    mean = [tf.reduce_mean(tf.stack(g), 0) for g in zip(*gradients)]
    mean, norm = tf.clip_by_global_norm(mean, 0.5)
    mean = [then(mean, g) for g in mean]
    return tf.add_n(losses) / 2.0, optimizer.apply_gradients(zip(mean, [w, b, out]), global_step=step), [norm]


def halves(draw):
    return {"x": draw.uniform(-1, 1, [4, 3]).astype(np.float32), "y": draw.uniform(-1, 1, [4, 1]).astype(np.float32)}


# A model and what draws the inputs of its steps.
MODELS = {
    "nce": (sampled(tf.nn.nce_loss), words),
    "sampled_softmax": (sampled(tf.nn.sampled_softmax_loss), words),
    "wide_deep": (wide_deep, ads),
    "columns": (columns, people),
    "attention": (attention, sentences),
    "transformer": (transformer, tokens),
    "gan": (gan, noise),
    "residual": (residual, pictures),
    "vgg": (vgg, masked),
    "queued": (queued, rows),
    "nested_kept": (nested, counted),
    "averages": (averages, chosen),
    "towers": (towers, halves),
}
