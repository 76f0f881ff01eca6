// The recorded cases' own ops and kernels, registered in this process.
#pragma once
#include <string>

// `fake`: the kernels of CPU and GPU are for the types FakeCPU and FakeGPU.
void register_test_ops(const std::string& path, bool fake);
