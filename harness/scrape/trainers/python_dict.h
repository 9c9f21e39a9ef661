#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace pippin {

/// The entries of a Python dictionary's text behind its "{", in their order: "'loss': 0.5" and
/// "'loss': '0.5'" are the same. Ends before the first that is cut, or has no such name.
std::vector<std::pair<std::string_view, std::string_view>> entries_in(std::string_view text);

}  // namespace pippin
