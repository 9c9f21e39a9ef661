// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/base/text.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/build_probes.h"
#include "harness/commands/steps/directories.h"
#include "sweeps/cluster_file.h"

namespace pippin {

ExitCode build_probes(const Globals& globals, const ProbesOptions& options) {
  ProbesBuild build;
  build.source = probes_source();
  if (build.source.empty())
    machine_failed("probes build: this pippin came without the probes' source: {}",
                   how_to_get_probes(""));
  if (!options.cluster.empty()) {
    const Cluster cluster = cluster_named(options.cluster, "--cluster");
    build.env = cluster.env;
    build.prolog = cluster.prolog;
  }
  build.place = place_for_probes();
  build.with = options.with;
  const std::string built = build_probes(build, [&](const fs::path& log) {
    remark(globals, fmt::format("building the probes takes minutes; the log is {}", log.string()));
  });
  write_output(fmt::format("the probes are in {}\n{}", build.place.string(), built));
  return ExitCode::kDone;
}

}  // namespace pippin
