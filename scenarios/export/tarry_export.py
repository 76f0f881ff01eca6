#!/usr/bin/env python3
"""Writes a TensorFlow 1 training script as a job that tarry runs.

    python tarry_export.py --out job -- train.py --job_name=worker --task_index=0
    tarry run job

or, as the first lines of the script:

    import tarry_export
    tarry_export.save("job")

The script builds its graph and makes its session as ever, but nothing is computed and no server is started: every
run of a session answers with zeros, and at the first training step the job is written and the program ends. A
training step is a run that applies gradients. The folder then has, for each task that the script was run as,
`worker_0.pb` (the graph), `worker_0.json` (what its client feeds and runs) and, from the first task, `scenario.yaml`
(the cluster, the protocol, the feeds' shapes, what an op costs). A parameter server needs no run.

    --values   keeps what the step was fed with, for models whose course depends on it: as .npy files, and strings
               in the scenario
    --trace    computes two steps of the graph here, on one machine, and takes the ops' times from the second

One file, for TensorFlow 1.12 to 2.15; it needs nothing but TensorFlow. What it says about itself goes to standard
error, with "tarry_export:" in front.
"""

import argparse
import glob
import json
import os
import re
import runpy
import sys

TRAINS = re.compile(r"(Resource)?(Sparse)?Apply[A-Z]\w*|(Resource|Sparse)?AccumulatorApplyGradient|"
                    r"AssignSub(VariableOp)?|(Resource)?Scatter(Nd)?(Add|Sub)")
WRITES_ROWS = re.compile(r"(Resource)?Scatter(Nd)?(Mul|Div|Min|Max|Update)")  # trains where nothing else does
CALLS = re.compile(r"(Stateless)?(If|While|Case)$|(Stateful)?PartitionedCall$|RemoteCall$")  # and ops named like functions
CHANGES = re.compile(WRITES_ROWS.pattern + r"|Assign\w*|CountUpTo|\w*Table(Insert|Import)\w*")  # and trains nothing
READERS = {"ReadFile": 0, "MatchingFiles": 0, "InitializeTableFromTextFile": 1, "InitializeTableFromTextFileV2": 1,
           "ReaderRead": 1, "ReaderReadV2": 1, "ReaderReadUpTo": 1, "ReaderReadUpToV2": 1}  # where a file's name goes in
REPORTS = "ready_op", "ready_for_local_init_op"
INLINE = 1000  # strings that a scenario holds of a feed, which no array file does
PATIENCE = 20  # runs without a training step, until that is said


def say(text):
    sys.stderr.write("tarry_export: {}\n".format(text))


class Refused(Exception):
    """What a user must hear instead of a traceback."""


class Done(SystemExit):
    """The job is written: nothing of the script runs any more."""


# ---- what the script does ----


class Seen:
    """What a script told TensorFlow until its first training step."""

    def __init__(self, out, values, trace):
        self.out, self.values, self.trace = out, values, trace
        self.cluster = {}  # job -> addresses
        self.specs, self.target = [], ""  # clusters that were described, and the session's master
        self.job, self.index, self.is_chief = "worker", 0, None
        self.scaffold = None  # of a monitored session, or the Supervisor
        self.asked = None  # fetches of the run that the script itself asked for
        self.is_preparing = False  # a session is being made ready: nothing that runs is a training step
        self.idle_runs = 0  # those after which the script still waits for its training step
        self.initialised_by = []  # ops that ran before the first training step
        self.sync = None  # (optimizer, its hook)
        self.hooks = []  # of the monitored session


def tensorflow():
    import tensorflow as tf

    return getattr(tf.compat, "v1", tf)


def ancestors(ops):
    found, todo = set(), list(ops)
    while todo:
        op = todo.pop()
        if op in found:
            continue
        found.add(op)
        todo += [t.op for t in op.inputs] + list(op.control_inputs)
    return found


LIBRARIES = {}  # graph -> (its version, its functions by name)


def library_of(graph):
    if graph not in LIBRARIES or LIBRARIES[graph][0] != graph.version:
        functions = graph.as_graph_def().library.function
        LIBRARIES[graph] = graph.version, {f.signature.name: f for f in functions}
    return LIBRARIES[graph][1]


def called_by(node, library):
    named = [name for attr in node.attr.values() for name in [attr.func.name] + [f.name for f in attr.list.func]]
    return [name for name in named + [node.op] if name in library]


