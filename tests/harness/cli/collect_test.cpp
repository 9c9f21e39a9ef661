// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "harness/commands/steps/collect_files.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"
#include "tests/support/temporary.h"

using namespace pippin;
using Catch::Contains;

namespace {

struct Outcome {
  ExitCode code;
  std::string remarks;
};

Outcome collect(Database& database, const std::vector<fs::path>& paths) {
  std::ostringstream remarks;
  const auto found = PathCollector(database, paths, "t.db.runs", remarks).read();
  if (!found.summary.empty()) remarks << found.summary << '\n';
  return {found.code, remarks.str()};
}

fs::path logs() { return test::source_directory() / "tests/data/logs"; }

}  // namespace

TEST_CASE("a folder is read as a whole and counted") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  const auto first = collect(database, {logs()});
  CHECK(first.code == ExitCode::kDone);
  CHECK(first.remarks == "5 logs, 5 runs, 49 iterations added; 1 file is no log\n");
  const auto again = collect(database, {logs()});
  CHECK(again.code == ExitCode::kDone);
  CHECK(again.remarks == "nothing added; 5 logs known already; 1 file is no log\n");
  CHECK(database.samples()[0].point.model.params > 0);
}

TEST_CASE("a file that is named must be a log") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  disk().write(folder / "notes.md", "# Notes\n");
  disk().write(folder / "empty", "");
  disk().write(folder / "binary", std::string("\x7f"
                                              "ELF\0\0",
                                              6));
  const auto one_line = [&](const char* name, const std::string& reason) {
    CAPTURE(name);
    const auto outcome = collect(database, {folder / name});
    CHECK(outcome.code == ExitCode::kBadInput);
    CHECK_THAT(outcome.remarks, Contains(name) && Contains(reason));
    CHECK(outcome.remarks.find('\n') == outcome.remarks.size() - 1);
  };
  one_line("notes.md", "holds no iterations");
  disk().write(folder / "quoting.md", "# Notes\n\n```\n{'train_runtime': 3.5}\n```\n");
  one_line("quoting.md", "quoting.md: quotes a log in a Markdown document: ");
  one_line("empty", "is empty");
  one_line("binary", "binary");
  one_line("none", "No such file");
  CHECK(database.samples().empty());
}

TEST_CASE("what cannot be read does not stop the rest") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  const auto outcome = collect(
      database, {folder / "none", logs() / "README.md", logs() / "megatron-deepspeed-zero.out"});
  CHECK(outcome.code == ExitCode::kBadInput);
  CHECK_THAT(outcome.remarks, Contains("No such file") && Contains("README.md: holds no") &&
                                  Contains("1 log, 1 run, 4 iterations added; 1 file is no log; 1 "
                                           "file cannot be read"));
}

TEST_CASE("of a checkpoint only the beginning is read") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  disk().write(folder / "in/model.pt", std::string("PK\3\4\0", 5));
  fs::resize_file(folder / "in/model.pt",
                  (std::uintmax_t{1} << 40) + 1);  // more than read_input takes
  const auto outcome = collect(database, {folder / "in"});
  CHECK(outcome.code == ExitCode::kDone);
  CHECK(outcome.remarks == "nothing added; 1 file is no log\n");
}

TEST_CASE("links in circles and links to nothing are no trouble") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  fs::create_directories(folder / "in/deep");
  fs::copy_file(logs() / "megatron-deepspeed-zero.out", folder / "in/deep/a.out");
  fs::create_directory_symlink(folder / "in", folder / "in/deep/round");
  fs::create_symlink(folder / "nowhere", folder / "in/broken");
  disk().write(folder / "in/b.bin", std::string(3, '\0'));
  const auto outcome = collect(database, {folder / "in"});
  CHECK(outcome.code == ExitCode::kDone);
  CHECK_THAT(outcome.remarks, Contains("broken: cannot read") &&
                                  Contains("1 log, 1 run, 4 iterations added; 1 file is no log; 1 "
                                           "file cannot be read"));
}

namespace {

/// Writes a file where it lies, as if an hour ago.
void write_long_ago(const fs::path& path, const std::string& text) {
  if (path.has_parent_path()) fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  static const auto hour_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  fs::last_write_time(path, hour_ago);
}

std::string log_with(double first_ms) { return test::dump() + test::row(1, first_ms); }

}  // namespace

