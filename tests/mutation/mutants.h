// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pippin::mutation {

/// One small change of a source file: its bytes [begin, begin + length) give way to `text`.
struct Mutant {
  std::string kind;  ///< "comparison", "number", …
  std::size_t begin = 0, length = 0;
  std::string text;
};

/// All changes known for a C++ source that clang-format has formatted, in the order of their place.
/// Comments, preprocessor lines and what stands in a raw string stay as they are.
std::vector<Mutant> mutants_of(std::string_view source);

std::string mutated(std::string_view source, const Mutant& mutant);

/// "number" → its line, from 1.
std::size_t line_of(std::string_view source, std::size_t place);

}  // namespace pippin::mutation