def types_in(op):
    """The op's type, and those of all ops in the functions that it calls."""
    types, library = {op.type}, {}
    if CALLS.match(op.type) or op.graph._is_function(op.type):
        library = library_of(op.graph)
    todo = called_by(op.node_def, library) if library else []
    seen = set()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        types.update(node.op for node in library[name].node_def)
        todo += [called for node in library[name].node_def for called in called_by(node, library)]
    return types


def any_does(kinds, ops):
    return any(kinds.match(kind) for op in ops for kind in types_in(op))


def is_training_step(graph, ops):
    run = ancestors(ops)
    if any_does(TRAINS, run):
        return True
    return any_does(WRITES_ROWS, run) and not any_does(TRAINS, graph.get_operations())


def say_once_what_is_waited_for(seen, ops):
    seen.idle_runs += not seen.is_preparing
    if seen.is_preparing or seen.idle_runs != PATIENCE:
        return
    changes = sorted({kind for op in ancestors(ops) for kind in types_in(op) if CHANGES.match(kind)})
    say("{} runs of a session, and none of them a training step: one that runs an op such as ApplyAdam, "
        "ResourceScatterAdd, AssignSub or AccumulatorApplyGradient. The last run changes variables by {}. Nothing is "
        "written before a training step; if the script has none, stop it".format(PATIENCE, ", ".join(changes) or "no op"))


def say_what_is_left_out(graph, ops):
    """Of several optimizers that a script runs one after the other, only the first is in its first training step."""
    done = ancestors(ops)
    left = [op.name for op in graph.get_operations() if op not in done and any_does(TRAINS, [op])]
    if left:
        say("{} ops that apply gradients are not in this step, such as {}: a job has one kind of step, so put the "
            "targets of the others into the sidecar, or run them together in the script".format(len(left), left[0]))


def op_of(element):
    return getattr(element, "op", element)


def is_tensor(element):
    return hasattr(element, "op")


def answer_for(tensor):
    """Zeros; of what may be empty nothing, so that every report of uninitialised variables is empty."""
    import numpy as np

    shape = [d if d is not None else 0 for d in (tensor.shape.as_list() if tensor.shape.ndims is not None else [])]
    kind = tensor.dtype.base_dtype.as_numpy_dtype
    if kind is object:
        return np.full(shape, b"", object) if shape else b""
    return np.zeros(shape, kind)


# ---- TensorFlow's side: what is answered without being done ----


def watch_servers(seen):
    from tensorflow.python.training import server_lib

    def init(self, server_or_cluster_def, job_name=None, task_index=None, *_, **__):
        seen.cluster = server_lib.ClusterSpec(server_or_cluster_def).as_dict()
        seen.job, seen.index = job_name or seen.job, task_index or 0

    def join(self):
        say("a parameter server has no graph of its own: nothing was written. Run the script as a worker.")
        raise Done(0)

    real_init = server_lib.ClusterSpec.__init__

    def describe(self, cluster):
        real_init(self, cluster)
        if self.as_dict():
            seen.specs.append(self.as_dict())

    server_lib.ClusterSpec.__init__ = describe
    server_lib.Server.__init__ = init
    server_lib.Server.start = lambda self: None
    server_lib.Server.join = join
    server_lib.Server.target = property(lambda self: "")
    server_lib.Server.__del__ = lambda self: None


def watch_sessions(seen):
    from tensorflow.python.client import session

    real_init, seen.compute = session.BaseSession.__init__, session.BaseSession._do_run

    def init(self, target="", graph=None, config=None):
        seen.target = target or seen.target
        real_init(self, "", graph, None)

    def do_run(self, handle, targets, fetches, feeds, options, run_metadata):
        asked = seen.asked if seen.asked is not None else list(targets) + list(fetches)
        if not seen.is_preparing and is_training_step(self.graph, [op_of(e) for e in asked]):
            write_job(seen, self.graph, asked, {deref(t): v for t, v in feeds.items()})
            raise Done(0)
        say_once_what_is_waited_for(seen, [op_of(e) for e in asked])
        seen.initialised_by += [op for op in targets if op not in seen.initialised_by]
        return [answer_for(t) for t in fetches]

    session.BaseSession.__init__ = init
    session.BaseSession._do_run = do_run


def deref(tensor):
    return tensor.deref() if hasattr(tensor, "deref") else tensor


