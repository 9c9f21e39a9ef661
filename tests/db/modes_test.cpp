// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include "tests/db/sample_runs.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

TEST_CASE("a database and what lies beside it have the umask's mode") {
  const auto [mask, mode] = GENERATE(table<unsigned, unsigned>({{002, 0664}, {077, 0600}}));
  const test::TemporaryDirectory folder;
  const auto before = ::umask(mask);
  {
    OpenDatabase how;
    how.network = GENERATE(false, true);
    Database database(folder / "t.db", how);
    test::add(database, "a.out", test::log_of(1, 3));
    for (const auto& file : disk().list(folder.path())) {
      CAPTURE(file);
      CHECK(static_cast<unsigned>(fs::status(folder / file).permissions()) == mode);
    }
  }
  ::umask(before);
}
