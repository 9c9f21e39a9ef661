// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace pippin::test {

/// The text of a file in tests/data/reports.
std::string golden(const std::string& file);

}  // namespace pippin::test