def watch_monitored_sessions(seen):
    from tensorflow.python.client import session
    from tensorflow.python.training import monitored_session as monitored

    real_run, real_init = monitored._HookedSession.run, monitored._MonitoredSession.__init__

    def init(self, session_creator, hooks, should_recover, *rest, **more):
        creator = session_creator or monitored.ChiefSessionCreator()
        seen.scaffold = creator._scaffold
        seen.is_chief = isinstance(creator, monitored.ChiefSessionCreator)
        seen.hooks = list(hooks or [])
        real_init(self, creator, hooks, should_recover, *rest, **more)

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        seen.asked = session._FetchMapper.for_fetch(fetches).unique_fetches()
        try:
            return real_run(self, fetches, feed_dict, options, run_metadata)
        finally:
            seen.asked = None

    monitored._MonitoredSession.__init__ = init
    monitored._HookedSession.run = run


def watch_preparations(seen):
    """Initialisers, reports and what hooks run first are no training, whatever stands behind them (such as batch norm)."""
    from tensorflow.python.training import monitored_session as monitored
    from tensorflow.python.training import session_manager

    manager = session_manager.SessionManager
    for owner, method in ((monitored._MonitoredSession, "__init__"), (manager, "prepare_session"),
                          (manager, "recover_session"), (manager, "wait_for_session")):
        setattr(owner, method, preparing(seen, getattr(owner, method)))


def preparing(seen, real):
    def prepare(*words, **more):
        before, seen.is_preparing = seen.is_preparing, True
        try:
            return real(*words, **more)
        finally:
            seen.is_preparing = before

    return prepare


def watch_supervisors(seen):
    from tensorflow.python.training import supervisor

    real_init = supervisor.Supervisor.__init__

    def init(self, *words, **more):
        real_init(self, *words, **more)
        seen.scaffold, seen.is_chief = self, self._is_chief

    supervisor.Supervisor.__init__ = init


def watch_sync_replicas(seen):
    from tensorflow.python.training import sync_replicas_optimizer as sync

    real_apply, real_begin = sync.SyncReplicasOptimizer.apply_gradients, sync._SyncReplicasOptimizerHook.begin

    def apply_gradients(self, *words, **more):
        seen.sync = (self, None)
        return real_apply(self, *words, **more)

    def begin(self):
        real_begin(self)
        seen.sync = (self._sync_optimizer, self)

    sync.SyncReplicasOptimizer.apply_gradients = apply_gradients
    sync._SyncReplicasOptimizerHook.begin = begin


def write_nothing_else(seen):
    """No checkpoint, no events: the folders of the real job stay as they are."""
    from tensorflow.python.summary.writer import event_file_writer
    from tensorflow.python.training import queue_runner_impl, saver, training_util

    training_util.write_graph = lambda *_, **__: None
    saver.Saver.save = lambda self, sess, save_path, *_, **__: save_path
    seen.fill_queue = queue_runner_impl.QueueRunner.create_threads
    queue_runner_impl.QueueRunner.create_threads = lambda self, *_, **__: []
    writer = event_file_writer.EventFileWriter
    writer.__init__ = lambda self, logdir, *_, **__: setattr(self, "_logdir", logdir)
    for method in ("reopen", "add_event", "flush", "close"):
        setattr(writer, method, lambda self, *_: None)


def save(out, values=False, trace=False):
    """From here on nothing is computed: the first training step is written to the folder `out`, and the program ends."""
    if os.path.exists(out) and not os.path.isdir(out):
        raise Refused("{}: is a file; expected a folder, which is made where there is none".format(out))
    seen = Seen(out, values, trace)
    for watch in (watch_servers, watch_sessions, watch_monitored_sessions, watch_preparations, watch_supervisors,
                  watch_sync_replicas):
        watch(seen)
    write_nothing_else(seen)
    return seen


# ---- the graph, as tarry wants it ----


def has_sharded_saver(scaffold):
    saver = getattr(scaffold, "saver", None)
    return saver is not None and saver.saver_def is not None and saver.saver_def.sharded


