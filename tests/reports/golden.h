#pragma once

#include <string>

namespace pippin::test {

/// The text of a file in tests/data/reports.
std::string golden(const std::string& file);

}  // namespace pippin::test
