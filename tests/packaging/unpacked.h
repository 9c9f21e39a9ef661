// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tests/harness/cli/pippin.h"

namespace pippin::test {

/// A folder in which what came with pippin lies as in the archive, in `unpacked`, without probes;
/// HOME is empty, and bin/ has only what a test puts there.
class Unpacked : public Workplace {
 public:
  Unpacked();
  /// bash with bin/ before PATH.
  Call with_bin(const std::string& command) const;
  /// bash with the programs of bin/ alone, and those that any machine has.
  Call bare(const std::string& command) const;
  /// A program of bin/ that is these lines of bash.
  void program(const std::string& name, const std::string& bash) const;
};

}  // namespace pippin::test