def scaffold_of(seen, graph):
    """The names of what initialises and reports; adds to a copy of the graph what the script has not made."""
    tf = tensorflow()
    if isinstance(seen.scaffold, tf.train.Scaffold) and has_sharded_saver(seen.scaffold):
        return graph, seen.scaffold
    drop = {getattr(tf.GraphKeys, k) for k in ("INIT_OP", "LOCAL_INIT_OP", "READY_OP", "READY_FOR_LOCAL_INIT_OP", "SAVERS")}
    meta = tf.train.export_meta_graph(graph=graph, collection_list=[k for k in graph.get_all_collection_keys() if k not in drop])
    init = [op.name for op in init_ops(seen)]
    copy = tf.Graph()
    with copy.as_default():
        tf.train.import_meta_graph(meta)
        ops = [copy.get_operation_by_name(name) for name in init]
        scaffold = tf.train.Scaffold(init_op=tf.group(*ops) if ops else None)
        return copy, scaffold.finalize()


def init_ops(seen):
    if seen.scaffold is None:
        return seen.initialised_by
    return [op_of(seen.scaffold.init_op)] if seen.scaffold.init_op is not None else []


def name_of(element):
    return None if element is None else element.name


def name_of_op(element):
    return name_of(op_of(element))


def without_nothing(entries):
    return {k: v for k, v in entries.items() if v is not None}


def session_entries(scaffold):
    entries = {k: name_of_op(getattr(scaffold, k)) for k in ("init_op", "local_init_op")}
    entries.update({k: name_of(getattr(scaffold, k)) for k in REPORTS})
    saver = scaffold.saver.saver_def if scaffold.saver is not None else None
    if saver is not None and saver.filename_tensor_name:
        entries["saver"] = {"filename_tensor": saver.filename_tensor_name, "save_tensor": saver.save_tensor_name,
                            "restore_op": saver.restore_op_name, "sharded": bool(saver.sharded)}
    return without_nothing(entries)


def runner_entries(runner, ops_key):
    return {"queue": runner.queue.name if runner.queue is not None else "",
            ops_key: [op_of(op).name for op in runner.enqueue_ops],
            "close_op": name_of_op(runner.close_op), "cancel_op": name_of_op(runner.cancel_op)}


def sync_entries(seen, graph):
    optimizer, hook = seen.sync
    if hook is None:
        raise Refused("SyncReplicasOptimizer is used without its make_session_run_hook; add the hook to the session")
    ops = graph.get_operations()
    accumulators = [op.name for op in ops if op.type.endswith("ConditionalAccumulator")]
    sparse = [op.name for op in ops if op.type == "SparseConditionalAccumulator"]
    runner = runner_entries(optimizer.get_chief_queue_runner(), "sync_op")
    runner["in_this_graph_runs"] = bool(hook._is_chief)
    return {
        "replicas_to_aggregate": optimizer._replicas_to_aggregate,
        "total_num_replicas": optimizer._total_num_replicas,
        "num_tokens": hook._num_tokens,
        "token_queue": optimizer._sync_token_queue.queue_ref.op.name,
        "chief_queue_runner": runner,
        "init_tokens_op": name_of_op(hook._init_tokens_op) if hook._is_chief else None,
        "hook_local_init_op": name_of_op(hook._local_init_op),
        "ready_for_local_init_op": name_of(hook._ready_for_local_init_op),
        "local_step": optimizer._local_step.op.name,
        "accumulators": [a for a in accumulators if a not in sparse],
        "sparse_accumulators": sparse,
    }


# ---- which task the script is, where it starts no server ----


def take_cluster_from_spec(seen, ops):
    """A client of servers that others started: its cluster is that of replica_device_setter."""
    if seen.cluster or not seen.specs:
        return
    seen.cluster = {job: addresses_of(tasks) for job, tasks in seen.specs[-1].items()}
    of_master = [(j, n) for j in seen.cluster for n, a in enumerate(seen.cluster[j]) if a and seen.target.endswith("//" + a)]
    seen.job, seen.index = (of_master or most_common_worker(seen, ops) or [(seen.job, seen.index)])[0]


def addresses_of(tasks):
    return [tasks[n] for n in sorted(tasks)] if isinstance(tasks, dict) else list(tasks)


def most_common_worker(seen, ops):
    """By the devices of its ops."""
    count = {}
    for op in ops:
        found = re.match(r"/job:(\w+)(/replica:\d+)?/task:(\d+)", op.device or "")
        if found and found.group(1) != "ps" and int(found.group(3)) < len(seen.cluster.get(found.group(1), [])):
            task = found.group(1), int(found.group(3))
            count[task] = count.get(task, 0) + 1
    return [max(sorted(count), key=count.get)] if count else []


# ---- what is written ----


def dims(tensor):
    return [] if tensor.shape.ndims is None else tensor.shape.as_list()


