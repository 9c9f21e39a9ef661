// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace pippin::test {

/// Says why the running case cannot be tried here; the case returns right after.
void skip(const std::string& reason);
bool skipped();

}  // namespace pippin::test
