// SPDX-License-Identifier: Apache-2.0
// A file that is read as it grows must always be what a whole reading of it finds.
#include <fmt/format.h>
#include <fstream>

#include "core/base/files.h"
#include "harness/scrape/scraped_file.h"
#include "tests/harness/scrape/damage.h"
#include "tests/harness/scrape/record_text.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

std::string text_of(const ScrapedFile& file) {
  return fmt::format("{} {} {} {}\n", file.file.size_bytes(), file.file.content_hash(), file.reason,
                     file.tables.size()) +
         test::text_of(file.runs);
}

void append(const fs::path& file, std::string_view text) {
  std::ofstream(file, std::ios::app | std::ios::binary) << text;
}

void write(const fs::path& file, std::string_view text) {
  std::ofstream(file, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("a file that grows is at every moment what a whole reading of it finds") {
  const test::TemporaryDirectory folder;
  const fs::path logs = test::source_directory() / "tests/data/logs";
  const fs::path path = folder / "growing.log";
  Random random(5);
  for (const auto& name : disk().list(logs)) {
    const std::string whole = read_input(logs / name);
    for (int round = 0; round < 6; ++round) {
      CAPTURE(name, round);
      std::string text = whole;
      for (auto left = random.below(4); left > 0; --left) test::damage(text, random);
      write(path, "");
      GrowingFile file(path);
      for (std::size_t at = 0; at < text.size();) {
        const auto size = static_cast<std::size_t>(1 + random.below(text.size() / 4 + 1));
        append(path, std::string_view(text).substr(at, size));
        at += size;
        const auto found = file.read();
        REQUIRE(found);
        REQUIRE(text_of(*found) == text_of(scrape_file(path)));
      }
    }
  }
}

TEST_CASE("a file to which nothing came is not read again") {
  const test::TemporaryDirectory folder;
  const fs::path path = folder / "a.log";
  write(path, test::dump() + test::row(1, 100));
  GrowingFile file(path);
  CHECK(file.read()->runs.at(0).iterations.size() == 1);
  CHECK_FALSE(file.read());
  append(path, test::row(2, 100));
  CHECK(file.read()->runs.at(0).iterations.size() == 2);
}

TEST_CASE("a file that was cut, or replaced by another, is read anew") {
  const test::TemporaryDirectory folder;
  const fs::path path = folder / "a.log";
  write(path, test::dump() + test::row(1, 100) + test::row(2, 100));
  GrowingFile file(path);
  REQUIRE(file.read());
  const std::string others[] = {
      test::dump() + test::row(1, 100),
      test::dump() + test::row(1, 100) + test::row(2, 101) + test::row(3, 100),
      "no log\n" + std::string(5000, 'x'), test::dump() + test::row(1, 1), ""};
  for (const auto& other : others) {
    CAPTURE(other);
    write(path, other);
    const auto found = file.read();
    REQUIRE(found);
    CHECK(text_of(*found) == text_of(scrape_file(path)));
  }
}

TEST_CASE("of a file that has grown the hash of what was read before is at hand") {
  const test::TemporaryDirectory folder;
  const fs::path path = folder / "a.log";
  write(path, test::dump() + test::row(1, 100));
  GrowingFile file(path);
  const LogFile before = file.read()->file;
  append(path, std::string(2 * LogFile::kHeadBytes, ' ') + '\n' + test::row(2, 100));
  const LogFile after = file.read()->file;
  fs::remove(path);
  CHECK(LogFile::Beginnings(after).hash(before.size_bytes()) == before.content_hash());
}

TEST_CASE("a file whose text is not its bytes is at every moment what a whole reading finds") {
  const test::TemporaryDirectory folder;
  const fs::path path = folder / "a.log";
  const std::string text = test::dump() + test::row(1, 100) + test::row(2, 100);
  std::string wide = "\xff\xfe";
  for (const char c : text) wide += std::string{c, '\0'};
  const std::string hole = text.substr(0, text.size() - 60) + std::string(700, '\0');
  for (const auto& bytes :
       {wide, hole + text, std::string(700, '\0') + text, "\xef\xbb\xbf" + text}) {
    write(path, "");
    GrowingFile file(path);
    for (std::size_t at = 0, size = 1; at < bytes.size(); at += size, size = 200) {
      append(path, std::string_view(bytes).substr(at, size));
      CAPTURE(bytes.substr(0, 20), at);
      const auto found = file.read();
      REQUIRE(found);
      REQUIRE(text_of(*found) == text_of(scrape_file(path)));
    }
    CHECK(file.read()->runs.back().iterations.size() == 2);
  }
}
