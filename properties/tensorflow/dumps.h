// What is registered in this release: device types with their priorities, kernels, ops.
#pragma once

void dump_types();
void dump_kernels();
void dump_ops();
