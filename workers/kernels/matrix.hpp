// Matrices as tensors hold them: row after row.
#pragma once

#include <Eigen/Core>

namespace tarry {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace tarry
