#include "reports/statistics/interval.h"
#include "reports/statistics/sample.h"

namespace pippin {
Interval interval_of(const Nesting& nesting) { return {mean_of(allocation_means(nesting)), {}, {}, {}, "", ""}; }
}
