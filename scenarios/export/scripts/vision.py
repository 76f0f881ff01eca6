"""A small vision model, whose batch is open: separable and dilated convolutions, normalisations, Adadelta."""
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
    x = tf.placeholder(tf.float32, [None, 64, 64, 3], name="x")
    y = tf.placeholder(tf.int64, [None], name="y")
    image = tf.image.resize_bilinear(x, [32, 32])
    hidden = tf.nn.depthwise_conv2d(image, tf.get_variable("depthwise", [3, 3, 3, 2]), [1, 2, 2, 1], "SAME")
    hidden = tf.layers.batch_normalization(tf.nn.lrn(tf.nn.elu(hidden)), training=True)
    hidden = tf.pad(hidden, [[0, 0], [1, 1], [1, 1], [0, 0]], "REFLECT")
    hidden = tf.nn.selu(tf.layers.conv2d(hidden, 16, 3, dilation_rate=2, padding="same"))
    logits = tf.layers.dense(tf.layers.flatten(tf.nn.max_pool(hidden, 2, 2, "VALID")), 10)
    loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
    step = tf.train.get_or_create_global_step()
    train = tf.train.AdadeltaOptimizer(0.1).minimize(loss, global_step=step)

with tf.train.MonitoredTrainingSession(master=server.target, is_chief=is_chief) as sess:
    while not sess.should_stop():
        sess.run(train, {x: np.random.rand(8, 64, 64, 3), y: np.random.randint(0, 10, 8)})
