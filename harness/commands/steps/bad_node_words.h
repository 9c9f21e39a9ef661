// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "harness/campaign/machine.h"

namespace pippin {

/// "n2 is a bad node: 3 runs in a row failed on it while …; no job is sent to it any more
/// ('pippin nodes --allow n2 s' takes it back)"
std::string bad_node_words(const NodeMark& mark, const std::string& sweep, bool is_excluded);

/// Says once of each bad node what is known of it.
class BadNodeRemarks {
 public:
  /// What is to be said now, in lines; empty: nothing new.
  std::string news(const CampaignMachine& machine, bool is_excluded);

 private:
  std::set<std::string> said_;
};

}  // namespace pippin
