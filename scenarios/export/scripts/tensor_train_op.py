"""The training op is a tensor, as slim.create_train_op makes it: the step runs what it fetches."""
import argparse

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
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

with tf.device(setter):
    x = tf.placeholder(tf.float32, [None, 13], name="x")
    y = tf.placeholder(tf.float32, [None, 1], name="y")
    loss = tf.losses.mean_squared_error(y, tf.layers.dense(x, 1))
    _, mean = tf.metrics.mean(loss)
    step = tf.train.get_or_create_global_step()
    update = tf.train.GradientDescentOptimizer(0.01).minimize(loss, global_step=step)
    with tf.control_dependencies([update]):
        train = tf.identity(loss, name="train_op")
with tf.train.MonitoredTrainingSession(master=server.target, is_chief=is_chief) as sess:
    while not sess.should_stop():
        sess.run([train, mean], {x: np.random.rand(32, 13), y: np.random.rand(32, 1)})
