// Crosses of features: for each row all combinations of one feature of each column, as texts or as hashes. A column is
// a sparse matrix or a dense one.

#include <farmhash.h>

#include <algorithm>

#include "placer/graph/tensor_text.hpp"
#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/sparse_parts.hpp"

namespace tarry {
namespace {

// Inputs: indices, values and shapes of `sparse` columns each, then the dense columns.
struct Columns {
  std::size_t sparse = 0, dense = 0;

  [[nodiscard]] const TensorBody& values(const KernelContext& c, std::size_t column) const {
    return c.in(column < sparse ? sparse + column : 3 * sparse + column - sparse);
  }
};

Status check_sparse_columns(const Columns& k, const KernelContext& c) {
  const auto at = [&](std::size_t part, std::size_t i) -> const Shape& { return c.shape(part * k.sparse + i); };
  for (std::size_t i = 0; i < k.sparse; ++i) {
    if (at(0, i).rank() != 2)
      return invalid("Input indices should be a matrix but received shape {} at position {}", to_string(at(0, i)), i);
    if (at(0, i).dims[1] != 2)
      return invalid("Expected D2 of index to be 2 got {} at position {}", at(0, i).dims[1], i);
  }
  for (std::size_t i = 0; i < k.sparse; ++i) {
    if (at(1, i).rank() != 1)
      return invalid("Input values should be a vector but received shape {} at position {}", to_string(at(1, i)), i);
    if (at(1, i).dims[0] != at(0, i).dims[0])
      return invalid("Expected size of values to be {} got {} at position {}", at(0, i).dims[0], at(1, i).dims[0], i);
  }
  for (std::size_t i = 0; i < k.sparse; ++i) {
    if (at(2, i).rank() != 1)
      return invalid("Input shapes should be a vector but received shape {} at position {}", to_string(at(2, i)), i);
    if (at(2, i).dims[0] != 2)
      return invalid("shape should imply a 2D tensor, but got {} at position {}", to_string(at(2, i)), i);
  }
  return {};
}

// Gives the number of rows, which all columns have.
StatusOr<std::int64_t> check_columns(const Columns& k, const KernelContext& c) {
  TARRY_RETURN_IF_ERROR(check_sparse_columns(k, c));
  const std::size_t first = 3 * k.sparse;
  for (std::size_t i = 0; i < k.dense; ++i)
    if (c.shape(first + i).rank() != 2)
      return invalid("Dense inputs should be a matrix but received shape {} at position {}",
                     to_string(c.shape(first + i)), i);
  const auto rows = [&](std::size_t i) { return c.data<std::int64_t>(2 * k.sparse + i)[0]; };
  const std::int64_t batch = k.sparse > 0 ? rows(0) : k.dense > 0 ? c.shape(first).dims[0] : 0;
  for (std::size_t i = 0; i < k.sparse; ++i)
    if (rows(i) != batch) return invalid("Expected batch size {} got {} at position {}", batch, rows(i), i);
  for (std::size_t i = 0; i < k.dense; ++i)
    if (const std::int64_t n = c.shape(first + i).dims[0]; n != batch)
      return invalid("Expected batch size {} got {} at dense tensor {}", batch, n, i);
  TARRY_RETURN_IF_ERROR(check_can_be_kept(Shape({std::max<std::int64_t>(batch, 0)})));
  return batch;
}

// Which values of a column a row has.
struct Run {
  std::size_t from = 0, count = 0;
};

// A sparse column is read on from where the last row ended: what is out of order is not seen.
std::vector<std::vector<Run>> runs_by_row(const Columns& k, const KernelContext& c, std::int64_t batch) {
  std::vector<std::vector<Run>> rows(static_cast<std::size_t>(std::max<std::int64_t>(batch, 0)));
  for (std::size_t column = 0; column < k.sparse; ++column)
    for (std::size_t row = 0, at = 0; row < rows.size(); ++row) {
      const auto indices = c.data<std::int64_t>(column);
      Run run{at, 0};
      for (; 2 * at < indices.size() && std::cmp_equal(indices[2 * at], row); ++at) ++run.count;
      rows[row].push_back(run);
    }
  for (std::size_t column = 0; column < k.dense; ++column)
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const auto width = static_cast<std::size_t>(c.shape(3 * k.sparse + column).dims[1]);
      rows[row].push_back({row * width, width});
    }
  return rows;
}

// How many combinations of one value of each column each row has. Fails when tarry cannot keep all of them.
StatusOr<Dims> crosses_of(const std::vector<std::vector<Run>>& rows) {
  constexpr std::int64_t kTooMany = std::int64_t{1} << 40;
  Dims counts;
  std::int64_t all = 0;
  for (const std::vector<Run>& row : rows) {
    std::int64_t count = 1;
    for (const Run& run : row)
      count = run.count == 0
                  ? 0
                  : std::min(count * std::min(static_cast<std::int64_t>(run.count), std::int64_t{1} << 22), kTooMany);
    counts.push_back(count);
    all = std::min(all + count, kTooMany);
  }
  TARRY_RETURN_IF_ERROR(check_can_be_kept(Shape({all})));
  return counts;
}

// Calls `f(the places of one value of each column)` for all combinations; the last column's varies fastest.
// Gives how many each row has. Fails as crosses_of.
template <class F>
StatusOr<Dims> for_each_cross(const std::vector<std::vector<Run>>& rows, F f) {
  TARRY_ASSIGN(const Dims counts, crosses_of(rows));
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t i = 0; std::cmp_less(i, counts[row]); ++i) {
      std::vector<std::size_t> places(rows[row].size());
      for (std::size_t column = places.size(), rest = i; column-- > 0; rest /= rows[row][column].count)
        places[column] = rows[row][column].from + rest % rows[row][column].count;
      f(places);
    }
  return counts;
}

