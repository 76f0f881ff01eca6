"""Random programs of queues, barriers, staging areas, tables, accumulators, arrays and stacks, for record_resources.py."""

from record_functions import np, tf, v1

raw = tf.raw_ops
TYPES = [tf.int32, tf.float32, tf.string, tf.int64, tf.bool, tf.float64]


def plain(value):
    """As JSON can say it: numbers that are none as words."""
    if isinstance(value, dict):
        return {n: plain(v) for n, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, float) and not np.isfinite(value):
        return "NaN" if np.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, complex):
        return [plain(value.real), plain(value.imag)]
    return value.decode("latin-1") if isinstance(value, bytes) else value


class Step:
    def __init__(self, feeds, fetches, targets, timeout=0):
        self.feeds, self.fetches, self.targets, self.timeout = feeds, fetches, targets, timeout


class Program:
    """Nodes that are fed, each with its own way to draw what it is fed."""

    def __init__(self, name, draw):
        self.name, self.draw, self.count, self.places = name, draw, 0, []
        self.build()
        self.ops = [op for op in self.ops if op]

    def chance(self, p):
        return self.draw.random() < p

    def of(self, *choices):
        return self.draw.choice(choices)

    def fresh(self, what):
        self.count += 1
        return f"{self.name}_{what}{self.count}"

    def fed(self, dtype, value):
        """A placeholder; `value()` draws what a step feeds."""
        place = v1.placeholder(dtype, name=self.fresh("in"))
        self.places.append((place, value))
        return place

    def value(self, dtype, shape):
        n = int(np.prod(shape, dtype=np.int64))
        if dtype == tf.string:
            return np.array([self.draw.choice(["a", "b", "cc", "d", ""]) for _ in range(n)], object).reshape(shape)
        if dtype == tf.bool:
            return np.array([self.chance(0.5) for _ in range(n)], bool).reshape(shape)
        if dtype.is_floating:
            return np.array([self.draw.randint(-6, 12) / 2 for _ in range(n)], dtype.as_numpy_dtype).reshape(shape)
        return np.array([self.draw.randint(0, 9) for _ in range(n)], dtype.as_numpy_dtype).reshape(shape)

    def near(self, shape):
        """The shape, or one that does not fit."""
        shape = [self.draw.randint(0, 3) if d is None else d for d in shape]
        if self.chance(0.85):
            return shape
        return self.of(shape + [1], shape[:-1], [d + 1 for d in shape], [2], [0], [])

    def op(self, make, *fed):
        """Makes a node, of which `fed` are pairs (dtype, value); gives how to draw a step of it, or None where it is refused at once."""
        before = len(self.places)
        try:
            made = make(*[self.fed(*f) for f in fed])
        except ValueError:
            return None
        own, self.places = self.places[before:], self.places[:before]
        made = tf.nest.flatten(list(made) if isinstance(made, tuple) else made)
        fetches = [t.name for t in made if isinstance(t, tf.Tensor)]
        return lambda timeout=0: Step([(p, v()) for p, v in own], fetches, [t.name for t in made if isinstance(t, tf.Operation)], timeout)

    def steps(self):
        for _ in range(self.length):
            yield self.draw.choice(self.ops)(self.timeout)

    length, timeout = 10, 0


