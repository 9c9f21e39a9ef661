// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"

namespace pippin {

/// One value of a YAML file, or of words that stand for one, with the place where it stands.
/// Shape: kNull has nothing (empty, `~`, `null`), kText `text`, kList `items`, kMap `items` with
/// their `keys`, in the file's order, each key once.
struct YamlNode {
  enum class Kind { kNull, kText, kList, kMap };
  Kind kind = Kind::kNull;
  std::string text;
  std::vector<YamlNode> keys, items;
  std::shared_ptr<const std::string> file;
  int line = 1;  ///< 1-based; 0: `file` is no file but says itself where: "-L tp"

  /// The value of a key of a map; null where the map has no such key, or this is no map.
  const YamlNode* find(std::string_view key) const;
};

/// The one document of a YAML text; `file` names it in messages. Aliases are copies of what they
/// name.
/// Errors: Error (bad input) `FILE:LINE: …` for broken YAML, no or several documents, a key given
/// twice or that is no text, merge keys, tags, nesting deeper than 32, and aliases that grow beyond
/// measure.
YamlNode parse_yaml(std::string_view text, const std::string& file);

/// The same of a file. Errors: also where it cannot be read, is empty or binary.
YamlNode read_yaml(const fs::path& file);

/// A text of YAML that parse_yaml reads as the same node. Requires a map.
std::string yaml_text(const YamlNode& node);

/// What a person wrote elsewhere than in a file; messages call that place `where`.
YamlNode text_written_at(const std::string& where, const std::string& text);

/// Where a node stands, behind the name of another place: "in line 3", "by -L tp".
std::string place_text(const YamlNode& node);

/// Throws the Error (bad input) "FILE:LINE: MESSAGE" for a place in a file, "FILE: MESSAGE" where
/// it has no line.
[[noreturn]] void fail_at(const YamlNode& place, const std::string& message);

template <typename... Args>
[[noreturn]] void fail(const YamlNode& place, fmt::format_string<Args...> text, Args&&... args) {
  fail_at(place, fmt::format(text, std::forward<Args>(args)...));
}

/// `text` in single quotes for a message: on one line, cut where it is long.
std::string in_quotes(std::string_view text);

/// The tail of an "unknown …" message: ", did you mean 'X'?", or "; known: A, B" where none is
/// near.
std::string hint(std::string_view word, const std::vector<std::string>& known);

/// Checks that `node` is a map that has none but `known` keys; `what` names it in the message.
void expect_map(const YamlNode& node, std::string_view what, const std::vector<std::string>& known);
void expect_map(const YamlNode& node, std::string_view what);

/// Readers of one typed value. Errors: Error naming `what` and what stands there instead.
const std::string& text_at(const YamlNode& node, std::string_view what);
/// A whole number in [low, high]; "1e3" is one.
std::int64_t whole_number_at(const YamlNode& node, std::string_view what, std::int64_t low,
                             std::int64_t high);
bool truth_at(const YamlNode& node, std::string_view what);
double positive_number_at(const YamlNode& node, std::string_view what);
/// The items of a list; a single text counts as a list of one.
std::vector<const YamlNode*> list_at(const YamlNode& node, std::string_view what);

}  // namespace pippin
