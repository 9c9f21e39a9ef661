#include "core/base/replace_files.h"

#include <sys/stat.h>

#include "core/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

/// A umask for as long as it lives.
class Umask {
 public:
  explicit Umask(mode_t mask) : before_(::umask(mask)) {}
  ~Umask() { ::umask(before_); }
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;

 private:
  mode_t before_;
};

unsigned mode_of(const fs::path& file) {
  return static_cast<unsigned>(fs::status(file).permissions());
}

std::vector<FileText> numbered(const fs::path& folder, int count, const std::string& text) {
  std::vector<FileText> files;
  for (int i = 0; i < count; ++i) files.push_back({folder / std::to_string(i), text});
  return files;
}

}  // namespace

TEST_CASE("files are replaced one by one and many at once, and leave nothing else") {
  const int count = GENERATE(0, 1, 2, 100);
  const test::TemporaryDirectory root;
  const fs::path folder = root / "made/here";
  for (const char* text : {"old", "", "new\n"}) {
    const auto files = numbered(folder, count, text);
    write_many(disk(), files);
    CHECK(disk().list(folder).size() == files.size());
    for (const auto& file : files) CHECK(disk().read(file.path) == text);
  }
}

TEST_CASE(
    "new files have the umask's mode, those replaced keep theirs, private ones are the user's") {
  const int count = GENERATE(2, 100);
  const Umask umask(027);
  const test::TemporaryDirectory folder;
  disk().write(folder / "0", "old");
  fs::permissions(folder / "0", static_cast<fs::perms>(0664));
  disk().write(folder / "secret", "was open");
  auto files = numbered(folder.path(), count, "text");
  files.push_back({folder / "secret", "token", true});
  write_many(disk(), files);
  CHECK(mode_of(folder / "0") == 0664);
  CHECK(mode_of(folder / "1") == 0640);
  CHECK(mode_of(folder / "secret") == 0600);
  CHECK(disk().read(folder / "secret") == "token");
}

TEST_CASE("where one of many files cannot be written the others stay as they were") {
  const test::TemporaryDirectory folder;
  write_many(disk(), numbered(folder.path(), 9, "old"));
  auto files = numbered(folder.path(), 9, "new");
  files.push_back({folder / "0/under a file", "x"});
  CHECK_THROWS_AS(write_many(disk(), files), Error);
  CHECK(disk().list(folder.path()).size() == 9);
  for (int i = 0; i < 9; ++i) CHECK(disk().read(folder / std::to_string(i)) == "old");
}