class Queue(Program):
    length, timeout = 14, 150

    def build(self):
        self.ref = self.chance(0.2)
        self.kind = self.of("FIFO", "FIFO", "Padding", "Random", "Priority")
        self.types = [self.draw.choice(TYPES) for _ in range(self.draw.randint(1, 2))]
        self.shapes = [self.of([], [2], [1, 2], [0], [3]) for _ in self.types]
        if self.kind == "Padding":
            self.shapes = [[None if self.chance(0.5) else d for d in s] for s in self.shapes]
        declared = self.shapes if self.kind in ("Padding", "Priority") or self.chance(0.6) else []
        self.has_shapes = bool(declared)
        own = {"capacity": self.of(-1, 1, 2, 3, 5), "shapes": declared, "component_types": self.types,
               "shared_name": self.of("", "", self.name + "_shared"), "name": self.name + "_q"}
        self.handles = [self.make(own)]
        if self.chance(0.15):
            self.handles.append(self.make(own | {"name": self.name + "_again", "shared_name": own["shared_name"] or self.name + "_q"}
                                          | self.of({}, {"capacity": 7}, {"component_types": [tf.int32], "shapes": []})))
        if self.kind == "Priority":
            self.types, self.shapes = [tf.int64] + self.types, [[]] + self.shapes
        q = self.handles[0]
        self.ops = [self.enqueue(q), self.enqueue(q), self.enqueue(q, True), self.enqueue(q, True), self.enqueue(self.handles[-1]), self.dequeue(q), self.dequeue(q),
                    self.dequeue(q, "Many"), self.dequeue(q, "Many"), self.dequeue(q, "UpTo"), self.dequeue(self.handles[-1]), self.op(lambda: self.called("QueueSize", q)),
                    self.op(lambda: self.called("QueueSize", self.handles[-1]))]
        if self.chance(0.5):
            self.ops.append(self.op(lambda: self.called("QueueClose", q, cancel_pending_enqueues=self.chance(0.5))))
        if not self.ref:
            self.ops.append(self.op(lambda: raw.QueueIsClosedV2(handle=q)))

    def called(self, op, q, **attributes):
        return getattr(raw, op if self.ref else op + "V2")(handle=q, **attributes)

    def make(self, own):
        op = {"FIFO": "FIFOQueue", "Padding": "PaddingFIFOQueue", "Random": "RandomShuffleQueue", "Priority": "PriorityQueue"}[self.kind]
        if self.kind == "Random":
            own = own | {"seed": 3, "seed2": 5, "min_after_dequeue": self.of(0, 0, 1, 2)}
        if self.kind == "Priority":
            own = own | {"component_types": own["component_types"]}
        return getattr(raw, op if self.ref else op + "V2")(**own)

    def wrong_types(self):
        if self.chance(0.92):
            return self.types
        return self.of(self.types + [tf.int32], [tf.int16] * len(self.types), self.types[:-1] or [tf.int16])

    def enqueue(self, q, many=False):
        types = self.wrong_types()
        shapes = (self.shapes + [[]])[:len(types)]
        first = lambda: self.draw.randint(0, 3)
        def drawn(i, t):
            def value():
                if i == 0:
                    self.batch = first()
                shape = self.near(shapes[i])
                batch = self.batch if self.chance(0.93) else self.batch + 1
                return self.value(t, [batch] + shape if many and (i == 0 or self.chance(0.97)) else shape)
            return (t, value)
        op = "QueueEnqueueMany" if many else "QueueEnqueue"
        return self.op(lambda *c: self.called(op, q, components=list(c)), *[drawn(i, t) for i, t in enumerate(types)])

    def dequeue(self, q, many=""):
        types = self.wrong_types()
        if not many:
            return self.op(lambda: self.called("QueueDequeue", q, component_types=types))
        how_many = lambda: np.array(self.of(0, 1, 1, 2, 2, 3, 4, -1) if self.chance(0.97) else [1, 2], np.int32)
        return self.op(lambda n: self.called("QueueDequeue" + many, q, n=n, component_types=types), (tf.int32, how_many))


class Barrier(Program):
    length, timeout = 14, 150

    def build(self):
        self.types = [self.draw.choice(TYPES) for _ in range(self.draw.randint(1, 2))]
        self.shapes = [self.of([], [2], [1, 2], [0]) for _ in self.types]
        b = raw.Barrier(component_types=self.types, shapes=self.shapes if self.chance(0.9) else self.of([], self.shapes[:1]), capacity=-1, name=self.name + "_b")
        takes = lambda small: self.op(lambda n: raw.BarrierTakeMany(handle=b, num_elements=n, component_types=self.types if self.chance(0.93) else [tf.int16],
                                                                  allow_small_batch=small, wait_for_incomplete=self.chance(0.3)),
                                      (tf.int32, lambda: np.array(self.of(0, 1, 1, 2, 2, 3, -1) if self.chance(0.97) else [1, 2], np.int32)))
        self.ops = [self.insert(b) for _ in range(4)] + [takes(False), takes(False), takes(True), self.op(lambda: raw.BarrierReadySize(handle=b)),
                                                        self.op(lambda: raw.BarrierIncompleteSize(handle=b))]
        if self.chance(0.6):
            self.ops += [self.op(lambda: raw.BarrierClose(handle=b, cancel_pending_enqueues=self.chance(0.4)))]

    def insert(self, b):
        component = self.draw.randrange(len(self.types))
        index = component if self.chance(0.95) else 2
        kind = self.types[component] if self.chance(0.95) else tf.int16
        def keys():
            self.batch = self.draw.randint(0, 3)
            return np.array([self.draw.choice("abcdefg") for _ in range(self.batch)], object) if self.chance(0.97) else np.array("k", object)
        values = lambda: self.value(kind, [self.batch if self.chance(0.95) else 4] + self.near(self.shapes[component]))
        return self.op(lambda k, v: raw.BarrierInsertMany(handle=b, keys=k, values=v, component_index=index), (tf.string, keys), (kind, values))


