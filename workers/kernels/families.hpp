// The rows of each family of ops (one file each).
#pragma once

#include "workers/kernels/kernel.hpp"

namespace tarry {

void add_accumulator_ops(KernelTable&);
void add_array_ops(KernelTable&);
void add_barrier_ops(KernelTable&);
void add_call_ops(KernelTable&);
void add_control_ops(KernelTable&);
void add_einsum_ops(KernelTable&);
void add_gather_ops(KernelTable&);
void add_layout_ops(KernelTable&);
void add_math_ops(KernelTable&);
void add_more_math_ops(KernelTable&);
void add_nn_ops(KernelTable&);
void add_optimizer_ops(KernelTable&);
void add_queue_ops(KernelTable&);
void add_random_ops(KernelTable&);
void add_reduction_ops(KernelTable&);
void add_sampling_ops(KernelTable&);
void add_scan_ops(KernelTable&);
void add_scatter_ops(KernelTable&);
void add_segment_ops(KernelTable&);
void add_select_ops(KernelTable&);
void add_slice_ops(KernelTable&);
void add_sparse_update_ops(KernelTable&);
void add_stack_ops(KernelTable&);
void add_staging_ops(KernelTable&);
void add_state_ops(KernelTable&);
void add_string_ops(KernelTable&);
void add_tensor_array_ops(KernelTable&);
void add_transfer_ops(KernelTable&);

}  // namespace tarry
