// SPDX-License-Identifier: Apache-2.0
#include "core/base/files.h"

#include <chrono>
#include <fcntl.h>
#include <set>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/lock.h"
#include "core/base/process.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"
#include "tests/support/temporary.h"

using namespace pippin;

TEST_CASE("a written file reads back, and a missing one is nothing") {
  const test::TemporaryDirectory folder;
  disk().write(folder / "a/b/c.txt", "text");
  CHECK(disk().read(folder / "a/b/c.txt") == "text");
  disk().write(folder / "a/b/c.txt", "new");
  CHECK(disk().read(folder / "a/b/c.txt") == "new");
  CHECK_FALSE(disk().read(folder / "none"));
  CHECK(disk().list(folder / "a/b") == std::vector<std::string>{"c.txt"});
  CHECK(disk().list(folder / "none").empty());
}

TEST_CASE("a file that is replaced keeps its mode") {
  const test::TemporaryDirectory folder;
  for (const unsigned mode : {0600u, 0444u, 0755u}) {
    disk().write(folder / "x", "old");
    fs::permissions(folder / "x", static_cast<fs::perms>(mode));
    disk().write(folder / "x", "new");
    CHECK(fs::status(folder / "x").permissions() == static_cast<fs::perms>(mode));
    CHECK(disk().read(folder / "x") == "new");
  }
}

TEST_CASE("a new file may be read and written as the process's mask has it") {
  const test::TemporaryDirectory folder;
  const auto before = ::umask(0);
  disk().write(folder / "open", "");
  disk().make_directory(folder / "folder");
  ::umask(022);
  disk().write(folder / "usual", "");
  ::umask(before);
  const auto mode = [&](const char* name) {
    return static_cast<unsigned>(fs::status(folder / name).permissions());
  };
  CHECK(mode("open") == 0666);
  CHECK(mode("folder") == 0777);
  CHECK(mode("usual") == 0644);
}

TEST_CASE("a directory is made by one caller only") {
  const test::TemporaryDirectory folder;
  CHECK(disk().make_directory(folder / "x/claim"));
  CHECK_FALSE(disk().make_directory(folder / "x/claim"));
}

TEST_CASE("input that cannot be read is the user's error") {
  const test::TemporaryDirectory folder;
  CHECK_THROWS_WITH(read_input(folder / "none"), Catch::Contains("cannot read: No such file"));
  CHECK_THROWS_WITH(read_input(folder.path()), Catch::Contains("Is a directory"));
  disk().write(folder / "big", std::string(100, 'x'));
  CHECK_THROWS_WITH(read_input(folder / "big", 99), Catch::Contains("too large"));
}

TEST_CASE("programs report output, exit code and signals") {
  const auto outcome = run_program({"sh", "-c", "echo out; echo err >&2; exit 3"});
  CHECK(outcome.exit_code == 3);
  CHECK(outcome.output == "out\nerr\n");
  CHECK(run_program({"sh", "-c", "kill -9 $$"}).exit_code == 137);
  CHECK_THROWS_AS(run_program({"no-such-program-here"}), Error);
}