class Stage(Program):
    """Staging areas, plain and with keys in the order of which elements leave. No timeout ends their waiting."""
    length = 14

    def build(self):
        self.types = [self.draw.choice(TYPES) for _ in range(self.draw.randint(1, 3))]
        self.shapes = [self.of([], [2], [3]) for _ in self.types]
        self.own = {"capacity": self.of(0, 0, 2, 3), "memory_limit": self.of(0, 0, 0, 40), "container": "", "shared_name": self.name + "_s"}
        self.map = self.of("", "Map", "OrderedMap", "OrderedMap")
        if not self.map:
            self.ops = [self.stage(), self.stage(), self.stage(), self.out(raw.Unstage), self.out(raw.Unstage), self.peek(), self.peek(), self.size("Stage")]
            if self.chance(0.3):
                self.ops.append(self.op(lambda: raw.StageClear(dtypes=self.types, **self.own)))
            return
        put = [self.put() for _ in range(5)]
        out = [self.taken("Unstage") for _ in range(3)] + [self.taken("Peek") for _ in range(2)] + [self.taken("UnstageNoKey") for _ in range(2) if self.map == "OrderedMap"]
        self.ops = put + out + [self.size(self.map), self.op(lambda: self.called("IncompleteSize", dtypes=self.types))]
        if self.chance(0.2):
            self.ops.append(self.op(lambda: self.called("Clear", dtypes=self.types)))

    def stage(self):
        return self.op(lambda *v: raw.Stage(values=list(v), **self.own), *[(t, lambda t=t, s=s: self.value(t, s)) for t, s in zip(self.types, self.shapes)])

    def out(self, op):
        return self.op(lambda: op(dtypes=self.types if self.chance(0.9) else self.types + [tf.int32], **self.own))

    def peek(self):
        return self.op(lambda i: raw.StagePeek(index=i, dtypes=self.types, **self.own), (tf.int32, lambda: np.array(self.of(0, 0, 1, 1, 2, -1), np.int32)))

    def size(self, what):
        return self.op(lambda: getattr(raw, what + "Size")(dtypes=self.types, **self.own))

    def called(self, op, **attributes):
        return getattr(raw, self.map + op)(**attributes, **self.own)

    def key(self):
        return (tf.int64, lambda: np.array(self.draw.randint(0, 4) if self.chance(0.96) else [self.draw.randint(0, 4)] * self.of(1, 2), np.int64))

    def indices(self, given):
        return (tf.int32, lambda: np.array(given if self.chance(0.97) else [given[0]] * len(given) + [0] if self.chance(0.5) else [[0]], np.int32))

    def put(self):
        given = sorted(self.draw.sample(range(len(self.types)), self.draw.randint(1, len(self.types)))) if self.chance(0.6) else list(range(len(self.types)))
        if self.chance(0.05):
            given = self.of(given + [0], [5])
        types = [self.types[i] if i < len(self.types) and self.chance(0.98) else tf.int16 for i in given]
        return self.op(lambda k, i, *v: self.called("Stage", key=k, indices=i, values=list(v), dtypes=self.types), self.key(), self.indices(given),
                       *[(t, lambda t=t, i=i: self.value(t, (self.shapes + [[]] * 5)[i])) for t, i in zip(types, given)])

    def taken(self, op):
        given = list(range(len(self.types))) if self.chance(0.6) else sorted(self.draw.sample(range(len(self.types)), self.draw.randint(1, len(self.types))))
        if self.chance(0.04):
            given = [5] * len(given)
        types = [self.types[i] if i < len(self.types) and self.chance(0.98) else tf.int16 for i in given]
        if op == "UnstageNoKey":
            return self.op(lambda i: self.called(op, indices=i, dtypes=types), self.indices(given))
        return self.op(lambda k, i: self.called(op, key=k, indices=i, dtypes=types), self.key(), self.indices(given))


