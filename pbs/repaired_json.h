// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace pippin::pbs {

/// What qstat prints, as JSON: the bytes of a job's variables stand in it as they are, and of some
/// versions numbers that are none of JSON's, such as 007 or 1e999. Bytes that are no UTF-8 become
/// "?", control characters blanks, such numbers texts. Source: OpenPBS, pbs_cjson.c.
std::string repaired_json(std::string_view answer);

}  // namespace pippin::pbs
