#!/usr/bin/env python3
"""Writes the training graphs of the image models that TensorFlow's benchmarks page has figures of.

    python record_benchmarks.py FOLDER

For ResNet-50, ResNet-152 (arXiv:1512.03385, bottlenecks with the stride in their first convolution) and Inception-v3
(arXiv:1512.00567, without its auxiliary head), as one worker with one GPU and one parameter server builds them by
TensorFlow 2.15.1: FOLDER/NAME_bBATCH.pb and .json. The images are made once and stay in a variable on the GPU, in
NCHW order; plain SGD, weights decay. Nothing is computed.
"""

import json
import os
import subprocess
import sys

import tensorflow as tf

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scenarios", "export"))
import tarry_export  # noqa: E402

v1 = tf.compat.v1
WORKER = "/job:worker/task:0"


def conv(x, filters, size, stride=1, padding="SAME"):
    """A convolution without bias, batch normalisation, ReLU."""
    return tf.nn.relu(conv_only(x, filters, size, stride, padding))


def conv_only(x, filters, size, stride=1, padding="SAME"):
    height, width = size if isinstance(size, tuple) else (size, size)
    with v1.variable_scope(None, "conv"):
        kernel = v1.get_variable("kernel", [height, width, x.shape[1], filters])
        x = tf.nn.conv2d(x, kernel, [1, 1, stride, stride], padding, data_format="NCHW")
        return batch_norm(x, filters)


def batch_norm(x, filters):
    scale = v1.get_variable("gamma", [filters], initializer=v1.ones_initializer())
    offset = v1.get_variable("beta", [filters], initializer=v1.zeros_initializer())
    firsts = {"moving_mean": v1.zeros_initializer(), "moving_variance": v1.ones_initializer()}
    averages = [v1.get_variable(name, [filters], initializer=first, trainable=False) for name, first in firsts.items()]
    y, mean, variance = v1.nn.fused_batch_norm(x, scale, offset, epsilon=1e-3, data_format="NCHW", is_training=True)
    for average, value in zip(averages, (mean, variance)):
        v1.add_to_collection(v1.GraphKeys.UPDATE_OPS, v1.assign_sub(average, (average - value) * 0.001))
    return y


def pool(kind, x, size, stride, padding="VALID"):
    make = {"max": tf.nn.max_pool2d, "mean": tf.nn.avg_pool2d}[kind]
    return make(x, size, stride, padding, data_format="NCHW")


def join(*branches):
    return tf.concat(branches, 1)


# ---- residual networks ----

def bottleneck(x, depth, stride):
    shortcut = x
    if x.shape[1] != 4 * depth:
        shortcut = conv_only(x, 4 * depth, 1, stride)
    y = conv(conv(x, depth, 1, stride), depth, 3)
    return tf.nn.relu(conv_only(y, 4 * depth, 1) + shortcut)


def resnet(blocks):
    def model(x):
        x = pool("max", conv(x, 64, 7, 2), 3, 2, "SAME")
        for stage, count in enumerate(blocks):
            for block in range(count):
                x = bottleneck(x, 64 << stage, 2 if block == 0 and stage > 0 else 1)
        return x
    return model


# ---- Inception-v3 ----

def mixed_35(x, pooled):
    return join(conv(x, 64, 1), conv(conv(x, 48, 1), 64, 5), conv(conv(conv(x, 64, 1), 96, 3), 96, 3),
                conv(pool("mean", x, 3, 1, "SAME"), pooled, 1))


def to_17(x):
    return join(conv(x, 384, 3, 2, "VALID"), conv(conv(conv(x, 64, 1), 96, 3), 96, 3, 2, "VALID"), pool("max", x, 3, 2))


def mixed_17(x, depth):
    once = conv(conv(conv(x, depth, 1), depth, (1, 7)), 192, (7, 1))
    twice = conv(conv(conv(conv(conv(x, depth, 1), depth, (7, 1)), depth, (1, 7)), depth, (7, 1)), 192, (1, 7))
    return join(conv(x, 192, 1), once, twice, conv(pool("mean", x, 3, 1, "SAME"), 192, 1))


