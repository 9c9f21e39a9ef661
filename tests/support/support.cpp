// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string>

#include "core/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"
#include "tests/support/temporary.h"

namespace pippin::test {

namespace {
bool skip_was_called = false;
}

void skip(const std::string& reason) {
  WARN("skipped: " << reason);
  skip_was_called = true;
}

bool skipped() { return skip_was_called; }

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern = (fs::temp_directory_path() / "pippin-test-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) machine_failed("{}: cannot create", pattern);
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path source_directory() { return PIPPIN_SOURCE_DIR; }

}  // namespace pippin::test