class Table(Program):
    length = 12

    def build(self):
        self.kind = self.of("HashTable", "MutableHashTable", "MutableHashTable", "MutableHashTableOfTensors", "MutableDenseHashTable", "MutableDenseHashTable")
        keys = self.of(tf.string, tf.string, tf.int64, tf.int64, tf.int32)
        values = self.of(tf.float32, tf.float64, tf.int32, *{tf.string: [tf.int64, tf.bool], tf.int64: [tf.int64], tf.int32: []}[keys])
        if self.chance(0.2) and (self.kind == "HashTable" or keys == tf.int64 and self.kind != "MutableDenseHashTable"):
            values = tf.string
        self.key_type, self.value_type = keys, values
        self.value_shape = self.of([2], [1], [], [3]) if self.kind == "MutableHashTableOfTensors" else self.of([], [2]) if self.kind == "MutableDenseHashTable" else []
        self.key_shape = self.of([], [], [2]) if self.kind == "MutableDenseHashTable" and self.chance(0.3) else []
        self.v1 = self.chance(0.2)
        own = {"name": self.name + "_t", "value_dtype": values, "shared_name": self.of("", self.name + "_shared"), "use_node_name_sharing": self.of(True, False)}
        t = self.make(own)
        self.ops = [self.find(t) for _ in range(3)] + [self.put(t, "Insert") for _ in range(4)] + [self.put(t, "Import"), self.op(lambda: self.called("LookupTableSize", t)),
                    self.op(lambda: self.called("LookupTableSize", t)), self.exported(t)]
        if not self.v1:
            self.ops += [self.remove(t), self.remove(t)]
        if self.kind == "HashTable" or self.chance(0.2):
            self.ops += [self.put(t, "Initialize") for _ in range(3)]
        if self.kind == "HashTable":
            self.ops.append(self.put(t, "Import"))

    def make(self, own):
        if self.kind == "MutableDenseHashTable":
            own |= {"max_load_factor": self.of(0.8, 0.5), "initial_num_buckets": self.of(4, 8, 16, 131072) if self.chance(0.95) else 3, "value_shape": self.value_shape}
            empty, deleted = (b"", b"~") if self.key_type == tf.string else (-1, -2)
            if self.chance(0.05):
                deleted = empty
            shape = self.key_shape if self.chance(0.97) else self.key_shape + [1]
            key = lambda k: tf.constant(np.full(shape, k, object if self.key_type == tf.string else self.key_type.as_numpy_dtype), self.key_type)
            if not self.v1:
                own |= {"deleted_key": key(deleted)}
            return getattr(raw, self.kind + ("" if self.v1 else "V2"))(empty_key=key(empty), **own)
        if self.kind == "MutableHashTableOfTensors":
            own |= {"value_shape": self.value_shape}
        return getattr(raw, self.kind + ("" if self.v1 else "V2"))(key_dtype=self.key_type, **own)

    def called(self, op, t, **attributes):
        return getattr(raw, op + ("" if self.v1 else "V2"))(table_handle=t, **attributes)

    def keys(self, n, bad=0.03):
        if self.key_type == tf.string:
            all_keys = ["a", "b", "c", "dd", "e", "f"] + (["", "~"] if self.chance(bad * 2) else [])
        else:
            all_keys = [1, 2, 3, 400, 5, 60] + ([-1, -2] if self.chance(bad * 2) else [])
        rows = n if isinstance(n, list) else [n]
        count = int(np.prod(rows + self.key_shape))
        drawn = np.array([self.draw.choice(all_keys) for _ in range(count)], object if self.key_type == tf.string else self.key_type.as_numpy_dtype)
        return drawn.reshape(rows + self.key_shape)

    def wrong(self, dtype):
        return dtype if self.chance(0.96) else tf.int16

    def given_keys(self):
        def value():
            self.batch = self.of([0], [1], [2], [3], [2, 2], [] if self.kind != "MutableDenseHashTable" else [4]) if self.chance(0.3) else [self.draw.randint(1, 3)]
            return self.keys(self.batch)
        return (self.key_type, value)

    def find(self, t):
        dtype = self.wrong(self.value_type)
        default = lambda: self.value(dtype, self.value_shape if self.chance(0.85) else self.batch + self.value_shape if self.chance(0.6) else self.value_shape + [2])
        return self.op(lambda k, d: self.called("LookupTableFind", t, keys=k, default_value=d), self.given_keys(), (dtype, default))

    def put(self, t, how):
        dtype = self.wrong(self.value_type)
        values = lambda: self.value(dtype, self.near(self.batch + self.value_shape))
        if how == "Initialize":
            return self.op(lambda k, v: getattr(raw, "InitializeTable" + ("" if self.v1 else "V2"))(table_handle=t, keys=k, values=v), self.given_keys(), (dtype, values))
        return self.op(lambda k, v: self.called("LookupTable" + how, t, keys=k, values=v), self.given_keys(), (dtype, values))

    def remove(self, t):
        return self.op(lambda k: raw.LookupTableRemoveV2(table_handle=t, keys=k), self.given_keys())

    def exported(self, t):
        """Sorted, since the order is that of a hash table: by key, or the number of entries where keys are texts. One with dense places shows them all."""
        if self.kind == "MutableDenseHashTable":
            return None
        found = self.called("LookupTableExport", t, Tkeys=self.key_type, Tvalues=self.value_type)
        if self.key_type == tf.string:
            return self.op(lambda: [tf.shape(x, name=self.fresh("shape")) for x in found])
        order = tf.argsort(found[0], stable=True)
        return self.op(lambda: [tf.gather(x, order, name=self.fresh("sorted")) for x in found])


