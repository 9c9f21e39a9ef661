// SPDX-License-Identifier: Apache-2.0
// Runs a target over files, without libFuzzer: each kept input, in any build.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "tests/fuzz/input.h"

using namespace pippin;

namespace {

/// The files that the words name: those in folders, and themselves.
std::vector<fs::path> files_of(int count, char** words) {
  std::vector<fs::path> files;
  for (int i = 1; i < count; ++i) {
    if (!fs::is_directory(words[i])) files.emplace_back(words[i]);
    if (!fs::is_directory(words[i])) continue;
    for (const auto& entry : fs::directory_iterator(words[i])) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

int main(int count, char** words) {
  const auto files = files_of(count, words);
  for (const auto& file : files) {
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);  // the last line names the input that did harm
    const std::string bytes = bytes_of(file);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  std::printf("%zu inputs\n", files.size());
  return files.empty() ? 1 : 0;
}
