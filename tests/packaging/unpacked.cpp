// SPDX-License-Identifier: Apache-2.0
#include "tests/packaging/unpacked.h"

namespace pippin::test {

namespace {
// A user's own probes would be found before those of the test.
const std::string kHome = "mkdir -p home && export HOME=\"$PWD/home\" && unset XDG_DATA_HOME CXX\n";
}  // namespace

Unpacked::Unpacked() {
  shell(
      "mkdir -p plain bin unpacked/bin && cp \"$PIPPIN\" unpacked/bin/ &&"
      "cmake --install '" PIPPIN_BUILD
      "' --prefix \"$PWD/unpacked\" --component documents\n"
      "for p in bash cat cp cut env grep head mkdir nproc sed setsid sort sync; do\n"
      "  ln -s \"$(command -v $p)\" plain/$p\ndone");
}

Call Unpacked::with_bin(const std::string& command) const {
  return shell(kHome + "PATH=\"$PWD/bin:$PATH\"\n" + command);
}

Call Unpacked::bare(const std::string& command) const {
  return shell(kHome + "PATH=\"$PWD/bin:$PWD/plain\"\n" + command);
}

void Unpacked::program(const std::string& name, const std::string& bash) const {
  write("bin/" + name, "#!/bin/bash\n" + bash + "\n");
  shell("chmod +x bin/" + name);
}

}  // namespace pippin::test
