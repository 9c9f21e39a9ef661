// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/golden.h"

#include "core/base/files.h"
#include "tests/support/temporary.h"

namespace pippin::test {

std::string golden(const std::string& file) {
  return read_input(source_directory() / "tests/data/reports" / file);
}

}  // namespace pippin::test
