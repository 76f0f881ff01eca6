"""More models that record_models.py trains, as in twin_models.py: actions, beams, chains, cells, optimizers, experts."""

from record_functions import np, tf, v1
from twin_models import pictures, rows
from twin_tools import D, after, dense, ordered_minimize, then, variables_here


def q_learning(t):
    """A network and its target, which is a copy of every third step; tf.case says how to act."""
    step = t.count("step")
    w, old = t.var("w", [3, 3]), t.var("old", [3, 3], trainable=False, value=0.1)
    q = t.fun(lambda s: tf.matmul(s, w))(t["state"])
    best = tf.reduce_max(tf.matmul(t["next"], old), 1)
    target = tf.stop_gradient(t["reward"] + 0.9 * best)
    taken = tf.reduce_sum(q * tf.one_hot(t["action"], 3), 1)
    loss = v1.losses.huber_loss(target, taken, loss_collection=None)
    train = v1.train.RMSPropOptimizer(0.05, momentum=0.5).minimize(loss, var_list=[w], gate_gradients=2)
    with tf.control_dependencies([train]):
        number = step.assign_add(1)
    number = tf.identity(number)
    copy = lambda: after(old.assign(w))
    done = v1.cond(tf.equal(number % 3, 0), copy, lambda: tf.constant(0))
    act = v1.case([(t["epsilon"] < 0.3, lambda: tf.argmax(q, 1, output_type=tf.int32)),
                   (t["epsilon"] < 0.6, lambda: tf.argmin(q, 1, output_type=tf.int32))],
                  default=lambda: t["action"], exclusive=False)
    return loss, tf.group(done), [act]


def moves(draw):
    f = lambda *s: draw.uniform(-1, 1, s).astype(np.float32)
    return {"state": f(2, 3), "next": f(2, 3), "reward": f(2), "action": draw.randint(0, 3, [2]).astype(np.int32), "epsilon": np.float32(draw.uniform(0, 1))}


def beam(t):
    """A scorer of next words is trained; a beam search finds the best sentences by it."""
    table = t.var("table", [5, 5], 1.0)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=t["words"][:, 1], logits=tf.gather(table, t["words"][:, 0])))

    def body(i, scores, tokens, done):
        log = tf.nn.log_softmax(tf.gather(table, tokens[:, -1]))
        log = tf.where(tf.tile(tf.expand_dims(done, 1), [1, 5]), tf.tile(tf.constant([[0.0] + [-1e9] * 4]), [2, 1]), log)
        values, found = tf.math.top_k(tf.reshape(tf.expand_dims(scores, 1) + log, [-1]), 2)
        parents, word = found // 5, found % 5
        tokens = tf.concat([tf.gather(tokens, parents), tf.expand_dims(word, 1)], 1)
        return i + 1, values, tokens, tf.logical_or(tf.gather(done, parents), tf.equal(word, 0))

    go = lambda i, s, k, done: tf.logical_and(i < 4, tf.logical_not(tf.reduce_all(done)))
    _, scores, found, _ = v1.while_loop(go, body, [0, tf.constant([0.0, -1.0]), tf.fill([2, 1], t["words"][0, 0]), tf.constant([False, False])],
                                        shape_invariants=[tf.TensorShape([]), tf.TensorShape([2]), tf.TensorShape([2, None]), tf.TensorShape([2])],
                                        back_prop=False)
    return loss, None, [scores, found]


def pairs_of_words(draw):
    return {"words": draw.randint(0, 5, [3, 2]).astype(np.int32)}


def crf(t):
    """The forward algorithm and the best path of a linear chain, by scans with masks."""
    moves, emit = t.var("moves", [3, 3]), t.var("emit", [4, 3])
    scores = tf.einsum("btf,fk->btk", t["x"], emit)
    turned = tf.transpose(scores, [1, 0, 2])
    inside = tf.sequence_mask(t["lengths"], 4, tf.float32)

    def forward(a, item):
        score, on = item
        new = tf.reduce_logsumexp(tf.expand_dims(a, 2) + moves, 1) + score
        on = tf.expand_dims(on, 1)
        return on * new + (1.0 - on) * a

    alphas = tf.scan(forward, (turned[1:], tf.transpose(inside)[1:]), initializer=turned[0])
    norm = tf.reduce_logsumexp(alphas[-1], 1)
    unary = tf.reduce_sum(tf.reduce_sum(scores * tf.one_hot(t["tags"], 3), 2) * inside, 1)
    pairs = tf.gather_nd(moves, tf.stack([t["tags"][:, :-1], t["tags"][:, 1:]], 2))
    loss = tf.reduce_mean(norm - unary - tf.reduce_sum(pairs * inside[:, 1:], 1))
    best = tf.scan(lambda a, score: tf.reduce_max(tf.expand_dims(a, 2) + moves, 1) + score, turned[1:], initializer=turned[0])
    return loss, None, [tf.argmax(best[-1], 1)]


