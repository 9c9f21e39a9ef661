// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/files.h"

namespace pippin::test {

/// A directory of its own for one case, gone when the case ends.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const fs::path& path() const { return path_; }
  fs::path operator/(const fs::path& name) const { return path_ / name; }

 private:
  fs::path path_;
};

/// The source tree, for test data: source_directory() / "tests/data/…".
fs::path source_directory();

}  // namespace pippin::test
