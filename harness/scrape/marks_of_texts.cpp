// SPDX-License-Identifier: Apache-2.0
// choose_marks USUAL.txt OUT.cpp: writes the source of chosen_marks().
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "harness/scrape/choose_marks.h"
#include "harness/scrape/log_texts.h"

namespace pippin {

/// Those that are yet to be chosen.
std::span<const NeedleMark> chosen_marks() { return {}; }

}  // namespace pippin

int main(int count, char** words) {
  using namespace pippin;
  if (count != 3) {
    std::cerr << "usage: choose_marks USUAL.txt OUT.cpp\n";
    return 2;
  }
  std::ifstream file(words[1], std::ios::binary);
  const std::string usual{std::istreambuf_iterator<char>(file), {}};
  if (usual.empty()) {
    std::cerr << words[1] << ": cannot be read, or is empty\n";
    return 2;
  }
  std::string rows;
  for (const auto& mark : choose_marks(log_texts().all, texts_looked_for_together(), usual))
    rows += fmt::format("      {{{}, {}}},\n", mark.offset, mark.group);
  std::ofstream out(words[2], std::ios::binary);
  out << fmt::format(
      "#include \"harness/scrape/needle_marks.h\"\n\n"
      "namespace pippin {{\n\n"
      "std::span<const NeedleMark> chosen_marks() {{\n"
      "  static constexpr NeedleMark kMarks[] = {{\n{}  }};\n"
      "  return kMarks;\n}}\n\n"
      "}}  // namespace pippin\n",
      rows);
  out.close();
  if (!out) {
    std::cerr << words[2] << ": cannot be written\n";
    return 3;
  }
}