def chains(draw):
    return {"x": draw.uniform(-1, 1, [2, 4, 4]).astype(np.float32), "tags": draw.randint(0, 3, [2, 4]).astype(np.int32),
            "lengths": draw.randint(1, 5, [2]).astype(np.int32)}


def normal_rnn(t):
    """Two layers of cells with layer normalisation, backwards as well, with lengths."""
    class Cell(v1.nn.rnn_cell.RNNCell):
        state_size = output_size = property(lambda self: 3)

        def __call__(self, x, state, scope=None):
            with v1.variable_scope(scope or "norm_cell", reuse=v1.AUTO_REUSE):
                w = v1.get_variable("w", [int(x.shape[-1]) + 3, 3], initializer=v1.constant_initializer(0.3), use_resource=t.resource)
                g = v1.get_variable("g", [3], initializer=v1.constant_initializer(1.0), use_resource=t.resource)
                y = tf.matmul(tf.concat([x, state], 1), w)
                mean, variance = tf.nn.moments(y, [1], keepdims=True)
                y = tf.tanh(g * (y - mean) / tf.sqrt(variance + 1.0) + x[:, :3])
            return y, y

    outputs, (left, right) = v1.nn.bidirectional_dynamic_rnn(Cell(), Cell(), t["x"], sequence_length=t["lengths"], dtype=tf.float32)
    gru = v1.nn.rnn_cell.GRUCell(3, kernel_initializer=v1.constant_initializer(0.2), bias_initializer=v1.constant_initializer(0.1))
    stacked = tf.concat(outputs, 2)
    with v1.variable_scope("top", use_resource=t.resource):
        top, state = v1.nn.dynamic_rnn(gru, stacked, sequence_length=t["lengths"], dtype=tf.float32, swap_memory=True)
    return tf.reduce_mean(tf.square(top)) + tf.reduce_mean(tf.square(left - right)), None, [state]


def spoken(draw):
    return {"x": draw.uniform(-1, 1, [2, 3, 3]).astype(np.float32), "lengths": draw.randint(1, 4, [2]).astype(np.int32)}


def optimizers(t):
    """Four optimizers, whose updates are in one function."""
    names = ["Adam", "RMSProp", "Momentum", "Ftrl"]
    own = {n: t.var(n.lower(), [3, 2]) for n in names}
    slots = {n: [t.var(f"{n.lower()}_slot{i}", [3, 2], trainable=False, value=0.1 if n == "Ftrl" else 0.0) for i in range(2)] for n in names}
    powers = [t.var(f"power{i}", [], trainable=False, value=v) for i, v in enumerate((0.9, 0.999))]
    losses = [tf.reduce_mean(tf.square(tf.matmul(t["x"], own[n]) - 0.3)) for n in names]
    gradients = [then(losses, g) for g in tf.gradients(losses, list(own.values()))]

    def update(*g):
        a, r, m, f = (slots[n] for n in names)
        power = [p.read_value() if t.resource else tf.identity(p) for p in powers]
        ops = [t.apply("Adam", own["Adam"], m=a[0], v=a[1], beta1_power=power[0], beta2_power=power[1], lr=0.1, beta1=0.9, beta2=0.999, epsilon=1e-8, grad=g[0]),
               t.apply("RMSProp", own["RMSProp"], ms=r[0], mom=r[1], lr=0.1, rho=0.9, momentum=0.5, epsilon=1e-6, grad=g[1]),
               t.apply("Momentum", own["Momentum"], accum=m[0], lr=0.1, grad=g[2], momentum=0.9),
               t.apply("Ftrl", own["Ftrl"], accum=f[0], linear=f[1], grad=g[3], lr=0.2, l1=0.01, l2=0.01, lr_power=-0.5)]
        with tf.control_dependencies(ops):
            return after([powers[0].assign(power[0] * 0.9), powers[1].assign(power[1] * 0.999)])

    return tf.add_n(losses), tf.group(t.fun(update)(*gradients)), losses


