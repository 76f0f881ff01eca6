#include "workers/kernels/input_rule.hpp"

namespace tarry {
namespace {

bool fits(Takes takes, const Shape& s) {
  switch (takes) {
    case Takes::scalar:
      return s.rank() == 0;
    case Takes::scalar_or_vector_of_one:
      return s.rank() == 0 || (s.rank() == 1 && s.dims[0] == 1);
    case Takes::one_element:
      return s.elements() == 1;
    case Takes::first_element:
      return s.elements() > 0;
    case Takes::vector:
      return s.rank() == 1;
    case Takes::scalar_or_vector:
      return s.rank() <= 1;
  }
  return false;
}

Status check_read(const KernelContext& c, const InputRule& rule) {
  TARRY_RETURN_IF_ERROR(check_input(c, rule));
  return c.in(rule.input).has_data()
             ? Status()
             : error(Code::kFailedPrecondition, "a scalar input has no value here: raise values_up_to, or feed it");
}

}  // namespace

Status refused(const KernelContext& c, const InputRule& rule) {
  const Shape& shape = c.shape(rule.input);
  return Status(Code::kInvalidArgument,
                fmt::format(fmt::runtime(rule.refusal), to_string(shape), shape.rank(), shape.elements()));
}

Status check_input(const KernelContext& c, const InputRule& rule) {
  return fits(rule.takes, c.shape(rule.input)) ? Status() : refused(c, rule);
}

Status check_inputs(const KernelContext& c, std::span<const InputRule> rules) {
  for (const InputRule& rule : rules) TARRY_RETURN_IF_ERROR(check_input(c, rule));
  return {};
}

StatusOr<std::int64_t> integer_in(const KernelContext& c, const InputRule& rule) {
  TARRY_RETURN_IF_ERROR(check_read(c, rule));
  return integers_of(c.in(rule.input))[0];
}

StatusOr<std::string> text_in(const KernelContext& c, const InputRule& rule) {
  TARRY_RETURN_IF_ERROR(check_read(c, rule));
  return c.in(rule.input).strings()[0];
}

}  // namespace tarry