class Accumulator(Program):
    length, timeout = 12, 150

    def build(self):
        self.kind = self.of("dense", "dense", "resource", "sparse", "sparse")
        self.dtype = self.of(tf.float32, tf.float32, tf.float64)
        self.shape = self.of([2], [2, 2], [], [3, 1]) if self.kind != "sparse" else self.of([3], [3, 2])
        own = {"dtype": self.dtype, "shape": self.shape if self.chance(0.7) else None, "reduction_type": self.of("MEAN", "MEAN", "SUM"), "name": self.name + "_a",
               "shared_name": self.of("", self.name + "_shared")}
        prefix = {"dense": "", "resource": "Resource", "sparse": "Sparse"}[self.kind]
        op = {"dense": raw.ConditionalAccumulator, "resource": raw.ResourceConditionalAccumulator, "sparse": raw.SparseConditionalAccumulator}[self.kind]
        a = op(**own)
        dtype = self.dtype if self.chance(0.95) else tf.float16
        step = (tf.int64, lambda: np.array(self.of(0, 0, 0, 1, 2), np.int64) if self.chance(0.95) else np.array([0], np.int64))
        apply = (lambda s, g: getattr(raw, prefix + "AccumulatorApplyGradient")(handle=a, local_step=s, gradient=g)) if self.kind != "sparse" else None
        push = (lambda: self.sparse(a, dtype, step)) if self.kind == "sparse" else (lambda: self.op(apply, step, (dtype, lambda: self.value(dtype, self.near(self.shape)))))
        sp = prefix if self.kind != "dense" else ""
        take = lambda: self.op(lambda n: getattr(raw, ("Sparse" if self.kind == "sparse" else sp) + "AccumulatorTakeGradient")(handle=a, num_required=n, dtype=self.dtype),
                               (tf.int32, lambda: np.array(self.of(1, 1, 2, 2, 3, 0, -1), np.int32) if self.chance(0.96) else np.array([1], np.int32)))
        plain = prefix if self.kind == "resource" else ""
        self.ops = [push(), push(), push(), take(), take(), self.op(lambda: getattr(raw, plain + "AccumulatorNumAccumulated")(handle=a)),
                    self.op(lambda s: getattr(raw, plain + "AccumulatorSetGlobalStep")(handle=a, new_global_step=s), (tf.int64, lambda: np.array(self.of(0, 1, 1, 2, 3), np.int64)))]

    def sparse(self, a, dtype, step):
        has_shape = self.chance(0.5)
        def indices():
            self.rows = self.draw.randint(0, 3)
            rows = sorted(self.draw.sample(range(3), self.rows)) if self.chance(0.8) else [self.draw.randint(-1, 3) for _ in range(self.rows)]
            return np.array(rows, np.int64) if self.chance(0.97) else np.array([rows], np.int64)
        values = lambda: self.value(dtype, [self.rows if self.chance(0.95) else 1] + self.near(self.shape[1:]))
        shape = lambda: np.array(self.near(self.shape) if self.chance(0.9) else [], np.int64)
        return self.op(lambda s, i, v, w: raw.SparseAccumulatorApplyGradient(handle=a, local_step=s, gradient_indices=i, gradient_values=v, gradient_shape=w,
                                                                            has_known_shape=has_shape), step, (tf.int64, indices), (dtype, values), (tf.int64, shape))