def trained_in_a_loop(t):
    """Several steps of training in one run: the loop's body computes gradients and changes variables."""
    w, b = t.var("w", [3, 1]), t.var("b", [1])
    x, y = t["x"], t["y"]

    def body(i, _):
        with tf.control_dependencies([i]):
            ww, bb = (v.read_value() if t.resource else v + 0.0 for v in (w, b))
        error = tf.matmul(x, ww) + bb - y
        loss = tf.reduce_mean(tf.square(error))
        gw, gb = then([loss], 2.0 / 2.0 * tf.matmul(x, error, transpose_a=True)), then([loss], tf.reduce_mean(error, 0))
        gw, gb = then([gw, gb], gw), then([gw, gb], gb)
        with tf.control_dependencies([w.assign_sub(0.1 * gw), b.assign_sub(0.1 * gb)]):
            return i + 1, tf.identity(loss)

    _, loss = v1.while_loop(lambda i, _: i < t["n"], body, [0, 0.0], parallel_iterations=1, back_prop=False)
    return loss, tf.group(loss)


def lines(draw):
    return {"x": draw.uniform(-1, 1, [2, 3]).astype(np.float32), "y": draw.uniform(-1, 1, [2, 1]).astype(np.float32), "n": np.int32(draw.randint(1, 4))}


def accumulated(t):
    """Gradients of two batches are summed in variables; a conditional applies them and clears the sums."""
    step = t.count("step")
    w = t.var("w", [3, 2])
    total = t.var("total", [3, 2], trainable=False, value=0.0)
    loss = tf.reduce_mean(tf.square(tf.matmul(t["x"], w) - 0.3))
    g = tf.gradients(loss, [w])[0]
    with tf.control_dependencies([total.assign_add(g)]):
        number = tf.identity(step.assign_add(1))

    def apply():
        value = (total.read_value() if t.resource else total + 0.0) * 0.5
        change = t.apply("GradientDescent", w, alpha=0.3, delta=value)
        with tf.control_dependencies([change]):
            return after(total.assign(tf.zeros([3, 2])), 1)

    done = v1.cond(tf.equal(number % 2, 0), apply, lambda: tf.constant(0))
    return loss, tf.group(done), [done]


def autoencoder(t):
    """A variational one: the noise is an input, map_fn decodes one code after another, Adadelta and Adagrad train."""
    h = dense(t, t["x"], "h", 4, tf.nn.softplus)
    mean, spread = dense(t, h, "mean", 2), dense(t, h, "spread", 2)
    code = mean + tf.exp(0.5 * spread) * t["noise"]
    w, b = t.var("decode", [2, 3]), t.var("decode_b", [3])
    decode = t.fun(lambda c: tf.sigmoid(tf.linalg.matvec(w, c, transpose_a=True) + b))
    image, length = tf.map_fn(lambda c: (decode(c), tf.reduce_sum(c)), code, fn_output_signature=(tf.float32, tf.float32))
    image = tf.clip_by_value(tf.reshape(image, [2, 3]), 1e-3, 1 - 1e-3)
    cross = -tf.reduce_sum(t["x"] * tf.math.log(image) + (1 - t["x"]) * tf.math.log(1 - image), 1)
    kl = -0.5 * tf.reduce_sum(1 + spread - tf.square(mean) - tf.exp(spread), 1)
    loss = tf.reduce_mean(cross + kl)
    own = variables_here()
    return loss, ordered_minimize(loss, [(v1.train.AdadeltaOptimizer(1.0, name="AD"), own[:3]), (v1.train.AdagradOptimizer(0.2, name="AG"), own[3:])]), [length]


def drawn_codes(draw):
    return {"x": draw.uniform(0, 1, [2, 3]).astype(np.float32), "noise": draw.uniform(-1, 1, [2, 2]).astype(np.float32)}


