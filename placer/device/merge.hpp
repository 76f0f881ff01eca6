// Comparing and merging partial device names (docs/rules/placer.md#A.4, #A.5).
//
// Merging depends on the order of the names: a type that a soft merge cleared is merely absent, and a third name may
// set it again.
#pragma once

#include "placer/device/name.hpp"

namespace tarry {

// Every field of `less` is in `more` with the same value.
[[nodiscard]] bool is_specification(const DeviceName& less, const DeviceName& more);

// What "compatible" means: that one name specifies the other (up to 2.1), or that no field present in both differs
// (from 2.2). /job:a and /cpu:1 tell them apart.
enum class Compatibility { nested, wide };
[[nodiscard]] bool are_compatible(const DeviceName& a, const DeviceName& b, Compatibility meaning);

// Job, replica and task are in both and equal.
[[nodiscard]] bool is_same_address_space(const DeviceName& a, const DeviceName& b);
// One of job, replica and task is in both and differs.
[[nodiscard]] bool is_different_address_space(const DeviceName& a, const DeviceName& b);

// What happens when the two names differ in type (or id). hard: an error. soft: the type (or id) is dropped from the
// result; with the type the id is dropped, too, and the merge stops there. overriding: the second name's is taken. A
// job, replica or task that differs is an error in every mode.
enum class MergeMode { hard, soft, overriding };

// Fails: INVALID_ARGUMENT `Cannot merge devices with incompatible types: 'A' and 'B'`, where A is `target` as merged so
// far and both are printed in `style`.
[[nodiscard]] Status merge(DeviceName& target, const DeviceName& other, MergeMode mode,
                           NameStyle style = NameStyle::with_device);

// `more`, with every field that `less` has set to its value.
[[nodiscard]] DeviceName ensure_specification(DeviceName more, const DeviceName& less);

}  // namespace tarry
