#pragma once

#include "harness/records/summary.h"
#include "reports/statistics/nested.h"

namespace pippin {

/// The mean step time of one point and its 95 % interval, in the unit of the data.
Interval interval_of(const Nesting& nesting);

}  // namespace pippin