def feed_entries(graph, feeds):
    """Every placeholder, and whatever else the step feeds; what the step does not feed is optional."""
    holders = [op.outputs[0] for op in graph.get_operations() if op.type in ("Placeholder", "PlaceholderWithDefault")]
    names = {t.name for t in feeds}
    others = [graph.get_tensor_by_name(n) for n in sorted(names) if n not in {h.name for h in holders}]
    return [{"name": t.name, "dtype": t.dtype.base_dtype.name, "shape": dims(t), "optional": t.name not in names}
            for t in holders + others]


def variable_entries(tf, graph):
    locals_ = {v.op.name for v in graph.get_collection(tf.GraphKeys.LOCAL_VARIABLES)}
    ops = [op for op in graph.get_operations() if op.type in ("VariableV2", "Variable", "VarHandleOp")]
    return [{"name": op.name, "op": op.type, "local": op.name in locals_} for op in ops]


def target_names(asked, feeds):
    """All that the step computes: tarry runs the targets alone. A fed tensor is fetched without its op."""
    fed = {t.name for t in feeds}
    return sorted({op_of(e).name for e in asked if e.name not in fed})


def sidecar(seen, graph, scaffold, asked, feeds):
    tf = tensorflow()
    tensors = sorted({e.name for e in asked if is_tensor(e)})
    step = tf.train.get_global_step(graph)
    if step is not None and step.op.type == "VariableV2":
        tensors = sorted(set(tensors) | {step.op.name + ":0"})
    runners = graph.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
    entries = {
        "name": seen.name, "task": "/job:{}/task:{}".format(seen.job, seen.index), "is_chief": bool(seen.is_chief),
        "feeds": feed_entries(graph, feeds),
        "targets": target_names(asked, feeds), "fetches": tensors,
        "session": session_entries(scaffold), "variables": variable_entries(tf, graph),
        "tf_version": tf.__version__, "how": "tarry_export.py",
    }
    if seen.sync is not None:
        entries["sync"] = sync_entries(seen, graph)
    chief = seen.sync[0].get_chief_queue_runner().name if seen.sync else None
    others = [r for r in runners if r.name != chief]
    if others:
        entries["queue_runners"] = [runner_entries(r, "enqueue_ops") for r in others]
    return entries


def in_folder(seen, name):
    return os.path.join(seen.out, name)


