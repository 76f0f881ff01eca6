"""Dropout and batch normalisation, whose updates are in a collection."""
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
    x = tf.placeholder(tf.float32, [None, 28, 28, 1], name="x")
    y = tf.placeholder(tf.int64, [None], name="y")
    training = tf.placeholder_with_default(False, [], name="training")
    image = tf.layers.max_pooling2d(tf.layers.conv2d(x, 8, 3, activation=tf.nn.relu), 2, 2)
    flat = tf.layers.batch_normalization(tf.layers.flatten(image), training=training)
    loss = tf.losses.sparse_softmax_cross_entropy(y, tf.layers.dense(tf.layers.dropout(flat, 0.5, training=training), 10))
    step = tf.train.get_or_create_global_step()
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train = tf.train.AdamOptimizer(1e-3).minimize(loss, global_step=step)
with tf.train.MonitoredTrainingSession(master=server.target, is_chief=is_chief) as sess:
    while not sess.should_stop():
        sess.run(train, {x: np.random.rand(16, 28, 28, 1), y: np.random.randint(0, 10, 16), training: True})