def hierarchical(t):
    """switch_case chooses an expert, which is a function with its own variable; the choice is fed."""
    experts = [t.var(f"expert{i}", [3, 2]) for i in range(3)]
    bodies = [t.fun(lambda x, w=w: tf.nn.elu(tf.matmul(x, w))) for w in experts]
    shared = dense(t, t["x"], "gate", 3, tf.tanh)
    out = tf.switch_case(t["which"], [lambda f=f: f(shared) for f in bodies])
    with tf.device(D[1]):
        loss = tf.reduce_mean(v1.losses.hinge_loss(t["labels"], out, loss_collection=None)) + tf.reduce_mean(tf.nn.l2_loss(out)) * 0.1
    return loss, v1.train.ProximalAdagradOptimizer(0.1, l2_regularization_strength=0.01).minimize(loss, var_list=variables_here(), gate_gradients=2), [out]


def experts_of(draw):
    return {"x": draw.uniform(-1, 1, [2, 3]).astype(np.float32), "which": np.int32(draw.randint(-1, 4)), "labels": draw.randint(0, 2, [2, 2]).astype(np.float32)}


def fused(t):
    """tf.compat.v1.layers: convolution, fused batch normalisation with its updates, dense, dropout that keeps all."""
    start = v1.constant_initializer(0.2)
    with v1.variable_scope("layers", use_resource=t.resource):
        w = t.var("w", [3, 3, 2, 3])
        y = tf.nn.conv2d(t["x"], w, [1, 1, 1, 1], "SAME")
        gain, bias = t.var("gain", [3], value=1.0), t.var("beta", [3], value=0.0)
        y, mean, variance = v1.nn.fused_batch_norm(y, gain, bias, epsilon=1e-3, is_training=True)
        old = t.var("old", [3], trainable=False, value=0.0)
        y = tf.nn.relu(y)
        y = tf.nn.avg_pool2d(y, 2, 2, "VALID")
        logits = v1.layers.dense(tf.reshape(y, [2, 12]), 3, kernel_initializer=start)
    loss = v1.losses.sparse_softmax_cross_entropy(t["labels"], logits, loss_collection=None)
    train = ordered_minimize(loss, [(v1.train.MomentumOptimizer(0.1, 0.9), [v for v in variables_here()])])
    with tf.control_dependencies([v1.cond(t["training"], lambda: after(old.assign_sub(0.1 * (old - mean))), lambda: tf.constant(0))]):
        return loss, tf.group(train), [mean, variance]


def lookahead(t):
    """Metrics beside training: streaming mean and accuracy in local variables, reset by a conditional."""
    logits = t.fun(lambda h: h * 1.0)(dense(t, t["x"], "fc", 3))
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=t["labels"], logits=logits))
    right = tf.reduce_sum(tf.cast(tf.equal(tf.argmax(logits, 1, output_type=tf.int32), t["labels"]), tf.float32))
    total, count = t.var("total", [], trainable=False, value=0.0), t.var("count", [], trainable=False, value=0.0)
    train = v1.train.AdamOptimizer(0.1).minimize(loss, var_list=[v for v in variables_here()], gate_gradients=2)
    with tf.control_dependencies([train]):
        clear = v1.cond(t["reset"], lambda: after([total.assign(0.0), count.assign(0.0)]), lambda: tf.constant(0))
    with tf.control_dependencies([clear]):
        ups = [total.assign_add(right), count.assign_add(2.0)]
    accuracy = tf.identity(ups[0]) / tf.identity(ups[1])
    return loss, tf.group(ups), [accuracy]


def graded(draw):
    return {"x": draw.uniform(-1, 1, [2, 3]).astype(np.float32), "labels": draw.randint(0, 3, [2]).astype(np.int32), "reset": bool(draw.randint(4) == 0)}


# A model and what draws the inputs of its steps.
MODELS = {
    "q_learning": (q_learning, moves),
    "beam": (beam, pairs_of_words),
    "crf": (crf, chains),
    "normal_rnn": (normal_rnn, spoken),
    "optimizers": (optimizers, rows),
    "trained_in_a_loop": (trained_in_a_loop, lines),
    "accumulated": (accumulated, rows),
    "autoencoder": (autoencoder, drawn_codes),
    "experts": (hierarchical, experts_of),
    "metrics": (lookahead, graded),
    "fused_norm": (fused, pictures),
}
