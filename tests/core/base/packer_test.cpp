// SPDX-License-Identifier: Apache-2.0
#include "core/base/packer.h"

#include <algorithm>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/text_file.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;
using Catch::Contains;

namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

/// A file, folder or link in one line, with all that is to come back.
std::string described(const fs::path& path) {
  struct stat status {};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  std::string text =
      fmt::format("{:o} {}.{}", status.st_mode, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
  if (S_ISLNK(status.st_mode)) return text + " -> " + fs::read_symlink(path).string();
  if (S_ISREG(status.st_mode)) text += fmt::format(" {} {}", status.st_nlink, read_input(path));
  return text;
}

/// What is on the disk below a folder, by path, without its archives.
std::map<std::string, std::string> tree(const fs::path& root) {
  std::map<std::string, std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string path = entry.path().lexically_relative(root).string();
    if (!path.starts_with("packed")) found[path] = described(entry.path());
  }
  return found;
}

/// The folder of a sweep with some runs, as jobs leave them.
struct Sweep {
  Sweep() { fs::create_directories(root); }

  void write(const std::string& path, const std::string& text, mode_t mode = 0644) const {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path, std::ios::binary) << text;
    REQUIRE(::chmod((root / path).c_str(), mode) == 0);
  }
  /// Gives each path a time of its own, long ago.
  void age() const {
    std::int64_t ns = 1'700'000'000 * kNsPerSecond + 123'456'789;
    std::vector<fs::path> paths;
    for (const auto& entry : fs::recursive_directory_iterator(root)) paths.push_back(entry.path());
    std::sort(paths.rbegin(), paths.rend());
    for (const auto& path : paths) {
      ns += 7'000'000'001;
      const timespec time{ns / kNsPerSecond, ns % kNsPerSecond};
      const timespec times[] = {time, time};
      REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW) == 0);
    }
  }
  void make_runs() const {
    write("r1/1-local-0/log", std::string(300'000, 'x') + "end\n");
    write("r1/1-local-0/done", "exit=0 ended=1\n");
    write("r1/1-local-0/empty", "", 0600);
    write("r1/1-local-0/canary-after", "canary=2\n");
    write("r2/1-local-0/log", "iteration 1\n", 0755);
    fs::create_hard_link(root / "r1/1-local-0/canary-after", root / "r2/1-local-0/canary-before");
    fs::create_directories(root / "r2/1-local-0/ranks/none");
    write("r2/1-local-0/ranks/rank 0.log", "of rank 0\n");
    fs::create_directory_symlink("ranks", root / "r2/1-local-0/latest");
    write("succeeded/r1", "");
    age();
  }
  fs::path path(const std::string& inside) const { return root / inside; }

  test::TemporaryDirectory folder;
  fs::path root = folder / "t.db.runs/s";
};

const std::vector<std::string> kRuns{"r1", "r2"};

/// What there is to read below a folder, and how disk() gives it.
class Readable {
 public:
  explicit Readable(const fs::path& root) : root_(root) {
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      const auto path = entry.path().lexically_relative(root);
      if (entry.is_regular_file()) files_[path] = read_input(entry.path());
      if (entry.is_directory() && !entry.is_symlink()) folders_[path] = disk().list(entry.path());
    }
  }
  /// Empty where all is as it was.
  std::string missing() const {
    for (const auto& [path, text] : files_)
      if (!disk().exists(root_ / path) || disk().read(root_ / path) != text) return path;
    for (const auto& [path, names] : folders_)
      if (disk().list(root_ / path) != names) return path;
    return "";
  }
  const std::map<fs::path, std::string>& files() const { return files_; }

 private:
  fs::path root_;
  std::map<fs::path, std::string> files_;
  std::map<fs::path, std::vector<std::string>> folders_;
};

/// Packs or unpacks in a process that ends before its change number `last`; true where it came to
/// its end before.
template <typename Work>
bool ends_by_itself(const fs::path& root, int last, const Work& work) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    int changes = 0;
    Packer packer(root, [&] {
      if (++changes == last) ::_exit(9);
    });
    work(packer);
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status) == 0;
}

void pack(Packer& packer) { packer.pack(kRuns); }
void unpack(Packer& packer) { packer.unpack(); }

}  // namespace

