// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>

#include "harness/cli/command_line.h"

namespace pippin {

void add_doctor_command(CommandLine& line) {
  const auto options = std::make_shared<DoctorOptions>();
  CLI::App& command =
      line.add("doctor", "what is installed here, and what to do about what is missing",
               "pippin doctor", [&line, options] { return doctor(line.globals(), *options); });
  command
      .add_option(
          "--write-cluster", options->write_cluster,
          "only write a cluster file for each kind of nodes, from what Slurm and nvidia-smi say")
      ->type_name("FILE");
  command
      .add_option("--partition", options->partition,
                  "the partition that it describes; default: Slurm's")
      ->type_name("NAME");
}

}  // namespace pippin