TEST_CASE("a file that is as it was is not opened again, and one that changed is") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  const fs::path log = folder / "in/a.out";
  write_long_ago(log, log_with(100));
  write_long_ago(folder / "in/b.txt", "some text");
  CHECK(collect(database, {folder / "in"}).remarks ==
        "1 log, 1 run, 1 iteration added; 1 file is no log\n");
  // Of the same size and time, and so taken for the same.
  write_long_ago(log, log_with(200));
  for (const auto& path : {folder / "in", folder / "in/"})
    CHECK(collect(database, {path}).remarks ==
          "nothing added; 1 log known already; 1 file is no log\n");
  CHECK(collect(database, {log}).remarks == "nothing added; 1 log known already\n");
  CHECK(collect(database, {folder / "in/b.txt"}).code == ExitCode::kBadInput);
  fs::last_write_time(log, fs::file_time_type::clock::now() - std::chrono::minutes(30));
  CHECK(collect(database, {log}).remarks == "1 log, 1 run, 1 iteration added\n");
  write_long_ago(log, log_with(200) + test::row(2, 90));
  CHECK(collect(database, {folder / "in"}).remarks ==
        "0 logs, 0 runs, 1 iteration added; 1 file is no log\n");
}

TEST_CASE("a file below a folder is known by the path that it has when it is named") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  for (const char* file : {"in/a-b/1.out", "in/a/2.out", "in/a/c/3.out"})
    write_long_ago(folder / file, log_with(100 + file[3] + file[5] + file[6]));
  const fs::path relative = fs::relative(folder.path());
  CHECK(collect(database, {relative / "in/./a/../"}).remarks ==
        "3 logs, 3 runs, 3 iterations added\n");
  CHECK(collect(database, {folder / "in/a/c/3.out", relative / "in/a-b/1.out", folder / "in/a"})
            .remarks == "nothing added; 4 logs known already\n");
  const auto known = database.read_files(folder.path());
  CHECK(known.size() == 3);
  CHECK(known.count((folder / "in/a/c/3.out").string()) == 1);
}

TEST_CASE("what was written just now is looked at again") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  disk().write(folder / "a.out", log_with(100));
  collect(database, {folder / "a.out"});
  CHECK(database.read_files(folder.path()).empty());
}

TEST_CASE("a log that was deleted comes back where it is named, though it did not change") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  const fs::path log = folder / "in/a.out";
  write_long_ago(log, log_with(100));
  collect(database, {folder / "in"});
  Chosen all;
  all.logs = true;
  CHECK(database.delete_forever(all) == 1);
  CHECK(collect(database, {folder / "in"}).remarks == "nothing added; 1 log known already\n");
  CHECK(collect(database, {folder / "in"}).remarks == "nothing added; 1 log known already\n");
  CHECK(collect(database, {log}).remarks == "1 log, 1 run, 1 iteration added\n");
  CHECK(collect(database, {log}).remarks == "nothing added; 1 log known already\n");
}

TEST_CASE("a copy takes the place of a log that is gone, and an older copy that of one deleted") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  const fs::path log = folder / "x/a.out", copy = folder / "y/a.out", old = folder / "z/old.out";
  for (const auto& path : {log, copy}) write_long_ago(path, log_with(100) + test::row(2, 90));
  write_long_ago(old, log_with(100));
  collect(database, {folder / "x", folder / "y", folder / "z"});
  fs::remove(log);
  CHECK(collect(database, {folder / "y"}).remarks == "nothing added; 1 log known already\n");
  CHECK(database.run_logs({}).begin()->second == copy.string());
  Chosen all;
  all.logs = true;
  database.delete_forever(all);
  CHECK(collect(database, {folder / "z"}).remarks == "1 log, 1 run, 1 iteration added\n");
}

