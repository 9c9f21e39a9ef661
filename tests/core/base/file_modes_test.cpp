// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include "core/base/files.h"
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

}  // namespace

TEST_CASE(
    "new files have the umask's mode, those replaced keep theirs, private ones are the user's") {
  const Umask umask(027);
  const test::TemporaryDirectory folder;
  for (const char* name : {"open", "secret"}) {
    disk().write(folder / name, "old");
    fs::permissions(folder / name, static_cast<fs::perms>(0664));
  }
  disk().write(folder / "open", "new");
  disk().write(folder / "fresh", "text");
  disk().write_private(folder / "secret", "token");
  disk().write_private(folder / "made/secret", "token");
  CHECK(mode_of(folder / "open") == 0664);
  CHECK(mode_of(folder / "fresh") == 0640);
  CHECK(mode_of(folder / "secret") == 0600);
  CHECK(mode_of(folder / "made/secret") == 0600);
  CHECK(disk().read(folder / "secret") == "token");
  CHECK(disk().list(folder.path()).size() == 4);
}
