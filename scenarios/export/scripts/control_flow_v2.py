"""A condition, a loop and a function of control flow v2 in the model, with their gradients."""
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
def squared(state):
    return tf.reduce_mean(tf.square(state))


with tf.device(setter):
    x = tf.placeholder(tf.float32, [None, 16], name="x")
    training = tf.placeholder(tf.bool, [], name="training")
    w = tf.get_variable("w", [16, 16])
    noisy = tf.cond(training, lambda: x + tf.random_normal([16]), lambda: tf.identity(x))
    _, state = tf.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, tf.tanh(tf.matmul(s, w))), [0, noisy])
    loss = squared(state)
    step = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
with tf.train.MonitoredTrainingSession(master=server.target, is_chief=is_chief) as sess:
    while not sess.should_stop():
        sess.run(train, {x: np.random.rand(8, 16), training: True})