def write(seen, name, text):
    with open(in_folder(seen, name), "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode("utf-8"))
    say("wrote " + in_folder(seen, name))


def refuse_what_tarry_has_not(ops):
    has_not = {"IteratorGetNext", "IteratorV2", "OneShotIterator", "PyFunc"}
    names = sorted({kind for op in ops for kind in types_in(op)} & has_not)
    if names:
        raise Refused("the step runs {}: tarry has neither tf.data nor Python functions; feed the batch through "
                      "placeholders, or through queues".format(", ".join(names)))


def refuse_python_input(graph):
    runners = graph.get_collection(tensorflow().GraphKeys.QUEUE_RUNNERS)
    names = [r.name for r in runners if hasattr(r, "_feed_fns")]
    if names:
        raise Refused("the queue {} is filled by a Python function (numpy_input_fn, pandas_input_fn): tarry has none; feed "
                      "the batch through placeholders, or fill queues from tensors".format(", ".join(names)))


def say_what_initialisers_lack(graph, scaffold):
    first = [op_of(getattr(scaffold, k)) for k in ("init_op", "local_init_op")]
    lacks = sorted(op.name for op in ancestors([op for op in first if op is not None]) if op.type == "Placeholder")
    if lacks:
        say("the initialisers take {}, which the script feeds to them (init_feed_dict). Neither sidecar nor scenario can "
            "say that, so the job will fail with 'You must feed a value for placeholder tensor'. Give what is initialised "
            "from there an initialiser that needs no feed, and export again".format(", ".join(n + ":0" for n in lacks)))


def write_job(seen, graph, asked, feeds):
    take_cluster_from_spec(seen, ancestors([op_of(e) for e in asked]))
    refuse_python_input(graph)
    seen.name = "{}_{}".format(seen.job, seen.index)
    if seen.is_chief is None:
        seen.is_chief = seen.index == 0
    refuse_what_tarry_has_not(ancestors([op_of(e) for e in asked]))
    if seen.sync is None:
        say_what_is_left_out(graph, [op_of(e) for e in asked])
    if not os.path.isdir(seen.out):
        os.makedirs(seen.out)
    graph, scaffold = scaffold_of(seen, graph)
    say_what_initialisers_lack(graph, scaffold)
    definition = graph.as_graph_def(add_shapes=True)
    write(seen, seen.name + ".pb", definition.SerializeToString())
    entries = sidecar(seen, graph, scaffold, asked, feeds)
    write(seen, seen.name + ".json", json.dumps(entries, indent=1) + "\n")
    waits = seen.trace and seen.sync is not None and entries["sync"]["num_tokens"] == 0
    if waits:
        say("--trace: not done: without initial tokens a step waits for the other workers")
    traced = trace_step(seen, entries, graph, feeds) if seen.trace and not waits else None
    values = write_values(seen, feeds) if seen.values else {}
    say_that_strings_are_lost(feeds if not seen.values else [])
    if seen.index == 0 or not os.path.exists(in_folder(seen, "scenario.yaml")) or has_own_graphs(seen):
        write(seen, "scenario.yaml", scenario(seen, feeds, values, traced))
    say_how_to_give(file_lines(graph, asked, scaffold))
    say("try it: tarry run " + seen.out)


def as_text(value):
    return value.decode("utf-8") if isinstance(value, bytes) else value


def escaped(found):
    return "\\u{:04x}".format(ord(found.group()))


def inline_strings(array):
    """As a scenario writes them; nothing where it cannot."""
    import numpy as np

    try:
        texts = [as_text(value) for value in array.ravel().tolist()]
    except UnicodeDecodeError:
        return None
    if len(texts) > INLINE or not all(isinstance(text, str) for text in texts):
        return None
    nested = np.array(texts, object).reshape(array.shape).tolist()
    return re.sub("[\x7f-\x9f\u2028\u2029\ufeff]", escaped, json.dumps(nested, ensure_ascii=False))


def write_values(seen, feeds):
    """What a scenario says of each feed's values."""
    import numpy as np

    values = {}
    for number, (tensor, value) in enumerate(sorted(feeds.items(), key=lambda entry: entry[0].name)):
        array = np.asarray(value)
        if array.dtype.kind in "OSU":
            values[tensor.name] = inline_strings(array)
            if values[tensor.name] is None:
                say("the values of {} are left out: they are more than {} strings, or bytes that are no text".format(
                    tensor.name, INLINE))
            continue
        name = "{}_feed_{}.npy".format(seen.name, number)
        np.save(in_folder(seen, name), array)
        values[tensor.name] = "{{file: {}}}".format(name)
    return without_nothing(values)


def say_that_strings_are_lost(feeds):
    names = sorted(t.name for t in feeds if t.dtype.base_dtype.name == "string")
    if names:
        say("{} is fed with strings, and the job feeds empty ones; with --values it has the script's".format(
            ", ".join(names)))


# ---- the files that the graph reads ----


def file_readers(graph, asked, scaffold):
    """The ops that read files when a session is made, in a step, or to fill a queue."""
    runners = graph.get_collection(tensorflow().GraphKeys.QUEUE_RUNNERS)
    names = [op_of(e).name for e in list(asked) + [scaffold.init_op, scaffold.local_init_op] if e is not None]
    names += [op_of(op).name for runner in runners for op in runner.enqueue_ops]
    return [op for op in ancestors([graph.get_operation_by_name(name) for name in names]) if op.type in READERS]


def constant_strings(graph, tensors):
    """Those that tensors are made from, also by way of queues."""
    tf = tensorflow()
    found, seen, todo = [], set(), [t.op for t in tensors]
    enqueues = [op for op in graph.get_operations() if "Enqueue" in op.type]
    while todo:
        op = todo.pop()
        if op in seen:
            continue
        seen.add(op)
        if op.type == "Const" and op.outputs[0].dtype == tf.string:
            found += [v.decode("utf-8", "replace") for v in tf.make_ndarray(op.get_attr("value")).ravel().tolist()]
        todo += [t.op for t in op.inputs] + [t.op for e in enqueues if e.inputs[0].op is op for t in e.inputs]
    return sorted(set(found))


def file_entry(name):
    found = sorted(glob.glob(name))
    source = json.dumps(os.path.abspath(found[0]), ensure_ascii=False) if found else "FILE"
    return "    - {{name: {}, from: {}}}".format(json.dumps(name, ensure_ascii=False), source)


def file_lines(graph, asked, scaffold):
    """How to give the contents of input files, with their names where these are constants of the graph."""
    readers = file_readers(graph, asked, scaffold)
    if not readers:
        return []
    names = constant_strings(graph, [op.inputs[READERS[op.type]] for op in readers])
    return ["feeds:", "  files:"] + [file_entry(name) for name in names or ["NAME"]]


def say_how_to_give(lines):
    if lines:
        say("the graph reads files, and the job does not know what is in them. Where shapes depend on that, give the files "
            "in scenario.yaml:\n" + "\n".join(lines[:6] + ["    ..."] * (len(lines) > 6)))


# ---- the times of ops ----


def trace_step(seen, entries, graph, feeds):
    """The name of a file of RunMetadata; nothing, and a word why, where the graph does not run alone."""
    tf = tensorflow()
    local = tf.Graph()
    with local.as_default():
        definition = graph.as_graph_def()
        for nodes in [definition.node] + [function.node_def for function in definition.library.function]:
            for node in nodes:
                node.device = ""
        tf.import_graph_def(definition, name="")
    try:
        metadata = traced_run(seen, entries, local, {t.name: v for t, v in feeds.items()})
    except Exception as problem:  # pylint: disable=broad-except
        say("--trace: the step does not run on one machine: {}".format(" ".join(str(problem).split())[:400]))
        return None
    write(seen, seen.name + ".metadata.pb", metadata.SerializeToString())
    return seen.name + ".metadata.pb"


def traced_run(seen, entries, local, feeds):
    """The second step's, so that what is made once does not count."""
    tf = tensorflow()
    from tensorflow.python.client import session

    metadata = tf.RunMetadata()
    full = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, timeout_in_ms=60000)
    step = [entries["fetches"], entries["targets"]]
    fake, session.BaseSession._do_run = session.BaseSession._do_run, seen.compute
    try:
        with tf.Session(graph=local) as sess:
            for name in first_ops(entries):
                sess.run(name)
            coordinator, threads = tf.train.Coordinator(), []
            for runner in local_runners(tf, entries, local):
                threads += seen.fill_queue(runner, sess, coord=coordinator, daemon=True, start=True)
            sess.run(step, feeds, options=tf.RunOptions(timeout_in_ms=60000))
            sess.run(step, feeds, options=full, run_metadata=metadata)
            coordinator.request_stop()
            coordinator.join(threads, stop_grace_period_secs=10, ignore_live_threads=True)
    finally:
        session.BaseSession._do_run = fake
    return metadata


