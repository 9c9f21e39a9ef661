// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "core/records/value.h"
#include "harness/scrape/megatron_arguments.h"
#include "harness/scrape/megatron_launch.h"

namespace pippin {

/// What lines outside of a dump say of launches: of the one at hand, or of the next.
class MegatronHeaders {
 public:
  /// `found`: the MegatronLines of the line.
  void read(std::string_view line, std::uint64_t found, MegatronLaunch& launch);
  /// What was announced of the launch that a dump begins. The dump counts, not its command.
  MegatronHeader begin_launch();
  /// Gives a launch without a dump what its command says, where one was printed since the last.
  void take_command(MegatronHeader& header);

 private:
  void read_config(std::string_view line, std::uint64_t found, MegatronHeader& header);
  void read_command(std::string_view line, MegatronLaunch& launch);
  void read_world(std::string_view line);

  MegatronHeader announced_;
  NamedValues command_;  ///< that no launch has taken yet
};

}  // namespace pippin
