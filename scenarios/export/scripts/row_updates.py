"""SGD on the rows of an embedding table that is a resource variable: its only update is ResourceScatterAdd."""
import argparse

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.enable_resource_variables()
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
    ids = tf.placeholder(tf.int32, [16], name="ids")
    table = tf.get_variable("table", [100, 8])
    loss = tf.reduce_mean(tf.square(tf.nn.embedding_lookup(table, ids) - 1.0))
    step = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss, global_step=step)
with tf.train.MonitoredTrainingSession(master=server.target, is_chief=is_chief) as sess:
    while not sess.should_stop():
        sess.run([train, loss], {ids: np.random.randint(0, 100, 16)})
