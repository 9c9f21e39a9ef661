// A file that is read as it grows must always be what a whole reading of it finds.
#include <fmt/format.h>
#include <fstream>

#include "core/base/files.h"
#include "harness/scrape/scraped_file.h"
#include "tests/harness/scrape/damage.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

std::string text_of(const NamedValues& values) {
  std::string text;
  for (const auto& [name, value] : values)
    text += fmt::format("{}={}/{} ", name, value.text, value.number.value_or(-1));
  return text;
}

std::string text_of(const Iteration& line) {
  const auto all = [](const auto&... counts) {
    return (fmt::format("{} ", counts.value_or(-1)) + ...);
  };
  return fmt::format("{} {} {} {} ", line.number, line.step_time_ms, line.interval, line.flags) +
         all(line.gbs, line.consumed_samples, line.skipped, line.nan, line.lm_loss,
             line.learning_rate, line.loss_scale, line.grad_norm) +
         text_of(line.other) + '\n';
}

/// All that was read, to be compared.
std::string text_of(const ScrapedFile& file) {
  std::string text = fmt::format("{} {} {} {}\n", file.file.size_bytes(), file.file.content_hash(),
                                 file.reason, file.tables.size());
  for (const auto& run : file.runs) {
    text += fmt::format(
        "{} {} {} {} {} {} {} {} {} {} {} {} {}\n", run.format, run.point.id, run.recompute,
        run.memory.size(), run.started_at.value_or(-1), run.end ? static_cast<int>(*run.end) : -1,
        run.evidence, run.scraper_version, run.resolution_ms.value_or(-1), run.nodes.size(),
        run.slowest_ranks.size(), run.planned_iterations.value_or(-1), run.nan_from.value_or(-1));
    text += text_of(run.arguments);
    for (const auto& line : run.iterations) text += text_of(line);
  }
  return text;
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