def first_ops(entries):
    names = [entries["session"].get(k) for k in ("init_op", "local_init_op")]
    return filter(None, names + [entries.get("sync", {}).get(k) for k in ("hook_local_init_op", "init_tokens_op")])


def local_runners(tf, entries, local):
    get = local.get_operation_by_name
    for runner in entries.get("queue_runners", []):
        yield tf.train.QueueRunner(local.as_graph_element(runner["queue"]), [get(n) for n in runner["enqueue_ops"]],
                                   close_op=get(runner["close_op"]), cancel_op=get(runner["cancel_op"]))


# ---- the scenario ----


def host_of(address):
    return re.sub(r"[^A-Za-z0-9_.-]", "_", address.rsplit(":", 1)[0]) or "host"


def cluster_lines(cluster):
    """Each address is a machine of its own where the script has them all on one."""
    addresses = [a for job in sorted(cluster) for a in cluster[job]]
    alone = len({host_of(a) for a in addresses}) <= 1
    hosts, tasks = [], []
    for job in sorted(cluster):
        for number, address in enumerate(cluster[job]):
            host = "{}{}".format(job, number) if alone else host_of(address)
            hosts += [host] if host not in hosts else []
            tasks.append("    {}/{}: {}".format(job, number, host))
    return ["cluster:", "  hosts: [{}]".format(", ".join(hosts)), "  tasks:"] + tasks


def clients(seen):
    return [(job, number) for job in sorted(seen.cluster) if job != "ps" for number in range(len(seen.cluster[job]))]


def exported(seen):
    """The clients whose graphs are in the folder."""
    return [(j, n) for j, n in clients(seen) if os.path.exists(in_folder(seen, "{}_{}.pb".format(j, n)))]


def has_own_graphs(seen):
    """Each client runs a graph that was exported from it: always, but where a job of workers is made from one's."""
    return set(seen.cluster) != {"ps", "worker"} or len(exported(seen)) == len(clients(seen)) > 1


