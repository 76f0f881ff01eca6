// The house rules (docs/contributing.md): each is a function that gives the places in source files that break it, empty
// when none does.
//
// They read text, not syntax trees: what they can't see (a macro that hides an include, an alias of a banned name) is
// left to reviewers.
#pragma once

#include <string>
#include <vector>

#include "properties/house/source.hpp"

namespace tarry::house {

using Sources = std::vector<Source>;
using Offences = std::vector<std::string>;  // "path:line: what is wrong"

// Includes point upstream only: placer <- workers <- sim, results beside them, then scenarios, then properties; and
// within each of those folders from a room (a folder with a purpose of its own) to rooms before it.
[[nodiscard]] Offences wrong_arrows(const Sources&);

// How many times the files of one room include files of another.
struct Arrow {
  std::string from, to;
  std::size_t includes = 0;
};
// In the order of the rooms.
[[nodiscard]] std::vector<Arrow> arrows(const Sources&);
// All rooms, upstream first.
[[nodiscard]] std::vector<std::string> rooms();

// SimGrid in sim/ only, protobuf and the wire edge in placer/graph/ only, the fake world in tests only.
[[nodiscard]] Offences foreign_headers(const Sources&);

// One scenario and one seed give one hash: no wall clock, no threads, no foreign randomness, no environment, no order
// by chance. The command line and benchmarks (folders cli/ and bench/) may ask the clock and the environment.
[[nodiscard]] Offences chance(const Sources&);

// Hash tables (absl::flat_hash_*) are for look-ups. Sees loops over a table that the same x.hpp or x.cpp declares.
[[nodiscard]] Offences iterated_hash_tables(const Sources&);

// Algorithms whose result Clang 14 cannot make with Debian 12's library (std::ranges::subrange), views, and C++23's.
[[nodiscard]] Offences refused_by_a_compiler(const Sources&);

// Variables that outlive a call and may change: static, thread_local, or of a namespace.
[[nodiscard]] Offences mutable_statics(const Sources&);

// Only main ends the process. The child that sim/ forks for a run may leave by _exit.
[[nodiscard]] Offences exits(const Sources&);

// "docs/rules/runtime.md#C.3" in code, comments and build files names a section that exists, and the documents of rules
// are named in no other way.
[[nodiscard]] Offences dangling_citations(const Sources&);

// Links of Markdown files lead to files, folders and sections that exist.
[[nodiscard]] Offences dangling_links(const Sources&);

// Files that the documents name in code spans, such as `sim/transport.cpp`, exist.
[[nodiscard]] Offences missing_paths(const Sources&);

// What a test writes goes when the test ends, and no two tests write the same file: only the Folder of
// placer/core/folder_test.hpp asks where temporary files are.
[[nodiscard]] Offences temporary_files(const Sources&);

// The project works where it is cloned: no path of a developer's machine in any file.
[[nodiscard]] Offences outside_paths(const Sources&);

}  // namespace tarry::house