void give_crosses(KernelContext& c, const Dims& counts, TensorRef values) {
  Dims indices;
  for (std::size_t row = 0; row < counts.size(); ++row)
    for (std::int64_t i = 0; i < counts[row]; ++i) {
      indices.push_back(static_cast<std::int64_t>(row));
      indices.push_back(i);
    }
  const std::int64_t widest = counts.empty() ? 0 : std::ranges::max(counts);
  give_sparse(c, 0, indices, std::move(values), {std::ssize(counts), widest});
}

std::string text_at(const TensorBody& t, std::size_t i) {
  return t.dtype() == DataType::kString ? t.strings()[i] : std::to_string(t.as<std::int64_t>()[i]);
}
std::uint64_t print_of(const TensorBody& t, std::size_t i) {
  return t.dtype() == DataType::kString ? util::Fingerprint64(t.strings()[i])
                                        : static_cast<std::uint64_t>(t.as<std::int64_t>()[i]);
}

// Two fingerprints as one.
std::uint64_t joined_prints(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kFactor = 0xC6A4A7935BD1E995;
  const auto mixed = [](std::uint64_t x) { return x ^ (x >> 47); };
  std::uint64_t to = (a ^ kFactor ^ (mixed(b * kFactor) * kFactor)) * kFactor;
  to = mixed(to) * kFactor;
  return mixed(to);
}

Status cross_texts(const Columns& k, KernelContext& c, std::int64_t batch, const std::string& separator) {
  std::vector<std::string> all;
  const auto crossed = for_each_cross(runs_by_row(k, c, batch), [&](const std::vector<std::size_t>& places) {
    std::string text;
    for (std::size_t i = 0; i < places.size(); ++i)
      text += (i > 0 ? separator : "") + text_at(k.values(c, i), places[i]);
    all.push_back(std::move(text));
  });
  TARRY_RETURN_IF_ERROR(crossed.status());
  MutableTensor values = make_tensor(DataType::kString, Shape({std::ssize(all)}));
  values->mutable_strings() = std::move(all);
  return give_crosses(c, *crossed, values), Status();
}

struct Hashing {
  std::int64_t buckets = 0;
  bool has_key = false;
  std::uint64_t key = 0;
};

Status cross_hashes(const Columns& k, KernelContext& c, std::int64_t batch, const Hashing& h) {
  Dims all;
  const auto crossed = for_each_cross(runs_by_row(k, c, batch), [&](const std::vector<std::size_t>& places) {
    std::uint64_t hash = h.key;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::uint64_t print = print_of(k.values(c, i), places[i]);
      hash = i == 0 && !h.has_key ? print : joined_prints(hash, print);
    }
    const auto limit = h.buckets > 0 ? h.buckets : std::numeric_limits<std::int64_t>::max();
    all.push_back(static_cast<std::int64_t>(hash % static_cast<std::uint64_t>(limit)));
  });
  TARRY_RETURN_IF_ERROR(crossed.status());
  return give_crosses(c, *crossed, make_vector(all)), Status();
}

