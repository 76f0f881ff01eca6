"""Batches from a queue that runners fill."""
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
    row = tf.train.input_producer(tf.random_normal([1000, 20]), shuffle=True, capacity=32).dequeue()
    batch = tf.train.batch([row], batch_size=16, capacity=64)
    w = tf.get_variable("w", [20, 4])
    loss = tf.reduce_sum(tf.square(tf.matmul(batch, w)))
    step = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(0.01).minimize(loss, global_step=step)
with tf.train.MonitoredTrainingSession(master=server.target, is_chief=is_chief) as sess:
    while not sess.should_stop():
        sess.run(train)