TEST_CASE("a log that is gone before it is stored costs no other") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  const fs::path grown = folder / "in/a.out", pipe = folder / "pipe";
  std::string lines;  // more than a head, which is kept
  for (int i = 2; i < 40; ++i) lines += test::row(i, 90 + i);
  disk().write(grown, log_with(100) + lines);
  collect(database, {grown});
  disk().write(grown, log_with(100) + lines + test::row(40, 90));
  disk().write(folder / "in/b.out", log_with(300));
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] {
    std::ofstream end(pipe);  // opens once it is read, and all before it was
    fs::remove(grown);
    end << log_with(200);
  });
  const auto outcome = collect(database, {grown, folder / "in/b.out", pipe});
  writer.join();
  CAPTURE(outcome.remarks);
  CHECK(outcome.code == ExitCode::kBadInput);
  CHECK_THAT(outcome.remarks,
             Contains("a.out: cannot read: No such file") &&
                 Contains("2 logs, 2 runs, 2 iterations added; 1 file cannot be read"));
}

TEST_CASE("many files are stored in their order, whoever has read them first") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  std::string expected;
  for (int i = 0; i < 300; ++i) {
    const std::string name = fmt::format("{:03}", i);
    // Large ones among small ones, which are read earlier.
    const std::string filler(i % 50 == 0 ? 5'000'000 : 0, '.');
    disk().write(folder / "in" / (name + ".out"), log_with(100 + i) + filler);
    expected += name + " ";
  }
  CHECK(collect(database, {folder / "in"}).remarks == "300 logs, 300 runs, 300 iterations added\n");
  std::string names;
  for (const auto& run : database.runs_of({})) names += run.name + " ";
  CHECK(names == expected);
}

TEST_CASE("a pipe is read once") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  const fs::path pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(pipe) << log_with(100); });
  const auto outcome = collect(database, {pipe});
  writer.join();
  CHECK(outcome.remarks == "1 log, 1 run, 1 iteration added\n");
}

TEST_CASE("the logs of the issue give its three rows") {
  const fs::path whole = test::source_directory() / "../shared/data/logs/gpt2-meg";
  if (!fs::exists(whole)) return test::skip(whole.string() + " is not here");
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  CHECK(collect(database, {whole}).remarks == "3 logs, 3 runs, 33 iterations added\n");
  CHECK(collect(database, {whole}).remarks == "nothing added; 3 logs known already\n");
  struct Row {
    std::int64_t gpus, tp, pp;
    std::size_t lines;
    double seconds;
  };
  const std::vector<Row> expected{
      {64, 4, 16, 9, 3.089}, {16, 4, 4, 20, 1.427}, {64, 4, 16, 4, 130.344}};
  const auto samples = database.samples();
  REQUIRE(samples.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto& layout = samples[i].point.layout;
    const auto rows = database.lines_of(samples[i].runs.at(0).id);
    double sum = 0;
    for (const auto& row : rows) sum += row.step_time_ms / 1000;
    CHECK(layout.gpus == expected[i].gpus);
    CHECK(layout.tp == expected[i].tp);
    CHECK(layout.pp == expected[i].pp);
    CHECK(rows.size() == expected[i].lines);
    CHECK(sum / static_cast<double>(rows.size()) == Approx(expected[i].seconds).margin(0.0005));
  }
  CHECK(samples[2].point.layout.mbs == 4);
  CHECK(samples[2].point.layout.gas == 256);
  CHECK(samples[2].point.layout.gbs == 1024);
}

TEST_CASE("folders that lie a thousand deep in each other are gone through, and each once") {
  const test::TemporaryDirectory folder;
  fs::path deep = folder / "logs";
  fs::create_directory(deep);
  disk().write(deep / "first.log", "no log");
  const int root = ::open(deep.c_str(), O_RDONLY | O_DIRECTORY);
  int at = ::dup(root);
  for (int i = 0; i < 1000; ++i) {
    REQUIRE(::mkdirat(at, "d", 0777) == 0);
    const int next = ::openat(at, "d", O_RDONLY | O_DIRECTORY);
    ::close(at);
    at = next;
  }
  REQUIRE(::symlinkat(deep.c_str(), at, "back") == 0);
  const int log = ::openat(at, "last.log", O_WRONLY | O_CREAT, 0666);
  const std::string text = test::dump() + test::row(1, 100) + test::row(2, 100);
  REQUIRE(::write(log, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  for (const int one : {log, at, root}) ::close(one);
  Database database(folder / "t.db");
  CHECK_THAT(collect(database, {folder / "logs"}).remarks, Contains("1 log, 1 run"));
}
