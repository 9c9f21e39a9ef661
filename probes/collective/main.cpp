// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "probes/collective/collective.h"
#include "probes/collective/host_space.h"
#include "probes/collective/on_gpu.h"
#include "probes/comm/ranked_main.h"
#include "probes/common/capabilities.h"
#include "probes/common/text.h"

using namespace pippin::probes;

namespace {

constexpr const char* kIntro =
    "collective: times collective operations and checks their data, in nccl-tests' columns\n"
    "\n"
    "usage: collective [--option VALUE]…";

/// The ranks of a node share its memory; each needs two buffers.
void check_memory(const CollectiveSettings& settings, std::uint64_t free, int ranks_of_node) {
  const auto wanted = static_cast<double>(settings.maxbytes) * 2 * ranks_of_node;
  if (wanted > static_cast<double>(free))
    throw Error(ExitCode::kOutOfMemory,
                text("out of memory (std::bad_alloc): two buffers of --maxbytes %lld for each of "
                     "%d ranks of a node, of which %.0f MiB are free; try a smaller --maxbytes",
                     static_cast<long long>(settings.maxbytes), ranks_of_node,
                     static_cast<double>(free) / (1 << 20)));
}

/// "model name : Intel(R) …": proc(5).
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "CPU";
}

ExitCode run_on_processor(Session& session, const CollectiveSettings& settings) {
  Communicator& world = session.world();
  check_counts(settings);
  // Before anybody takes some, which is after all have answered.
  const std::uint64_t free = free_bytes();
  const Nodes nodes = find_nodes(world);
  const int rank = world.rank();
  check_memory(settings, free, nodes.ranks_of(nodes.of_rank[rank]));
  TwoLogs logs(settings.json, rank == 0);
  HostSpace space;
  return run_collectives(
      logs, settings,
      {world, nodes, space, session.talks_by(), {nodes.local_rank(rank), 0, processor_name()}});
}

ExitCode run(const std::vector<std::string>& arguments, Session& session) {
  Communicator& world = session.world();
  CollectiveSettings settings;
  const OptionTable options = collective_options(settings);
  if (!parse_options(options, long_names(arguments))) {
    if (world.rank() == 0) std::fputs(help_text(kIntro, options).c_str(), stdout);
    return ExitCode::kDone;
  }
  settings = with_one_size(settings);
  check(settings, world.size());
  session.limit_silence(std::chrono::minutes(settings.backend.timeout_minutes));
  return settings.device == "cuda" ? run_on_gpu(session, settings)
                                   : run_on_processor(session, settings);
}

}  // namespace

int main(int argc, char* argv[]) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (asks_for_capabilities(arguments)) {
    return guarded_main("collective", [] {
      CollectiveSettings settings;
      return print_capabilities("collective", collective_options(settings), cuda_build());
    });
  }
  return ranked_main(
      "collective", [&](Session& session) { return run(arguments, session); }, argv);
}
