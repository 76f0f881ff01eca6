"""A plain session on one machine."""
import argparse

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
parser = argparse.ArgumentParser()
parser.add_argument("--job_name", default="worker")
parser.add_argument("--task_index", type=int, default=0)
flags = parser.parse_args()

x = tf.placeholder(tf.float32, [None, 20])
y = tf.placeholder(tf.float32, [None, 1])
w = tf.get_variable("w", [20, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(100):
        _, now = sess.run([train, loss], {x: np.random.rand(32, 20), y: np.random.rand(32, 1)})
