// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reports/noise/allocations.h"
#include "reports/noise/blame_test.h"

namespace pippin {

/// What can be asked of who was there: whether step times, also given the network's canary, and the
/// canaries themselves are longer where a node is. Nodes that were always together are one.
class Presences {
 public:
  /// Both must outlive it.
  Presences(const std::vector<NoisyAllocation>& all, const std::vector<NoisyAllocation>& collected);
  ~Presences();

  void add_tests(BlameTests& tests) const;

  /// The same question about the same suspect beside others that are known to be slow; other tests
  /// stay as they are. Nothing where those stand in for it.
  std::optional<BlameTest> again(BlameTest test,
                                 const std::vector<std::vector<std::string>>& given) const;

 private:
  struct Questions;
  std::unique_ptr<const Questions> questions_;
};

}  // namespace pippin
