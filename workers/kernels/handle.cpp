#include "workers/kernels/handle.hpp"

#include "workers/kernels/state.hpp"

namespace tarry {
namespace {

std::string_view type_text(ResourceKind kind) {
  switch (kind) {
    case ResourceKind::variable:
      return "tensorflow::Var";
    case ResourceKind::queue:
      return "tensorflow::QueueInterface";
    case ResourceKind::accumulator:
      return "tensorflow::ConditionalAccumulatorBase";
    case ResourceKind::barrier:
      return "tensorflow::barrier::Barrier";
    case ResourceKind::stack:
      return "tensorflow::Stack";
    case ResourceKind::tensor_array:
      return "tensorflow::TensorArray";
    case ResourceKind::lookup_table:
      return "tensorflow::lookup::LookupInterface";
    case ResourceKind::reader:
      return "tensorflow::ReaderInterface";
    case ResourceKind::staging_area:
    case ResourceKind::none:
      break;  // without handles
  }
  return "";
}

// The i-th string of a handle: its object's name, or device. Empty for a handle that nobody here made, and for a
// reference.
std::string_view string_of(const Value& handle, std::size_t i) {
  return handle.tensor && handle.tensor->strings().size() == 2 ? std::string_view(handle.tensor->strings()[i]) : "";
}

}  // namespace

TensorRef make_handle(DataType type, std::string name, std::string device) {
  MutableTensor handle = make_tensor(type, Shape());
  if (type == DataType::kResource) handle->mutable_strings() = {std::move(name), std::move(device)};
  return handle;
}

ObjectKernel::ObjectKernel(const KernelSetup& s, When when, FindOrMake find_or_make)
    : looks_again_(when == When::lost_too),
      is_private_(attr_or(s.attrs, "shared_name", std::string()).empty() &&
                  !attr_or(s.attrs, "use_node_name_sharing", false)),
      host_(s.host),
      type_(base_type(s.outputs[0])),
      name_(resource_name(s)),
      find_or_make_(std::move(find_or_make)) {}

Status ObjectKernel::find() {
  const std::string name = is_private_ ? fmt::format("_{}_{}", host_.counters->private_objects++, name_) : name_;
  TARRY_ASSIGN(Resource * object, find_or_make_(name));
  given_ = {make_handle(type_, name, host_.device), object};
  return {};
}

Status check_object(const Value& input, ResourceKind needed, std::string_view device) {
  if (input.resource == nullptr)
    return invalid("Trying to access resource {} located in device {} from device {}", string_of(input, 0),
                   string_of(input, 1), device);
  const ResourceKind kind = input.resource->kind();
  if (kind == needed) return input.resource->is_lost() ? input.resource->lost() : Status();
  return invalid(
      "Trying to access a handle's resource using the wrong type. The handle points to a resource (name '{}') of type "
      "'{}' but you are trying to access the resource as type '{}'",
      string_of(input, 0), type_text(kind), type_text(needed));
}

}  // namespace tarry
