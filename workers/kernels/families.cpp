#include "workers/kernels/families.hpp"

#include <array>

namespace tarry {

std::span<const KernelFamily> all_families() {
  // clang-format off
  static const std::array all = {
      accumulator_ops(), array_ops(), barrier_ops(), bitwise_ops(), call_ops(), checkpoint_ops(),
      control_ops(), count_ops(), decode_ops(), dense_segment_ops(), diagonal_ops(), einsum_ops(),
      gather_ops(), image_ops(), layout_ops(), lookup_ops(), lookup_text_ops(), math_ops(), mirror_ops(),
      more_math_ops(), nn_ops(), norm_ops(), optimizer_ops(), optional_ops(), parse_ops(),
      queue_ops(), random_ops(), recurrent_ops(), reduction_ops(), resource_ops(), sampling_ops(),
      scan_ops(), scatter_nd_ops(), scatter_ops(), search_ops(), segment_ops(), select_ops(),
      slice_ops(), space_ops(), special_ops(), sparse_math_ops(), sparse_tensor_ops(), sparse_update_ops(),
      stack_ops(), staging_ops(), state_ops(), string_ops(), tensor_array_ops(), tensor_list_ops(),
      tensor_scatter_ops(), text_ops(), transfer_ops(), window_ops(), summary_ops(), ragged_ops(),
      regex_ops(), digest_ops(), sparse_pair_ops(), linear_ops(), small_ops(), box_ops(),
      set_ops(), stateless_ops(), text_format_ops(), unicode_ops(), cross_ops(), message_read_ops(),
      picture_ops(), candidate_ops(), complex_ops(), fourier_ops(), variate_ops(), factor_ops(),
      suppress_ops(), ctc_ops(), assign_slice_ops(), warp_ops(), sparse_count_ops(), fake_quant_ops(),
      staging_map_ops(), quantize_ops(), scale_ops(), crop_back_ops(), temporary_ops(),
      read_ops(), reader_ops(),
  };
  // clang-format on
  return all;
}

}  // namespace tarry
