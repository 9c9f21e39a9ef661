// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pippin::http {

/// What a request names, decoded.
struct Target {
  std::vector<std::string> path;                           ///< "/report/a%2Fb": "report", "a/b"
  std::vector<std::pair<std::string, std::string>> query;  ///< in their order

  /// The first of that name; nothing where there is none.
  std::optional<std::string> said(std::string_view name) const;
};

/// Nothing where it is none that this server gives: no path from the root, with an empty part, a
/// part "." or "..", a NUL, or a % with no two digits behind it.
/// Source: RFC 3986, 3.3 and 2.1.
std::optional<Target> target_of(std::string_view text);

/// `text` as a part of a path or a value of a query: all but letters, digits and "-._~" as %XX.
std::string percent_encoded(std::string_view text);

/// "/report/a%2Fb"; "/" of no part.
std::string path_text(const std::vector<std::string>& path);

/// "x & y" as text of HTML, also between quotes; what would steer a terminal is shown.
std::string html_text(std::string_view text);

}  // namespace pippin::http