def program_lines(seen):
    lines = ["programs:"] + ["  - {{task: {0}/{1}, graph: {0}_{1}.pb}}".format(j, n) for j, n in exported(seen)]
    missing = ["{}/{}".format(j, n) for j, n in clients(seen) if (j, n) not in exported(seen)]
    if missing:
        say("{}: no graph yet, so nobody runs there; run the script as each of them, into the same folder".format(", ".join(missing)))
        lines.insert(0, "# {}: no graph yet, so nobody runs there.".format(", ".join(missing)))
    return lines


def job_lines(seen):
    graph = seen.name + ".pb"
    if has_own_graphs(seen):
        return program_lines(seen)
    if seen.sync is None:
        return ["# Every worker's graph is made from this one.", "build: {{graph: {}, protocol: async}}".format(graph)]
    optimizer, hook = seen.sync
    tokens = ", num_tokens: {}".format(hook._num_tokens) if hook._num_tokens != -1 else ""
    needed = optimizer._replicas_to_aggregate
    all_of_them = needed == len(seen.cluster["worker"])
    return ["# Every worker's graph is made from this one." + (" An aggregate needs all workers." if all_of_them else ""),
            "build: {{graph: {}, protocol: sync{}{}}}".format(
                graph, "" if all_of_them else ", replicas_to_aggregate: {}".format(needed), tokens)]


def feed_lines(feeds, values):
    import numpy as np

    if not feeds:
        return []
    lines = ["feeds:", "  shapes:"]
    lines += ["    \"{}\": {}".format(t.name, list(np.shape(feeds[t]))) for t in sorted(feeds, key=lambda t: t.name)]
    if values:
        lines += ["  values:"] + ["    \"{}\": {}".format(t, v) for t, v in sorted(values.items())]
    return lines


def training_lines(seen):
    """When the chief saves: by the hook that MonitoredTrainingSession makes for a checkpoint_dir."""
    for hook in seen.hooks:
        timer = getattr(hook, "_timer", None)
        if type(hook).__name__ != "CheckpointSaverHook" or timer is None:
            continue
        if timer._every_steps:
            return ["training: {{save_steps: {}}}".format(timer._every_steps)]
        return ["training: {{save_every: {:g}s}}".format(timer._every_secs)] if timer._every_secs else []
    return []


def scenario(seen, feeds, values, traced):
    is_alone = not seen.cluster
    if is_alone:
        seen.cluster = {seen.job: ["localhost:0"]}
    lines = ["title: {}".format(json.dumps("{} as tarry_export.py found it".format(os.path.basename(sys.argv[0]) or "a script")))]
    lines += cluster_lines(seen.cluster)
    lines += ["  # What a device can do at most. Put your machine's figures here: docs/manual.md, section 8.",
              "  devices: {cpu: {flops: 100Gflop/s, memory_bandwidth: 20GB/s, launch: 5us}}",
              "  network: {latency: 100us, nic: 10Gbps}"]
    lines += job_lines(seen) + feed_lines(feeds, values)
    lines += ["measured: [{}]".format(traced)] if traced else []
    lines += training_lines(seen)
    lines += ["stop: {steps: 20}" if seen.sync is None else "stop: {aggregates: 20}"]
    return "\n".join(lines) + "\n"


# ---- the command ----


def main(words):
    parser = argparse.ArgumentParser(prog="tarry_export.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="tarry_job", help="the folder that is written (tarry_job)")
    parser.add_argument("--values", action="store_true", help="keep what the step was fed with")
    parser.add_argument("--trace", action="store_true", help="take the ops' times from a step on this machine")
    parser.add_argument("script", help="the training script, after --")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    asked = parser.parse_args(words)
    if not os.path.exists(asked.script):
        say("{}: no such file; expected the training script, after --".format(asked.script))
        return 2
    sys.argv = [asked.script] + asked.arguments
    sys.path.insert(0, os.path.dirname(os.path.abspath(asked.script)))
    try:
        save(asked.out, asked.values, asked.trace)
    except Refused as problem:
        say(str(problem))
        return 2
    except ImportError as problem:
        say("{}; expected a Python with the TensorFlow that the script runs on: {}".format(problem, sys.executable))
        return 2
    try:
        runpy.run_path(asked.script, run_name="__main__")
    except Refused as problem:
        say(str(problem))
        return 2
    say("the script ended without a training step: no run of a session applied gradients")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
