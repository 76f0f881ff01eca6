// The rows of each family of ops (one file each).
#pragma once

#include "workers/kernels/kernel.hpp"

namespace tarry {

KernelFamily accumulator_ops();
KernelFamily array_ops();
KernelFamily assign_slice_ops();
KernelFamily barrier_ops();
KernelFamily bitwise_ops();
KernelFamily box_ops();
KernelFamily call_ops();
KernelFamily checkpoint_ops();
KernelFamily control_ops();
KernelFamily count_ops();
KernelFamily cross_ops();
KernelFamily ctc_ops();
KernelFamily decode_ops();
KernelFamily dense_segment_ops();
KernelFamily diagonal_ops();
KernelFamily digest_ops();
KernelFamily einsum_ops();
KernelFamily factor_ops();
KernelFamily fake_quant_ops();
KernelFamily gather_ops();
KernelFamily image_ops();
KernelFamily layout_ops();
KernelFamily linear_ops();
KernelFamily lookup_ops();
KernelFamily lookup_text_ops();
KernelFamily math_ops();
KernelFamily candidate_ops();
KernelFamily complex_ops();
KernelFamily fourier_ops();
KernelFamily variate_ops();
KernelFamily message_read_ops();
KernelFamily mirror_ops();
KernelFamily more_math_ops();
KernelFamily nn_ops();
KernelFamily norm_ops();
KernelFamily optimizer_ops();
KernelFamily optional_ops();
KernelFamily parse_ops();
KernelFamily picture_ops();
KernelFamily queue_ops();
KernelFamily ragged_ops();
KernelFamily random_ops();
KernelFamily read_ops();
KernelFamily reader_ops();
KernelFamily recurrent_ops();
KernelFamily reduction_ops();
KernelFamily regex_ops();
KernelFamily resource_ops();
KernelFamily sampling_ops();
KernelFamily scan_ops();
KernelFamily scatter_nd_ops();
KernelFamily scatter_ops();
KernelFamily search_ops();
KernelFamily segment_ops();
KernelFamily select_ops();
KernelFamily set_ops();
KernelFamily slice_ops();
KernelFamily small_ops();
KernelFamily space_ops();
KernelFamily sparse_count_ops();
KernelFamily sparse_math_ops();
KernelFamily sparse_pair_ops();
KernelFamily sparse_tensor_ops();
KernelFamily sparse_update_ops();
KernelFamily special_ops();
KernelFamily stack_ops();
KernelFamily staging_ops();
KernelFamily staging_map_ops();
KernelFamily quantize_ops();
KernelFamily scale_ops();
KernelFamily crop_back_ops();
KernelFamily temporary_ops();
KernelFamily state_ops();
KernelFamily stateless_ops();
KernelFamily string_ops();
KernelFamily summary_ops();
KernelFamily suppress_ops();
KernelFamily tensor_array_ops();
KernelFamily tensor_list_ops();
KernelFamily tensor_scatter_ops();
KernelFamily text_format_ops();
KernelFamily text_ops();
KernelFamily transfer_ops();
KernelFamily unicode_ops();
KernelFamily warp_ops();
KernelFamily window_ops();

std::span<const KernelFamily> all_families();

}  // namespace tarry
