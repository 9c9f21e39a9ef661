// SPDX-License-Identifier: Apache-2.0
#include "tests/support/compress.h"

#include <cstdlib>
#include <fmt/format.h>

#include "core/base/error.h"

namespace pippin::test {

namespace {

int shell(const std::string& command) { return std::system(command.c_str()); }

}  // namespace

std::vector<std::string> compressors() {
  std::vector<std::string> here;
  for (const char* program : {"gzip", "xz", "zstd", "bzip2"}) {
    if (shell(fmt::format("command -v {} >/dev/null", program)) == 0) here.emplace_back(program);
  }
  return here;
}

void compress(const std::string& program, const std::string& text, const fs::path& file) {
  const fs::path plain = file.string() + ".plain";
  disk().write(plain, text);
  const int failed =
      shell(fmt::format("{} -c <'{}' >'{}'", program, plain.string(), file.string()));
  if (failed != 0) machine_failed("{}: {} failed", file.string(), program);
  fs::remove(plain);
}

}  // namespace pippin::test
