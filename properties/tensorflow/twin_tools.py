"""What the models of record_models.py are built with: variables, functions and devices of each kind of control flow."""

from record_functions import np, tf, v1

D = ["/device:CPU:0", "/device:CPU:1"]
SCOPE = [""]


class Twin:
    """What a model is built with: how variables, functions and devices are made."""

    def __init__(self, version, resource, inputs):
        self.version, self.resource, self.inputs, self.seed = version, resource, inputs, 0

    def __getitem__(self, name):
        return self.inputs[name]

    def var(self, name, shape, scale=0.5, trainable=True, value=None):
        self.seed += 1
        if value is None:
            value = np.random.RandomState(self.seed).uniform(-scale, scale, shape)
        value = np.broadcast_to(np.asarray(value, np.float32), shape)
        return v1.get_variable(name, initializer=value.copy(), use_resource=self.resource, trainable=trainable)

    def count(self, name, value=0):
        return v1.get_variable(name, initializer=np.int32(value), use_resource=self.resource, trainable=False)

    def fun(self, f):
        return tf.function(f, autograph=False) if self.version == 2 else f

    def apply(self, kind, var, *rest, **more):
        raw = {("GradientDescent", True): tf.raw_ops.ResourceApplyGradientDescent, ("GradientDescent", False): tf.raw_ops.ApplyGradientDescent,
               ("Adam", True): tf.raw_ops.ResourceApplyAdam, ("Adam", False): tf.raw_ops.ApplyAdam,
               ("RMSProp", True): tf.raw_ops.ResourceApplyRMSProp, ("RMSProp", False): tf.raw_ops.ApplyRMSProp,
               ("Momentum", True): tf.raw_ops.ResourceApplyMomentum, ("Momentum", False): tf.raw_ops.ApplyMomentum,
               ("Ftrl", True): tf.raw_ops.ResourceApplyFtrl, ("Ftrl", False): tf.raw_ops.ApplyFtrl}[(kind, self.resource)]
        return raw(var=self.raw(var), **{n: self.raw(v) for n, v in more.items()})

    def raw(self, v):
        if not isinstance(v, v1.Variable) and not hasattr(v, "assign_add"):
            return v
        return v.handle if self.resource else v._ref()


def after(op, value=0):
    """The op as a value, for branches."""
    with tf.control_dependencies([op] if not isinstance(op, list) else op):
        return tf.constant(value)


def then(ops, tensor):
    with tf.control_dependencies(ops):
        return tf.identity(tensor)


def dense(t, x, name, size, act=None):
    w = t.var(name + "_w", [x.shape[-1], size])
    b = t.var(name + "_b", [size])
    y = tf.matmul(x, w) + b
    return act(y) if act else y


def variables_here():
    return [v for v in v1.trainable_variables() if v.name.startswith(SCOPE[0])]


def ordered_minimize(*losses_and_pairs):
    """All gradients first, then all changes."""
    gradients = []
    for loss, pairs in zip(losses_and_pairs[::2], losses_and_pairs[1::2]):
        gradients += [(optimizer, optimizer.compute_gradients(loss, variables, gate_gradients=2)) for optimizer, variables in pairs]
    every = [g for _, listed in gradients for g, _ in listed]
    every = [g.values if isinstance(g, tf.IndexedSlices) else g for g in every]
    with tf.control_dependencies(every + list(losses_and_pairs[::2])):
        held = [(o, [(tf.IndexedSlices(tf.identity(g.values), g.indices, g.dense_shape) if isinstance(g, tf.IndexedSlices) else tf.identity(g), v) for g, v in listed])
                for o, listed in gradients]
        return tf.group(*[o.apply_gradients(listed) for o, listed in held])