class PerStep(Program):
    """Steps that are whole programs: their ops run one after the other."""
    ops = ()

    def in_order(self, op):
        with tf.control_dependencies(self.last):
            made = op()
        self.last = [t if isinstance(t, tf.Operation) else t.op for t in tf.nest.flatten(list(made) if isinstance(made, tuple) else made)][:1]
        return made

    def steps(self):
        fetches = [t.name for t in self.results]
        if fetches:
            yield Step([(p, v()) for p, v in self.places], fetches, [])
        yield Step([(p, v()) for p, v in self.places], [], [self.last[0].name])


class Array(PerStep):
    def build(self):
        self.last, self.results = [], []
        self.dtype = self.of(tf.float32, tf.float32, tf.int32, tf.string, tf.bool, tf.complex64, tf.int64)
        self.shape = self.of([], [2], [1, 2], [3])
        self.size = self.draw.randint(0, 4)
        declared = self.shape if self.chance(0.4) else None if self.chance(0.6) else [None] * len(self.shape)
        size = lambda: np.array(self.size if self.chance(0.97) else self.of(-1, [2]), np.int32)
        array, flow = raw.TensorArrayV3(size=self.fed(tf.int32, size), dtype=self.dtype, element_shape=declared, dynamic_size=self.chance(0.3),
                                        clear_after_read=self.chance(0.6), identical_element_shapes=self.chance(0.4), tensor_array_name=self.of("", "a", "arr_1"), name=self.name + "_ta")
        self.last = [flow.op]
        self.arrays, self.flow = [array], flow
        for _ in range(self.draw.randint(2, 9)):
            self.one()

    def one(self):
        a = self.draw.choice(self.arrays)
        weights = [(self.write, 5), (self.read, 3), (self.gather, 2), (self.scatter, 2), (self.concat, 2), (self.split, 2), (self.length_of, 1), (self.grad, 1), (self.close, 0.3)]
        self.draw.choices([w[0] for w in weights], [w[1] for w in weights])[0](a)

    def note(self, result):
        if not result.dtype == tf.variant:
            self.results.append(tf.identity(result, name=self.fresh("out")))

    def type(self):
        return self.dtype if self.chance(0.96) else tf.int16

    def drawn(self, shape, dtype):
        return self.value(tf.float32, shape).astype(np.complex64) if dtype == tf.complex64 else self.value(dtype, shape)

    def index(self):
        n = self.size + 1 if self.chance(0.15) else max(self.size, 1)
        return np.array(self.draw.randrange(n) if self.chance(0.96) else self.of(-1, [0], 7), np.int32)

    def indices(self):
        drawn = list(range(self.size)) if self.chance(0.6) else [self.draw.randrange(self.size + 1) for _ in range(self.draw.randint(0, 3))]
        return np.array(drawn if self.chance(0.97) else 0, np.int32)

    def write(self, a):
        t = self.type()
        i, v = self.fed(tf.int32, self.index), self.fed(t, lambda: self.drawn(self.near(self.shape), t))
        self.in_order(lambda: raw.TensorArrayWriteV3(handle=a, index=i, value=v, flow_in=self.flow))

    def read(self, a):
        i, t = self.fed(tf.int32, self.index), self.type()
        self.note(self.in_order(lambda: raw.TensorArrayReadV3(handle=a, index=i, flow_in=self.flow, dtype=t)))

    def given_shape(self):
        return self.shape if self.chance(0.3) else None if self.chance(0.8) else self.of([None] * len(self.shape), [2, 2], [1])

    def gather(self, a):
        i, t, s = self.fed(tf.int32, self.indices), self.type(), self.given_shape()
        self.note(self.in_order(lambda: raw.TensorArrayGatherV3(handle=a, indices=i, flow_in=self.flow, dtype=t, element_shape=s)))

    def scatter(self, a):
        t = self.type()
        def indices():
            drawn = self.indices()
            self.batch = drawn.size
            return drawn
        i = self.fed(tf.int32, indices)
        v = self.fed(t, lambda: self.drawn([self.batch] + self.near(self.shape) if self.chance(0.93) else self.near(self.shape), t))
        self.in_order(lambda: raw.TensorArrayScatterV3(handle=a, indices=i, value=v, flow_in=self.flow))

    def concat(self, a):
        t, s = self.type(), self.shape[1:] if self.chance(0.3) else None
        value, lengths = self.in_order(lambda: raw.TensorArrayConcatV3(handle=a, flow_in=self.flow, dtype=t, element_shape_except0=s))
        self.note(value)
        self.note(lengths)

    def split(self, a):
        t = self.type()
        def lengths():
            n = self.size if self.chance(0.9) else self.size + 1
            self.lengths = [self.shape[0] if self.shape and self.chance(0.7) else self.draw.randint(0, 3) for _ in range(n)]
            return np.array(self.lengths if self.chance(0.97) else 3, np.int64)
        # What is split comes after its lengths are drawn.
        l = self.fed(tf.int64, lengths)
        v = self.fed(t, lambda: self.drawn([sum(self.lengths) + self.of(0, 0, 0, 0, 0, 1)] + self.shape[1:] if self.chance(0.97) else [], t))
        self.in_order(lambda: raw.TensorArraySplitV3(handle=a, value=v, lengths=l, flow_in=self.flow))

    def length_of(self, a):
        self.note(self.in_order(lambda: raw.TensorArraySizeV3(handle=a, flow_in=self.flow)))

    def grad(self, a):
        source = self.of("gradients", "other")
        if self.chance(0.3):
            prefix = self.fed(tf.int32, lambda: np.array(self.of([2], [], [3, 1]), np.int32))
            made = self.in_order(lambda: raw.TensorArrayGradWithShape(handle=a, flow_in=self.flow, shape_to_prepend=prefix, source=source))
        else:
            made = self.in_order(lambda: raw.TensorArrayGradV3(handle=a, flow_in=self.flow, source=source))
        self.arrays.append(made[0])

    def close(self, a):
        self.in_order(lambda: raw.TensorArrayCloseV3(handle=a))


