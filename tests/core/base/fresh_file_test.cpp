// SPDX-License-Identifier: Apache-2.0
#include "core/base/fresh_file.h"

#include <set>

#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

TEST_CASE("what is being written has a name of its own, and is no entry of its folder") {
  const test::TemporaryDirectory folder;
  std::set<std::string> names;
  for (int i = 0; i < 100; ++i) {
    const FreshFile fresh(folder / "x.json");
    const std::string name = fresh.path().filename().string();
    CHECK(is_fresh_name(name));
    CHECK(names.insert(name).second);
    CHECK(disk().list(folder.path()).empty());
    CHECK(fs::exists(fresh.path()));
  }
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("what a killed writer left goes, and nothing else of a like name") {
  const test::TemporaryDirectory folder;
  disk().write(folder / "private", "secret");
  disk().write(folder / ".x.json.pippin-abcdefgh2345", "left");
  fs::create_symlink(folder / "private", folder / ".y.pippin-abcdefgh2345");
  disk().write(folder / ".x.json.pippin-abcdefgh", "a person's");
  disk().write(folder / "x.pippin-abcdefgh2345", "a person's");
  CHECK(disk().list(folder.path()) ==
        std::vector<std::string>{".x.json.pippin-abcdefgh", "private", "x.pippin-abcdefgh2345"});
  CHECK_FALSE(fs::exists(folder / ".x.json.pippin-abcdefgh2345"));
  CHECK(fs::is_symlink(folder / ".y.pippin-abcdefgh2345"));
  CHECK(disk().read(folder / "private") == "secret");
}

TEST_CASE("a name of any length has one to be written under") {
  const test::TemporaryDirectory folder;
  constexpr std::size_t kLongest = 255;
  disk().write(folder / std::string(kLongest, 'x'), "text");
  CHECK(disk().read(folder / std::string(kLongest, 'x')) == "text");
}
