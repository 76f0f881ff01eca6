#include "workers/kernels/families.hpp"

#include <array>

namespace tarry {

std::span<const KernelFamily> all_families() {
  static const std::array all = {
      accumulator_ops(), array_ops(),         barrier_ops(),       bitwise_ops(),   call_ops(),     checkpoint_ops(),
      control_ops(),     decode_ops(),        dense_segment_ops(), einsum_ops(),    gather_ops(),   layout_ops(),
      lookup_ops(),      math_ops(),          mirror_ops(),        more_math_ops(), nn_ops(),       optimizer_ops(),
      optional_ops(),    queue_ops(),         random_ops(),        reduction_ops(), resource_ops(), sampling_ops(),
      scan_ops(),        scatter_nd_ops(),    scatter_ops(),       search_ops(),    segment_ops(),  select_ops(),
      slice_ops(),       sparse_tensor_ops(), sparse_update_ops(), stack_ops(),     staging_ops(),  state_ops(),
      string_ops(),      tensor_array_ops(),  tensor_list_ops(),   transfer_ops()};
  return all;
}

}  // namespace tarry
