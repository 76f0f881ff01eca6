#include "sim/flow_module.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "placer/core/check.hpp"
#include "placer/core/folder_test.hpp"
#include "sim/flow_engine.hpp"
#include "sim/runner.hpp"

namespace tarry {
namespace {

bool loads_simgrid() {
  std::ifstream maps("/proc/self/maps");
  return std::string(std::istreambuf_iterator<char>(maps), {}).find("libsimgrid") != std::string::npos;
}

TEST(FlowModule, simgrid_is_loaded_by_the_first_flow_and_by_nothing_before) {
  const auto seen = run_in_child([] {
    const ClusterSpec c{.hosts = {{"a", 1000}, {"b", 1000}}};
    Flows flows(c);
    const bool before = loads_simgrid();
    flows.start(0, HostId{0u}, HostId{1u}, 1000, 1);
    return fmt::format("{} {}", before, loads_simgrid());
  });
  EXPECT_EQ(seen.value_or("failed"), "false true");
}

TEST(FlowModule, its_name_needs_no_simgrid) {
  const auto seen = run_in_child([] { return flow_engine_name() + (loads_simgrid() ? " loaded" : ""); });
  EXPECT_TRUE(seen->starts_with("simgrid ") && !seen->ends_with("loaded")) << *seen;
}

TEST(FlowModule, tarrys_own_engine_needs_no_simgrid) {
  const auto seen = run_in_child([] {
    ClusterSpec c{.hosts = {{"a", 1000}, {"b", 1000}}};
    c.network.engine = FlowsBy::shared;
    Flows flows(c);
    flows.start(0, HostId{0u}, HostId{1u}, 1000, 1);
    return fmt::format("{} {}", flow_engine_name(flows_by(c)), loads_simgrid());
  });
  EXPECT_EQ(seen.value_or("failed"), "shared false");
}

TEST(FlowModule, opened_twice_it_is_the_same) {
  const auto seen = run_in_child([] { return fmt::format("{}", *open_flow_module() == *open_flow_module()); });
  EXPECT_EQ(seen.value_or("failed"), "true");
}

// A copy of this program elsewhere has no module beside it.
TEST(FlowModule, a_missing_one_is_an_error_that_names_its_path) {
  const Folder folder;
  std::filesystem::create_directory(folder.path() + "/bin");
  const std::string program = folder.path() + "/bin/program";
  std::filesystem::copy_file("/proc/self/exe", program);
  const std::string command = "'" + program +
                              "' --gtest_brief=1 --gtest_also_run_disabled_tests "
                              "--gtest_filter=FlowModule.DISABLED_no_module_beside_the_program";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(FlowModule, DISABLED_no_module_beside_the_program) {
  const std::string text(text_of(open_flow_module().status()));
  EXPECT_NE(text.find("/lib/tarry/tarry_simgrid.so: the module"), std::string::npos) << text;
  EXPECT_THROW((void)flow_module(), Bug);
}

}  // namespace
}  // namespace tarry
