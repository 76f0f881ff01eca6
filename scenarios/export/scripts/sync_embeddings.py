"""Synchronous workers with an embedding table, whose gradients are sparse."""
import argparse

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
parser = argparse.ArgumentParser()
parser.add_argument("--job_name", default="worker")
parser.add_argument("--task_index", type=int, default=0)
flags = parser.parse_args()

cluster = tf.train.ClusterSpec({"ps": ["ps0:2222", "ps1:2222"], "worker": ["host0:2222", "host1:2222", "host2:2222"]})
server = tf.train.Server(cluster, job_name=flags.job_name, task_index=flags.task_index)
if flags.job_name == "ps":
    server.join()
is_chief = flags.task_index == 0

setter = tf.train.replica_device_setter(worker_device="/job:worker/task:{}".format(flags.task_index), cluster=cluster)

with tf.device(setter):
    ids = tf.placeholder(tf.int32, [None, 5], name="ids")
    label = tf.placeholder(tf.float32, [None], name="label")
    table = tf.get_variable("table", [1000, 16])
    words = tf.reduce_mean(tf.nn.embedding_lookup(table, ids), 1)
    logit = tf.squeeze(tf.layers.dense(words, 1), 1)
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=label, logits=logit))
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.SyncReplicasOptimizer(
        tf.train.AdagradOptimizer(0.1), replicas_to_aggregate=3, total_num_replicas=3)
    train = optimizer.minimize(loss, global_step=step)

hooks = [optimizer.make_session_run_hook(is_chief)]

with tf.train.MonitoredTrainingSession(master=server.target, is_chief=is_chief, hooks=hooks) as sess:
    while not sess.should_stop():
        sess.run(train, {ids: np.random.randint(0, 1000, [32, 5]), label: np.random.rand(32)})
