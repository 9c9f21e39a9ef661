// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/bad_node_words.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace pippin {

std::string bad_node_words(const NodeMark& mark, const std::string& sweep, bool is_excluded) {
  const std::string remedy =
      is_excluded
          ? fmt::format(
                "no job is sent to it any more ('pippin nodes --allow {} {}' takes it back)",
                printable(mark.node), printable(sweep))
          : "this scheduler cannot be told to keep off it: have it taken out of service";
  return fmt::format("{} is a bad node: {}; {}", printable(mark.node), printable(text_of(mark)),
                     remedy);
}

std::string BadNodeRemarks::news(const CampaignMachine& machine, bool is_excluded) {
  std::string lines;
  for (const auto& mark : machine.bad_nodes()) {
    if (!said_.insert(mark.node).second) continue;
    lines +=
        (lines.empty() ? "" : "\n") + bad_node_words(mark, machine.campaign().sweep, is_excluded);
  }
  if (!machine.nodes_trouble().empty() && said_.insert(machine.nodes_trouble()).second)
    lines +=
        (lines.empty() ? "" : "\n") + fmt::format("jobs that wait may still come to a bad node: {}",
                                                  printable(machine.nodes_trouble()));
  return lines;
}

}  // namespace pippin
