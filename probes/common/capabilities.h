// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "probes/common/error.h"
#include "probes/common/options.h"

namespace pippin::probes {

/// What of CUDA a program was built with.
struct CudaBuild {
  std::string version;        ///< "13.0"; empty: without CUDA
  std::string architectures;  ///< "sm_80 sm_90"
  std::string least;          ///< the least compute capability that it runs on: "8.0"
};

/// Of this program: the one that was built with CUDA has another source for it.
CudaBuild cuda_build();

/// The least compute capability, "8.0", that machine code for "sm_80 sm_90" runs on, and at least
/// `major`.0. Shape: empty where no architecture is among the words.
std::string least_capability(const std::string& architectures, int major);

/// What a program can do, one JSON object on one line; LOG_FORMAT.md lists its keys.
std::string capabilities_line(const std::string& program, const OptionTable& options,
                              const CudaBuild& cuda);

/// Whether a program is asked for that line.
bool asks_for_capabilities(const std::vector<std::string>& arguments);

/// Prints it.
ExitCode print_capabilities(const std::string& program, const OptionTable& options,
                            const CudaBuild& cuda);

}  // namespace pippin::probes
