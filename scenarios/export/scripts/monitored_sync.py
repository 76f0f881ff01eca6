"""Four synchronous workers, one of them a backup."""
import argparse

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
parser = argparse.ArgumentParser()
parser.add_argument("--job_name", default="worker")
parser.add_argument("--task_index", type=int, default=0)
flags = parser.parse_args()

cluster = tf.train.ClusterSpec({"ps": ["ps0:2222"], "worker": ["host0:2222", "host1:2222", "host2:2222", "host3:2222"]})
server = tf.train.Server(cluster, job_name=flags.job_name, task_index=flags.task_index)
if flags.job_name == "ps":
    server.join()
is_chief = flags.task_index == 0

setter = tf.train.replica_device_setter(worker_device="/job:worker/task:{}".format(flags.task_index), cluster=cluster)

with tf.device(setter):
    x = tf.placeholder(tf.float32, [None, 784], name="x")
    y = tf.placeholder(tf.int64, [None], name="y")
    hidden = tf.layers.dense(x, 128, tf.nn.relu)
    loss = tf.losses.sparse_softmax_cross_entropy(y, tf.layers.dense(hidden, 10))
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.SyncReplicasOptimizer(
        tf.train.MomentumOptimizer(0.1, 0.9), replicas_to_aggregate=3, total_num_replicas=4)
    train = optimizer.minimize(loss, global_step=step)
hooks = [tf.train.StopAtStepHook(last_step=10000), optimizer.make_session_run_hook(is_chief)]

with tf.train.MonitoredTrainingSession(master=server.target, is_chief=is_chief, hooks=hooks) as sess:
    while not sess.should_stop():
        sess.run([train, loss], {x: np.random.rand(100, 784), y: np.random.randint(0, 10, 100)})
