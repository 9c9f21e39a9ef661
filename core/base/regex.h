// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pippin {

/// A regular expression of RE2's syntax, which takes time in proportion to the text, whatever it
/// says. Copies share what was made of it.
class Regex {
 public:
  /// Errors: Error (bad input) with what is wrong with it.
  explicit Regex(const std::string& pattern);

  const std::string& pattern() const { return pattern_; }
  /// Of its groups, without the whole; empty: it has none.
  const std::vector<std::string>& group_names() const { return names_; }

  /// Finds its first place in a text: the whole, and each group; one that took no part is a text
  /// without data. Empty: it does not occur.
  std::vector<std::string_view> find(std::string_view text) const;

 private:
  struct Compiled;

  std::string pattern_;
  std::shared_ptr<const Compiled> compiled_;
  std::vector<std::string> names_;  ///< empty texts for groups without a name
};

}  // namespace pippin
