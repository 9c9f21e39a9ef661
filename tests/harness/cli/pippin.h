// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/files.h"
#include "tests/support/temporary.h"

namespace pippin::test {

/// What one call of the program gave.
struct Call {
  int exit_code = 0;
  std::string out, err;
};

/// A folder with a database of its own, and the real program run in it on a machine of its own: the
/// queues of other tests do not hold it up.
class Workplace {
 public:
  Call pippin(const std::string& arguments) const;
  /// bash in the folder; $PIPPIN is the program.
  Call shell(const std::string& command) const;
  void write(const std::string& name, const std::string& text) const;
  std::string text(const std::string& name) const;
  /// One value out of the database.
  std::string sql(const std::string& query) const;
  fs::path path() const { return folder_.path(); }

 private:
  TemporaryDirectory folder_;
};

/// A sweep of the replay probe whose runs take hundredths of a second.
std::string replay_sweep(const std::string& more);

}  // namespace pippin::test