TEST_CASE("a file of many pages reads back whole, and one at its limit is not too large") {
  const test::TemporaryDirectory folder;
  std::string text;
  for (int i = 0; text.size() < 300'000; ++i) text += std::to_string(i);
  disk().write(folder / "large", text);
  CHECK(disk().read(folder / "large") == text);
  CHECK(read_input(folder / "large", text.size()) == text);
  CHECK_THROWS_WITH(read_input(folder / "large", text.size() - 1), Catch::Contains("too large"));
  disk().write(folder / "empty", "");
  CHECK(disk().read(folder / "empty") == "");
}

TEST_CASE("names are listed in order, hidden ones too, and a file has none") {
  const test::TemporaryDirectory folder;
  for (const char* name : {"b", "a", ".c", "d/e"}) disk().write(folder / name, "");
  CHECK(disk().list(folder.path()) == std::vector<std::string>{".c", "a", "b", "d"});
  CHECK_THROWS_WITH(disk().list(folder / "a"), Catch::Contains("a: cannot list: Not a directory"));
}

TEST_CASE("each name of a folder is given, and none of one that is not there") {
  const test::TemporaryDirectory folder;
  for (const char* name : {"b", "a", ".c", "d/e"}) disk().write(folder / name, "");
  std::set<std::string> names;
  const auto take = [&](std::string_view name) { names.emplace(name); };
  disk().each_name(folder.path(), take);
  disk().each_name(folder / "none", take);
  CHECK(names == std::set<std::string>{".c", "a", "b", "d"});
}

TEST_CASE("a file is known again until it changes, however it changes") {
  const test::TemporaryDirectory folder;
  disk().write(folder / "a", "1");
  const auto before = disk().identity(folder / "a");
  REQUIRE(before);
  CHECK(before->size_bytes == 1);
  CHECK(disk().identity(folder / "a") == before);
  disk().write(folder / "a", "2");
  CHECK_FALSE(disk().identity(folder / "a") == before);
  fs::last_write_time(folder / "a", fs::file_time_type::clock::now() - std::chrono::hours(1));
  const auto back = disk().identity(folder / "a");
  REQUIRE(back);
  CHECK(back->written_ns < back->changed_ns);
  CHECK_FALSE(disk().identity(folder / "none"));
}

TEST_CASE("a file may change unseen for two seconds after either of its times") {
  constexpr std::int64_t kSecond = 1'000'000'000;
  CHECK(may_change_unseen(FileIdentity{1, kSecond, kSecond, 1}.last_ns(), 3 * kSecond - 1));
  CHECK_FALSE(may_change_unseen(FileIdentity{1, kSecond, kSecond, 1}.last_ns(), 3 * kSecond));
  CHECK(may_change_unseen(FileIdentity{1, 0, kSecond, 1}.last_ns(), 3 * kSecond - 1));
  CHECK(may_change_unseen(FileIdentity{1, kSecond, 0, 1}.last_ns(), 3 * kSecond - 1));
}

TEST_CASE("a file is read whole whatever its size is, and so is one that does not know it") {
  const test::TemporaryDirectory folder;
  for (const std::size_t size : {0, 1, 4095, 4096, 4097, 100'000}) {
    const std::string text(size, 'x');
    disk().write(folder / "a", text);
    CHECK(disk().read(folder / "a") == text);
    CHECK(read_input(folder / "a", size) == text);
  }
  CHECK(disk().read("/proc/self/status").value_or("").find("Pid:") != std::string::npos);
  CHECK_THROWS_WITH(read_input(folder / "a", 99'999), Catch::Contains("File too large"));
}

TEST_CASE("what is there is there") {
  const test::TemporaryDirectory folder;
  disk().write(folder / "a", "");
  CHECK(disk().exists(folder / "a"));
  CHECK(disk().exists(folder.path()));
  CHECK_FALSE(disk().exists(folder / "b"));
  CHECK_FALSE(disk().read(folder / "a/b"));
}

TEST_CASE("what cannot be written says so, names the path and leaves no file beside it") {
  const test::TemporaryDirectory folder;
  disk().write(folder / "file", "text");
  fs::create_directories(folder / "folder/full");
  const auto error_of = [](auto action) {
    try {
      action();
    } catch (const Error& error) {
      CHECK(error.exit_code() == ExitCode::kMachine);
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_THAT(error_of([&] { disk().write(folder / "file/x", "y"); }),
             Catch::Contains("file: cannot create: "));
  CHECK_THAT(error_of([&] { disk().make_directory(folder / "file/x"); }),
             Catch::Contains("file: cannot create: "));
  CHECK_THAT(error_of([&] { disk().write(folder / "folder", "y"); }),
             Catch::Contains("folder: cannot replace: Is a directory"));
  CHECK_THAT(error_of([&] { disk().read(folder / "folder"); }),
             Catch::Contains("folder: cannot read: Is a directory"));
  CHECK(disk().list(folder.path()) == std::vector<std::string>{"file", "folder"});
  CHECK(disk().read(folder / "file") == "text");
}

TEST_CASE("a full disk is told and leaves what was there") {
  // Bytes that go to /dev/full do not arrive.
  CHECK_THROWS_WITH(disk().write("/dev/full/x", "y"), Catch::Contains("cannot"));
}

TEST_CASE("a lock that another process holds names that one, and goes with it") {
  const test::TemporaryDirectory folder;
  const auto refused = [&] {
    try {
      const FileLock lock(folder / "lock");
    } catch (const Error& error) {
      CHECK(error.exit_code() == ExitCode::kMachine);
      return std::string(error.what());
    }
    return std::string();
  };
  {
    const FileLock lock(folder / "lock");
    CHECK(disk().read(folder / "lock") ==
          fmt::format("process {} on {}\n", ::getpid(), host_name()));
    CHECK(refused() == fmt::format("{}: held by process {} on {}; wait for it, or end it",
                                   (folder / "lock").string(), ::getpid(), host_name()));
    disk().write(folder / "other", "a much longer text than the one that a lock leaves there\n");
  }
  CHECK(refused().empty());
  disk().write(folder / "lock", std::string(500, 'x'));
  const FileLock lock(folder / "lock");
  CHECK(disk().read(folder / "lock") == fmt::format("process {} on {}\n", ::getpid(), host_name()));
}

TEST_CASE("a lock whose holder has not said its name yet is held all the same") {
  const test::TemporaryDirectory folder;
  const std::string path = (folder / "lock").string();
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  REQUIRE(::flock(file, LOCK_EX) == 0);
  CHECK_THROWS_WITH(FileLock(path), path + ": held by another pippin; wait for it, or end it");
  ::close(file);
  CHECK_THROWS_WITH(FileLock(folder / "none/lock"), Catch::Contains("lock: cannot open: No such"));
}

TEST_CASE("where locks are local to a node, a mark tells the others who holds one") {
  const test::TemporaryDirectory folder;
  const fs::path mark = folder / "lock.held";
  {
    const HolderFile held(mark, "login1");
    CHECK(disk().read(mark) == fmt::format("process {} on login1\n", ::getpid()));
    CHECK_THROWS_WITH(HolderFile(mark, "login2"),
                      Catch::StartsWith(fmt::format("{}: held by process {} on login1; ",
                                                    mark.string(), ::getpid())) &&
                          Catch::Contains("work there, or remove this file once it is gone"));
    CHECK(disk().exists(mark));
  }
  CHECK_FALSE(disk().exists(mark));
  disk().write(mark, "process 4711 on login1\n");  // was killed
  { const HolderFile held(mark, "login1"); }
  CHECK_FALSE(disk().exists(mark));
  disk().write(mark, "");  // died before it could say its name
  CHECK_THROWS_WITH(HolderFile(mark, "login1"), Catch::Contains("held by another pippin"));
  CHECK_THROWS_WITH(HolderFile(folder / "none/lock.held"),
                    Catch::Contains("cannot create: No such"));
}

TEST_CASE("on a file system whose locks all nodes see there is no mark") {
  const test::TemporaryDirectory folder;
  const FileLock lock(folder / "lock");
  CHECK_FALSE(disk().exists(folder / "lock.held"));
}

TEST_CASE("that too many files are open is the machine's fault, whatever file was named") {
#ifdef __SANITIZE_ADDRESS__
  return test::skip("the sanitizers look at memory by files of their own");
#endif
  const test::TemporaryDirectory folder;
  disk().write(folder / "a.log", "text");
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  REQUIRE(next >= 0);
  ::close(next);
  rlimit least = before;
  least.rlim_cur = static_cast<rlim_t>(next);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &least) == 0);
  std::string words;
  ExitCode code = ExitCode::kDone;
  try {
    read_input(folder / "a.log");
  } catch (const Error& error) {
    words = error.what();
    code = error.exit_code();
  }
  ::setrlimit(RLIMIT_NOFILE, &before);
  CHECK(code == ExitCode::kMachine);
  CHECK_THAT(words, Catch::EndsWith("a.log: cannot read: Too many open files"));
  CHECK(read_input(folder / "a.log") == "text");
}
