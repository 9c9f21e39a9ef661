// SPDX-License-Identifier: Apache-2.0
#include "core/base/streamed_file.h"

#include "core/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;
using Catch::Contains;

TEST_CASE("a file that is written as its text is made takes its place when that is whole") {
  const test::TemporaryDirectory folder;
  disk().write(folder / "x.json", "old");
  std::string text;
  {
    StreamedFile file(folder / "x.json");
    for (int i = 0; i < 100'000; ++i) {
      const std::string line = std::to_string(i) + "\n";
      file.stream() << line;
      text += line;
    }
    CHECK(disk().read(folder / "x.json") == "old");
    file.put_in_place();
  }
  CHECK(disk().read(folder / "x.json") == text);
  CHECK(disk().list(folder.path()) == std::vector<std::string>{"x.json"});
}

TEST_CASE("a file whose text is never whole leaves what was there") {
  const test::TemporaryDirectory folder;
  disk().write(folder / "x.json", "old");
  { StreamedFile(folder / "x.json").stream() << std::string(1 << 20, 'x'); }
  CHECK(disk().read(folder / "x.json") == "old");
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("a file that is written as its text is made may be empty, and makes its folders") {
  const test::TemporaryDirectory folder;
  StreamedFile(folder / "a/b/x.json").put_in_place();
  CHECK(disk().read(folder / "a/b/x.json") == "");
}

TEST_CASE("no device and no folder is replaced by a file that is written as it is made") {
  const test::TemporaryDirectory folder;
  CHECK_THROWS_WITH(StreamedFile("/dev/null"), Contains("/dev/null: is a device, not a file"));
  CHECK_THROWS_WITH(StreamedFile(folder.path()), Contains("is a folder, not a file"));
}
