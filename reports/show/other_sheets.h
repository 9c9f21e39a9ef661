// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/records/contents.h"
#include "core/records/whole_run.h"
#include "reports/nodes.h"
#include "reports/noise/noise.h"
#include "reports/show/sheet.h"

namespace pippin {

/// A row of a report, and which campaign it is of.
struct RowOf {
  std::string of;  ///< "gpt-52b/2"; "collected": of logs
  Summary row;
};

struct PointToShow {
  Point point;
  std::vector<RowOf> rows;  ///< one a campaign, the newest last
  std::size_t older = 0;    ///< campaigns before those
  RunList runs;             ///< the newest first
};
Sheet point_sheet(const PointToShow& shown);

struct SweepToShow {
  std::string name;
  std::vector<CampaignContents> campaigns;
  std::string newest;         ///< "gpt-52b/2": of which the rest is; empty: there is none
  std::vector<Summary> rows;  ///< of its report, ranked
  RunList failed;             ///< its runs that did not go well, the newest first
  std::string folder;         ///< of its files; empty: it is not here
};
Sheet sweep_sheet(const SweepToShow& shown);

struct NodeToShow {
  NodeRow row;
  std::size_t nodes = 0;  ///< how many there are
  std::vector<NodeReading> readings;
  std::vector<NodeLink> links;
  std::optional<MachineEffect> effect;  ///< on step times; nothing where it cannot be told
  std::vector<Suspect> suspects;        ///< it is one of their nodes
  RunList runs;                         ///< the newest first
};
Sheet node_sheet(const NodeToShow& shown);

}  // namespace pippin