TEST_CASE("what was packed is read as before, and comes back as it was") {
  const Sweep sweep;
  sweep.make_runs();
  const auto before = tree(sweep.root);
  const Readable readable(sweep.root);
  const auto done = Packer(sweep.root).pack(kRuns);
  CHECK(done.files == 14);
  CHECK(done.bytes == 300'004 + 15 + 9 + 12 + 10);  // the canary's reading once
  CHECK(done.archive_files == 2);
  CHECK(done.archive_bytes < 10'000);
  CHECK(tree(sweep.root).size() == 2);  // succeeded/r1
  CHECK(readable.missing().empty());
  CHECK(Packer(sweep.root).unpack().files == 14);
  CHECK(tree(sweep.root) == before);
  CHECK_FALSE(fs::exists(sweep.path("packed")));
  CHECK(Packer(sweep.root).unpack().files == 0);
}

TEST_CASE("a packed file is read in parts, as a text and by its times") {
  const Sweep sweep;
  sweep.make_runs();
  const fs::path log = sweep.path("r1/1-local-0/log"), folder = sweep.path("r1/1-local-0");
  const auto identity = disk().identity(log), of_folder = disk().identity(folder);
  Packer(sweep.root).pack(kRuns);
  CHECK(disk().identity(log) == identity);
  CHECK(disk().identity(folder)->written_ns == of_folder->written_ns);
  CHECK_FALSE(disk().identity(folder / "none"));
  CHECK_FALSE(disk().read(folder / "none"));
  CHECK_FALSE(disk().exists(folder / "none"));
  std::string text;
  read_parts(log, 299'998, [&](std::string_view part) {
    text += part;
    return true;
  });
  CHECK(text == "xxend\n");
  std::size_t bytes = 0, told = 0;
  TextOptions options;
  options.tell = [&](std::int64_t more) { told += static_cast<std::size_t>(more); };
  const TextRead read = read_text(
      log,
      [&](std::string_view part) {
        bytes += part.size();
        return true;
      },
      options);
  CHECK(read.as_it_is);
  CHECK(bytes == 300'004);
  CHECK(told == 300'004);
  CHECK_THROWS_WITH(InputFile(folder / "none"), Contains("No such file"));
  CHECK(files_at_depth(sweep.path("r2/1-local-0"), 1) == std::vector<fs::path>{"ranks/rank 0.log"});
}

TEST_CASE("links that were packed lead where they led") {
  const Sweep sweep;
  sweep.make_runs();
  fs::create_symlink("../../r1/1-local-0/done", sweep.path("r2/1-local-0/other"));
  fs::create_symlink("round", sweep.path("r2/1-local-0/round"));
  Packer(sweep.root).pack(kRuns);
  CHECK(disk().read(sweep.path("r2/1-local-0/latest/rank 0.log")) == "of rank 0\n");
  CHECK(disk().read(sweep.path("r2/1-local-0/other")) == "exit=0 ended=1\n");
  CHECK_FALSE(disk().read(sweep.path("r2/1-local-0/round")));
}

TEST_CASE("what is on the disk comes before what was packed, and is packed over it") {
  const Sweep sweep;
  sweep.make_runs();
  Packer(sweep.root).pack(kRuns);
  disk().write(sweep.path("r2/1-local-0/log"), "another\n");
  disk().write(sweep.path("r2/2-local-0/log"), "second\n");
  const auto check = [&] {
    CHECK(disk().read(sweep.path("r2/1-local-0/log")) == "another\n");
    CHECK(disk().list(sweep.path("r2")) == std::vector<std::string>{"1-local-0", "2-local-0"});
    CHECK(disk().read(sweep.path("r2/1-local-0/canary-before")) == "canary=2\n");
  };
  check();
  Packer(sweep.root).pack({"r2"});
  CHECK_FALSE(fs::exists(sweep.path("r2")));
  check();
  Packer(sweep.root).unpack();
  check();
  CHECK(read_input(sweep.path("r2/2-local-0/log")) == "second\n");
}

TEST_CASE("many small packings leave few archives, and lose nothing") {
  const Sweep sweep;
  std::vector<std::string> runs;
  for (int i = 0; i < 40; ++i) {
    runs.push_back(fmt::format("r{}", i));
    sweep.write(runs.back() + "/1-local-0/log", fmt::format("of {}\n", i));
    sweep.write(runs.back() + "/1-local-0/canary-before", fmt::format("before {}\n", i));
    fs::create_hard_link(sweep.path(runs.back() + "/1-local-0/canary-before"),
                         sweep.path(runs.back() + "/1-local-0/canary-after"));
  }
  sweep.age();
  const auto before = tree(sweep.root);
  const Readable readable(sweep.root);
  for (const auto& run : runs) {
    Packer(sweep.root).pack({run});
    CHECK(archive_numbers(sweep.root).size() <= 6);
    REQUIRE(readable.missing().empty());
  }
  Packer(sweep.root).unpack();
  CHECK(tree(sweep.root) == before);
}

TEST_CASE("another name of a file outlives the first") {
  const Sweep sweep;
  sweep.make_runs();
  Packer(sweep.root).pack(kRuns);
  disk().write(sweep.path("r1/1-local-0/canary-after"), "another\n");
  for (int i = 0; i < 10; ++i) sweep.write(fmt::format("r1/1-local-0/{}", i), "more\n");
  Packer(sweep.root).pack({"r1"});  // so much that it takes the first archive in
  REQUIRE(archive_numbers(sweep.root) == std::vector<std::int64_t>{2});
  CHECK(disk().read(sweep.path("r1/1-local-0/canary-after")) == "another\n");
  CHECK(disk().read(sweep.path("r2/1-local-0/canary-before")) == "canary=2\n");
  Packer(sweep.root).unpack();
  CHECK(read_input(sweep.path("r2/1-local-0/canary-before")) == "canary=2\n");
}

namespace {

/// After a pack that was killed.
void pack_the_rest(const Sweep& sweep, const Readable& readable) {
  REQUIRE(readable.missing().empty());
  Packer(sweep.root).pack(kRuns);
  REQUIRE(readable.missing().empty());
  REQUIRE(tree(sweep.root).size() == 2);
}

}  // namespace

TEST_CASE("packing that is killed before any of its changes loses nothing") {
  for (int last = 1, by_itself = false; !by_itself; ++last) {
    const Sweep sweep;
    sweep.make_runs();
    const auto before = tree(sweep.root);
    const Readable readable(sweep.root);
    by_itself = ends_by_itself(sweep.root, last, pack);
    CAPTURE(last);
    pack_the_rest(sweep, readable);
    REQUIRE(archive_numbers(sweep.root).size() == 1);
    Packer(sweep.root).unpack();
    auto after = tree(sweep.root);
    REQUIRE(after == before);
    REQUIRE(last < 1000);
  }
}

TEST_CASE("packing that takes old archives in may be killed, too") {
  for (int last = 1, by_itself = false; !by_itself; ++last) {
    const Sweep sweep;
    sweep.make_runs();
    const Readable readable(sweep.root);
    Packer(sweep.root).pack({"r1"});
    by_itself = ends_by_itself(sweep.root, last, pack);
    CAPTURE(last);
    pack_the_rest(sweep, readable);
    REQUIRE(last < 1000);
  }
}

TEST_CASE("unpacking that is killed before any of its changes goes on") {
  for (int last = 1, by_itself = false; !by_itself; ++last) {
    const Sweep sweep;
    sweep.make_runs();
    const auto before = tree(sweep.root);
    const Readable readable(sweep.root);
    Packer(sweep.root).pack(kRuns);
    by_itself = ends_by_itself(sweep.root, last, unpack);
    CAPTURE(last);
    REQUIRE(readable.missing().empty());
    Packer(sweep.root).unpack();
    REQUIRE(tree(sweep.root) == before);
    REQUIRE_FALSE(fs::exists(sweep.path("packed")));
    REQUIRE(last < 1000);
  }
}

TEST_CASE("an archive that was only begun is removed by the next") {
  const Sweep sweep;
  sweep.make_runs();
  const Readable readable(sweep.root);
  sweep.write("packed/.1.zip.new.AbCdEf", "half of one");
  CHECK(readable.missing().empty());
  Packer(sweep.root).pack(kRuns);
  CHECK(readable.missing().empty());
  CHECK(disk().list(sweep.path("packed")) == std::vector<std::string>{"1.zip"});
}

TEST_CASE("a damaged archive is named, and nothing is removed for it") {
  const Sweep sweep;
  sweep.make_runs();
  Packer(sweep.root).pack({"r1"});
  const fs::path archive = sweep.path("packed/1.zip");
  const std::string whole = read_input(archive);
  const auto before = tree(sweep.root);
  disk().write(archive, whole.substr(0, whole.size() / 2));
  const auto words = Contains(archive.string() + ": the archive is damaged");
  CHECK_THROWS_WITH(disk().read(sweep.path("r1/1-local-0/log")), words);
  CHECK_THROWS_WITH(disk().list(sweep.path("r1")), words);
  CHECK_THROWS_WITH(Packer(sweep.root).pack({"r2"}), words);
  CHECK_THROWS_WITH(Packer(sweep.root).unpack(), words);
  CHECK(tree(sweep.root) == before);
  std::string flipped = whole;
  const auto in_log = whole.find("r1/1-local-0/log") + 40;
  flipped[in_log] = static_cast<char>(flipped[in_log] ^ 0x55);
  disk().write(archive, flipped);
  CHECK_THROWS_WITH(disk().read(sweep.path("r1/1-local-0/log")), words);
  CHECK(disk().read(sweep.path("r1/1-local-0/done")) == "exit=0 ended=1\n");
  CHECK_THROWS_WITH(Packer(sweep.root).unpack(), words);
  disk().write(archive, whole);
  CHECK(disk().read(sweep.path("r1/1-local-0/done")) == "exit=0 ended=1\n");
}

TEST_CASE("what no archive can hold is named, and all stays") {
  const Sweep sweep;
  sweep.make_runs();
  REQUIRE(::mkfifo(sweep.path("r2/1-local-0/pipe").c_str(), 0600) == 0);
  const auto before = tree(sweep.root);
  CHECK_THROWS_WITH(Packer(sweep.root).pack(kRuns), Contains("r2/1-local-0/pipe: is a FIFO"));
  CHECK(tree(sweep.root) == before);
}

TEST_CASE("folders that are not there, and none at all, are nothing to pack") {
  const Sweep sweep;
  CHECK(Packer(sweep.root).pack({}).files == 0);
  CHECK(Packer(sweep.root).pack({"none"}).files == 0);
  CHECK_FALSE(fs::exists(sweep.path("packed")));
}
