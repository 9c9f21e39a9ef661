#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/records/value.h"

namespace pippin::db {

/// Axes as one text, a line each: name, number (empty where there is none) and text, with tabs
/// between. Backslash, tab and newline are \\, \t and \n.
std::string text_of_axes(const NamedValues& axes);
/// Requires a text made by the above.
NamedValues axes_in(const std::string& text);
/// Only the axes of these names.
NamedValues axes_in(const std::string& text, const std::set<std::string, std::less<>>& names);

/// The names of axes that not all texts have alike.
std::set<std::string, std::less<>> varying_axes(const std::vector<std::string>& texts);

}  // namespace pippin::db
