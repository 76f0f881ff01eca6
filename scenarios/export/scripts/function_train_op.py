"""The optimizer runs in a tf.function, under a condition that skips bad steps."""
import argparse

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.enable_resource_variables()
tf.enable_control_flow_v2()
parser = argparse.ArgumentParser()
parser.add_argument("--job_name", default="worker")
parser.add_argument("--task_index", type=int, default=0)
flags = parser.parse_args()

cluster = tf.train.ClusterSpec({"ps": ["ps0:2222"], "worker": ["host0:2222", "host1:2222"]})
server = tf.train.Server(cluster, job_name=flags.job_name, task_index=flags.task_index)
if flags.job_name == "ps":
    server.join()
is_chief = flags.task_index == 0

setter = tf.train.replica_device_setter(worker_device="/job:worker/task:{}".format(flags.task_index), cluster=cluster)


@tf.function(autograph=False)
def update(x):
    now = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
    gradient = tf.gradients(now, w)[0]
    is_good = tf.reduce_all(tf.is_finite(gradient))
    with tf.control_dependencies([tf.cond(is_good, lambda: optimizer.apply_gradients([(gradient, w)], step), tf.no_op)]):
        return tf.identity(now)


with tf.device(setter):
    x = tf.placeholder(tf.float32, [None, 5], name="x")
    w = tf.get_variable("w", [5, 1])
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    loss = update(x)
with tf.train.MonitoredTrainingSession(master=server.target, is_chief=is_chief) as sess:
    while not sess.should_stop():
        sess.run(loss, {x: np.random.rand(8, 5)})