class Stack(PerStep):
    def build(self):
        self.last, self.results = [], []
        self.dtype = self.of(tf.float32, tf.int32, tf.string)
        name = self.of("", "s", "st")
        if self.chance(0.8):
            most = self.fed(tf.int32, lambda: np.array(self.of(-1, 2, 1, 0, 5, -2) if self.chance(0.95) else [3], np.int32))
            s = raw.StackV2(max_size=most, elem_type=self.dtype, stack_name=name, name=self.name + "_stack")
            push, pop, close = raw.StackPushV2, raw.StackPopV2, raw.StackCloseV2
        else:
            s = raw.Stack(elem_type=self.dtype, stack_name=name, name=self.name + "_stack")
            push, pop, close = raw.StackPush, raw.StackPop, raw.StackClose
        self.last = [s.op]
        for _ in range(self.draw.randint(1, 7)):
            dice = self.draw.random()
            if dice < 0.5:
                t = self.dtype if self.chance(0.95) else tf.int16
                v = self.fed(t, lambda t=t: self.value(t, self.of([], [2])))
                made = self.in_order(lambda: push(handle=s, elem=v, swap_memory=self.chance(0.2)))
            elif dice < 0.95:
                made = self.in_order(lambda: pop(handle=s, elem_type=self.dtype if self.chance(0.95) else tf.int16))
            else:
                self.in_order(lambda: close(handle=s))
                continue
            self.results.append(tf.identity(made, name=self.fresh("out")))


KINDS = {"queues": Queue, "barriers": Barrier, "stages": Stage, "tables": Table, "accumulators": Accumulator, "arrays": Array, "stacks": Stack}
