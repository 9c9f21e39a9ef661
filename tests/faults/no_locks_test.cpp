// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::Workplace;

namespace {

test::Call without_locks(const Workplace& here, int error, const std::string& words) {
  return here.shell(fmt::format("NO_LOCKS_ERRNO={} LD_PRELOAD={} \"$PIPPIN\" --db t.db {}", error,
                                NO_LOCKS, words));
}

}  // namespace

TEST_CASE("a file system that locks no files is said to be one, whatever a command wants there") {
  const bool has_database = GENERATE(false, true);
  const int error = GENERATE(ENOSYS, ENOLCK);
  const Workplace here;
  here.write("s.yaml", test::replay_sweep(""));
  here.write("a.log", "iteration 1/ 2 | elapsed time per iteration (ms): 10.0 |\n");
  std::vector<std::string> all{"collect a.log", "run s.yaml", "submit s.yaml"};
  if (has_database) {
    REQUIRE(here.pippin("--quiet run s.yaml").exit_code == 0);
    all.insert(all.end(), {"report", "list", "status", "note 1 x"});
  }
  for (const auto& words : all) {
    CAPTURE(has_database, error, words);
    const auto call = without_locks(here, error, words);
    CHECK(call.exit_code == 3);
    CHECK_THAT(call.err, Contains(fmt::format("locks no files ({})", std::strerror(error))) &&
                             Contains("put the database where it does"));
  }
}