def to_8(x):
    far = conv(conv(conv(conv(x, 192, 1), 192, (1, 7)), 192, (7, 1)), 192, 3, 2, "VALID")
    return join(conv(conv(x, 192, 1), 320, 3, 2, "VALID"), far, pool("max", x, 3, 2))


def mixed_8(x):
    near = conv(x, 384, 1)
    far = conv(conv(x, 448, 1), 384, 3)
    return join(conv(x, 320, 1), conv(near, 384, (1, 3)), conv(near, 384, (3, 1)), conv(far, 384, (1, 3)),
                conv(far, 384, (3, 1)), conv(pool("mean", x, 3, 1, "SAME"), 192, 1))


def inception3(x):
    x = conv(conv(conv(x, 32, 3, 2, "VALID"), 32, 3, 1, "VALID"), 64, 3)
    x = conv(conv(pool("max", x, 3, 2), 80, 1), 192, 3, 1, "VALID")
    x = pool("max", x, 3, 2)
    for pooled in (32, 64, 64):
        x = mixed_35(x, pooled)
    x = to_17(x)
    for depth in (128, 160, 160, 192):
        x = mixed_17(x, depth)
    return mixed_8(mixed_8(to_8(x)))


MODELS = {"resnet50": (resnet([3, 4, 6, 3]), 224), "resnet152": (resnet([3, 8, 36, 3]), 224),
          "inception3": (inception3, 299)}


def synthetic(batch, size):
    """One batch, made once."""
    def local(name, shape, dtype, initializer):
        where = [v1.GraphKeys.LOCAL_VARIABLES]
        return v1.get_variable(name, shape, dtype, initializer, trainable=False, collections=where)
    with v1.device(WORKER + "/device:GPU:0"):
        images = local("images", [batch, size, size, 3], tf.float32, v1.truncated_normal_initializer())
        labels = local("labels", [batch], tf.int32, v1.zeros_initializer())
        return tf.transpose(images, [0, 3, 1, 2]), labels


def loss_of(model, batch, size):
    images, labels = synthetic(batch, size)
    features = tf.reduce_mean(model(images), [2, 3])
    with v1.variable_scope("logits"):
        kernel = v1.get_variable("kernel", [features.shape[1], 1001])
        logits = tf.matmul(features, kernel) + v1.get_variable("bias", [1001], initializer=v1.zeros_initializer())
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
    return loss + 4e-5 * tf.add_n([tf.nn.l2_loss(v) for v in v1.trainable_variables()])


def train(name, batch, folder):
    """Runs until the first training step, where tarry_export writes the job and ends the program."""
    model, size = MODELS[name]
    tarry_export.save(folder)
    v1.disable_eager_execution()
    with v1.device(v1.train.replica_device_setter(ps_tasks=1, ps_device="/job:ps", worker_device=WORKER)):
        step = v1.train.get_or_create_global_step()
        loss = loss_of(model, batch, size)
        optimizer = v1.train.GradientDescentOptimizer(0.005)
        gradients = optimizer.compute_gradients(loss)
        with tf.control_dependencies(v1.get_collection(v1.GraphKeys.UPDATE_OPS)):
            apply = optimizer.apply_gradients(gradients, step)
    with v1.train.MonitoredTrainingSession(scaffold=v1.train.Scaffold(saver=v1.train.Saver(sharded=True))) as session:
        session.run([apply, loss])


def record(name, batch, folder):
    full = f"{name}_b{batch}"
    subprocess.run([sys.executable, os.path.abspath(__file__), folder, name, str(batch)], check=True)
    with open(os.path.join(folder, "worker_0.json"), encoding="utf-8") as file:
        sidecar = json.load(file)
    sidecar.update(name=full, how=f"record_benchmarks.py: {name}, batch {batch}")
    with open(os.path.join(folder, full + ".json"), "w", encoding="utf-8") as file:
        json.dump(sidecar, file, indent=1)
        file.write("\n")
    os.replace(os.path.join(folder, "worker_0.pb"), os.path.join(folder, full + ".pb"))


if __name__ == "__main__":
    if len(sys.argv) > 2:
        train(sys.argv[2], int(sys.argv[3]), sys.argv[1])
    for model in MODELS:
        for size in (32, 64):
            record(model, size, sys.argv[1])
