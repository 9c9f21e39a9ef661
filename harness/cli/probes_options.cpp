// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>

#include "harness/cli/command_line.h"

namespace pippin {

void add_probes_command(CommandLine& line) {
  const auto options = std::make_shared<ProbesOptions>();
  CLI::App& command =
      line.add("probes", "build the probes with the compiler, MPI and CUDA of this machine",
               "pippin probes build --cluster mine.yaml --with mpi",
               [&line, options] { return build_probes(line.globals(), *options); });
  command.add_option("ACTION", options->action, "what to do: build")
      ->required()
      ->check(CLI::IsMember({"build"}).description(""));
  command
      .add_option("--with", options->with,
                  "mpi or cuda: without it the build fails, else what is here is taken; may be "
                  "repeated")
      ->type_name("LIBRARY")
      ->check(CLI::IsMember({"mpi", "cuda"}).description(""))
      ->expected(1)
      ->take_all();
  command
      .add_option("--cluster", options->cluster,
                  "a cluster's name or file: its env and prolog come first, such as 'module load'")
      ->type_name("CLUSTER");
}

}  // namespace pippin
