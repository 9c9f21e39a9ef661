#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reports/flat_table.h"
#include "sweeps/estimate/judge_point.h"

namespace pippin {

/// Figures that another tool prints, a row each, as it writes them.
FlatTable figures_table(const std::vector<std::pair<std::string, std::string>>& figures);

/// What is said of each row of a table of layouts.
FlatTable judgements_table(const std::vector<PointJudgement>& all);

}  // namespace pippin
