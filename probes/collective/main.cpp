#include <cstdio>
#include <string>
#include <vector>

#include "probes/collective/collective.h"
#include "probes/comm/ranked_main.h"
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

ExitCode run(const std::vector<std::string>& arguments, Session& session) {
  Communicator& world = session.world();
  const bool first = world.rank() == 0;
  CollectiveSettings settings;
  const OptionTable options = collective_options(settings);
  if (!parse_options(options, long_names(arguments))) {
    if (first) std::fputs(help_text(kIntro, options).c_str(), stdout);
    return ExitCode::kDone;
  }
  check(settings, world.size());
  // Before anybody takes some, which is after all have answered.
  const std::uint64_t free = free_bytes();
  const Nodes nodes = find_nodes(world);
  check_memory(settings, free, nodes.ranks_of(nodes.of_rank[world.rank()]));

  TwoLogs logs(settings.json, first);
  print_ranks(logs, settings, world, nodes);
  Memory memory;
  if (settings.pairs == "none") return run_operations(logs, settings, {world, world}, memory);
  run_pairs(logs, settings, world, nodes, memory);
  return ExitCode::kDone;
}

}  // namespace

int main(int argc, char* argv[]) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return ranked_main("collective", [&](Session& session) { return run(arguments, session); });
}
