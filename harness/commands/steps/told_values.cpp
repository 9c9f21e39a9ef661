// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/told_values.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "core/base/error.h"
#include "core/base/placeholders.h"
#include "core/base/text.h"
#include "core/records/fields.h"
#include "harness/scrape/characters.h"
#include "harness/scrape/line_patterns.h"
#include "sweeps/yaml.h"

namespace pippin {

namespace {

constexpr std::string_view kFolderFile = "logs.pippin.yaml", kOfLog = ".pippin.yaml",
                           kPatterns = "scrape";

bool is_count(const std::string& name) { return find_count(Point{}, name).has_value(); }

std::size_t digits_at(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) -
                                  text.begin());
}

/// Where a word of a path ends: "tp4-pp2.log" has two.
std::size_t word_at(std::string_view text) {
  return std::min(text.find_first_of("/-_."), text.size());
}

std::string end_of_size(const std::string& value, std::string_view behind) {
  const bool is_number = parse_number(value).has_value();
  const bool has_unit =
      !behind.empty() && std::string_view("BbMmKk").find(behind[0]) != std::string_view::npos;
  return is_number && has_unit ? std::string(1, behind[0]) : "";
}

std::string pattern_name(const std::string& field) {
  return fmt::format("{}{}", kPatternPrefix, field);
}

/// "tp=4" of an option.
std::pair<std::string, std::string> named(const char* option, const std::string& text,
                                          const char* example) {
  const auto equals = text.find('=');
  std::string name = text.substr(0, equals);
  if (equals == std::string::npos || !is_identifier(name))
    bad_input("{} '{}': is not like {}", option, printable(text), example);
  return {std::move(name), text.substr(equals + 1)};
}

void add_patterns(NamedValues& values, const YamlNode& node) {
  expect_map(node, "scrape");
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const std::string& field = text_at(node.keys[i], "a field");
    values.emplace_back(pattern_name(field), value_of(text_at(node.items[i], field)));
  }
}

}  // namespace

std::string meant_by(const std::string& name) {
  std::vector<std::string> known{"size", "style", "trainer"};
  for_each_count(Point{}, [&](std::string_view count, const Count&) { known.emplace_back(count); });
  constexpr std::size_t kLeast = 3;  // below it every name is near another
  const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
  if (is_known || is_pattern_name(name) || name.size() < kLeast) return {};
  const auto meant = closest(name, known);
  return meant && edit_distance(name, *meant) == 1 ? *meant : std::string();
}

NamePattern::NamePattern(std::string_view text) : parts_(placeholders(text)) {
  const auto refuse = [&](const char* why) {
    bad_input("--from-name '{}': {}; write it like '{{size}}-mbs{{mbs}}-pp{{pp}}'", text, why);
  };
  if (std::none_of(parts_.begin(), parts_.end(), [](const Piece& part) { return part.is_name; }))
    refuse("it has no field");
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    if (parts_[i].is_name && parts_[i - 1].is_name) refuse("two fields have no text between them");
  }
}

bool NamePattern::match_at(std::string_view name, NamedValues& values) const {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Piece& part = parts_[i];
    if (!part.is_name) {
      if (!name.starts_with(part.text)) return false;
      name.remove_prefix(part.text.size());
      continue;
    }
    const bool is_last = i + 1 == parts_.size();
    const auto word = word_at(name), next = is_last ? word : name.find(parts_[i + 1].text);
    const auto size = is_count(part.text) ? digits_at(name) : next;
    if (size == 0 || size > word) return false;
    std::string value(name.substr(0, size));
    name.remove_prefix(size);
    if (part.text == "size") value += end_of_size(value, name);
    values.emplace_back(part.text, value_of(value));
  }
  return true;
}

NamedValues NamePattern::match(const fs::path& path) const {
  const std::string text = path.generic_string();
  const auto in = [&](std::size_t begin, std::size_t end) {
    NamedValues values;
    for (std::size_t at = begin; at < end; ++at) {
      values.clear();
      if (match_at(std::string_view(text).substr(at), values)) return values;
    }
    return NamedValues{};
  };
  const auto name = text.rfind('/') + 1;
  const NamedValues values = in(name, text.size());
  return values.empty() ? in(0, name) : values;
}

ToldValues::ToldValues(const std::vector<std::string>& set, const std::string& from_name,
                       const std::vector<std::string>& scrape) {
  for (const auto& text : set) {
    const auto value = named("--set", text, "tp=4");
    std::erase_if(set_, [&](const auto& before) { return before.first == value.first; });
    set_.emplace_back(value.first, value_of(value.second));
  }
  for (const auto& text : scrape) {
    constexpr const char* kExample = "'step_time_ms=time ([0-9.]+) ms'";
    const auto value = named("--scrape", text, kExample);
    if (value.second.empty()) bad_input("--scrape '{}': is not like {}", printable(text), kExample);
    set_.emplace_back(pattern_name(value.first), value_of(value.second));
  }
  patterns_in(set_);
  if (!from_name.empty()) pattern_.emplace_back(from_name);
}

NamedValues ToldValues::in_file(const fs::path& file) {
  NamedValues values;
  std::error_code none;
  if (!fs::is_regular_file(file, none)) return values;
  const YamlNode node = read_yaml(file);
  expect_map(node, "what is said of logs");
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const std::string& name = text_at(node.keys[i], "a name");
    if (name == kPatterns) {
      add_patterns(values, node.items[i]);
    } else {
      const bool is_empty = node.items[i].kind == YamlNode::Kind::kNull;
      values.emplace_back(name, value_of(is_empty ? "" : text_at(node.items[i], name)));
    }
  }
  try {
    patterns_in(values);
  } catch (const Error& error) {
    bad_input("{}: {}", file.string(), error.what());
  }
  return values;
}

const NamedValues& ToldValues::in_folder(const fs::path& folder) {
  const auto known = folders_.find(folder.native());
  if (known != folders_.end()) return known->second;
  return folders_.emplace(folder.native(), in_file(folder / kFolderFile)).first->second;
}

NamedValues ToldValues::of(const fs::path& log, bool* unlike, bool alone) {
  NamedValues values = set_;
  for (const auto& pattern : pattern_) {
    const NamedValues of_name = pattern.match(log);
    if (unlike) *unlike = of_name.empty();
    add_unsaid(values, of_name);
  }
  if (!alone) add_unsaid(values, in_file(log.string() + std::string(kOfLog)));
  add_unsaid(values, in_folder(log.parent_path()));
  return values;
}

}  // namespace pippin
