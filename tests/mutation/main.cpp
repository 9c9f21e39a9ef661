// SPDX-License-Identifier: Apache-2.0
// mutants SEED COUNT OUT FILE…: draws COUNT mutants of the files, each kind as often as any other
// while it lasts, and writes OUT/NNNN/mutant, changed as OUT/NNNN/place ("FILE:LINE KIND") says. In
// the order of the files, so that a build begins few files anew.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <map>
#include <random>

#include "tests/mutation/mutants.h"

namespace {

namespace fs = std::filesystem;
using pippin::mutation::Mutant;

struct Drawn {
  std::size_t file = 0;
  Mutant mutant;
};

std::string read(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<Drawn> draw(const std::vector<std::string>& sources, std::size_t seed,
                        std::size_t count) {
  std::map<std::string, std::vector<Drawn>> by_kind;
  for (std::size_t file = 0; file < sources.size(); ++file) {
    for (auto& mutant : pippin::mutation::mutants_of(sources[file]))
      by_kind[mutant.kind].push_back({file, std::move(mutant)});
  }
  std::mt19937_64 random(seed);
  for (auto& [kind, mutants] : by_kind) std::shuffle(mutants.begin(), mutants.end(), random);
  std::vector<Drawn> drawn;
  while (drawn.size() < count && !by_kind.empty()) {
    auto kind = std::next(by_kind.begin(), static_cast<std::ptrdiff_t>(random() % by_kind.size()));
    drawn.push_back(std::move(kind->second.back()));
    kind->second.pop_back();
    if (kind->second.empty()) by_kind.erase(kind);
  }
  std::stable_sort(drawn.begin(), drawn.end(),
                   [](const auto& a, const auto& b) { return a.file < b.file; });
  return drawn;
}

}  // namespace

int main(int argc, char* argv[]) {
  if (argc < 5) {
    fmt::print(stderr, "usage: mutants SEED COUNT OUT FILE...\n");
    return 2;
  }
  const std::vector<std::string> files(argv + 4, argv + argc);
  std::vector<std::string> sources;
  for (const auto& file : files) sources.push_back(read(file));
  std::size_t number = 0;
  for (const auto& [file, mutant] : draw(sources, std::stoul(argv[1]), std::stoul(argv[2]))) {
    const fs::path folder = fs::path(argv[3]) / fmt::format("{:04}", ++number);
    fs::create_directories(folder);
    std::ofstream(folder / "mutant", std::ios::binary)
        << pippin::mutation::mutated(sources[file], mutant);
    const auto line = pippin::mutation::line_of(sources[file], mutant.begin);
    std::ofstream(folder / "place") << fmt::format("{}:{} {}\n", files[file], line, mutant.kind);
  }
}