Columns columns_of(const KernelSetup& s) {
  const auto n = static_cast<std::size_t>(attr_or(s.attrs, "N", std::int64_t{0}));
  return {n, 0};
}
Columns columns_in(Columns k, const KernelContext& c, std::size_t others) {
  k.dense = c.inputs.size() - 3 * k.sparse - others;
  return k;
}

// Of an internal type of strings all values are strings.
Status check_internal_type(const Columns& k, const KernelContext& c) {
  for (std::size_t i = 0; i < k.sparse + k.dense; ++i)
    if (const DataType type = k.values(c, i).dtype(); type != DataType::kString)
      return invalid("{} should be of internal type {} but received {}", i < k.sparse ? "Input values" : "Dense inputs",
                     static_cast<int>(DataType::kString), static_cast<int>(type));
  return {};
}

// SparseCross: as its attributes say.
Behaviour make_cross(const KernelSetup& s) {
  const bool is_hashed = attr_or(s.attrs, "hashed_output", false),
             of_strings = attr_or(s.attrs, "internal_type", DataType::kString) == DataType::kString;
  const Hashing h{attr_or(s.attrs, "num_buckets", std::int64_t{0}), true,
                  static_cast<std::uint64_t>(attr_or(s.attrs, "hash_key", std::int64_t{0}))};
  return {[given = columns_of(s), is_hashed, of_strings, h](KernelContext& c) -> Status {
            const Columns k = columns_in(given, c, 0);
            TARRY_ASSIGN(const std::int64_t batch, check_columns(k, c));
            if (of_strings) TARRY_RETURN_IF_ERROR(check_internal_type(k, c));
            return is_hashed ? cross_hashes(k, c, batch, h) : cross_texts(k, c, batch, "_X_");
          },
          nullptr};
}

// SparseCrossV2 (and the separator).
Behaviour make_cross_v2(const KernelSetup& s) {
  return {[given = columns_of(s)](KernelContext& c) -> Status {
            const Columns k = columns_in(given, c, 1);
            TARRY_ASSIGN(const std::int64_t batch, check_columns(k, c));
            const TensorBody& separator = c.in(c.inputs.size() - 1);
            if (separator.shape().rank() != 0)
              return invalid("Input separator should be a scalar. Received: {}",
                             tensor_text({DataType::kString, separator.shape(), "", separator.strings()}, true));
            return cross_texts(k, c, batch, separator.strings()[0]);
          },
          nullptr};
}

// SparseCrossHashed (and the number of buckets, whether the hash is a strong one, its salt).
Behaviour make_cross_hashed(const KernelSetup& s) {
  return {[given = columns_of(s)](KernelContext& c) -> Status {
            const Columns k = columns_in(given, c, 3);
            const std::size_t first = c.inputs.size() - 3;
            TARRY_ASSIGN(const std::int64_t batch, check_columns(k, c));
            if (c.in(first).elements() != 1 || c.in(first + 1).elements() != 1)
              return invalid("num_buckets and strong_hash should be scalars");
            if (const std::int64_t n = c.in(first + 2).elements(); n != 2)
              return invalid("Input \"salt\" must have length 2 but has length {}", n);
            if (c.data<bool>(first + 1)[0])
              return error(Code::kUnimplemented, "tarry computes no strong hashes of crosses");
            for (std::size_t i = 0; i < k.sparse; ++i)
              if (k.values(c, i).dtype() != DataType::kString)
                return error(Code::kUnimplemented,
                             "tarry does not know how SparseCrossHashed hashes whole numbers of "
                             "a sparse column");
            return cross_hashes(k, c, batch, {integers_of(c.in(first))[0]});
          },
          nullptr};
}

constexpr KernelRow kCrossRows[] = {
    {"SparseCross", make_cross},
    {"SparseCrossV2", make_cross_v2},
    {"SparseCrossHashed", make_cross_hashed},
};

}  // namespace

KernelFamily cross_ops() { return kCrossRows; }

}  // namespace tarry
