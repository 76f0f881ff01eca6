#pragma once

// Leaves free blocks of the size that a Graph's arena asks for, in an order drawn anew at each call, so that the nodes
// and edges of the next graph lie scattered. Where TensorFlow walks a set of pointers, every call shows another of its
// answers.
void scatter_memory();
