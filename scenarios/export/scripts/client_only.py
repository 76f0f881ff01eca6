"""A client of servers that others started: its cluster is only given to replica_device_setter, and its session has a
server's address."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

cluster = tf.train.ClusterSpec({"ps": ["a:1", "b:1"], "worker": ["c:1", "d:1", "e:1"]})
with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device="/job:worker/task:0")):
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    w = tf.get_variable("w", [4, 3])
    b = tf.get_variable("b", [3])
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b))
    train = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=tf.train.get_or_create_global_step())

with tf.train.MonitoredTrainingSession("grpc://c:1", is_chief=True) as session:
    session.run(train, {x: np.ones((8, 4))})
