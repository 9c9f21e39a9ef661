// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/deepspeed_config.h"

#include "core/base/text.h"

namespace pippin {

namespace {

std::string_view unquoted(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

void DeepspeedConfig::begin() {
  sections_ = {""};
  index_.reset();
}

void DeepspeedConfig::read(std::string_view line, NamedValues& values) {
  line = trim(line);
  if (line.ends_with(',')) line.remove_suffix(1);
  if (line == "}") return sections_.pop_back();
  const auto colon = line.find("\": ");
  if (!line.starts_with('"') || colon == std::string_view::npos) return;
  const std::string name = sections_.back() + printable(line.substr(1, colon - 1));
  const auto value = line.substr(colon + 3);
  constexpr std::size_t kDeepest = 20, kLongestName = 1000;  // DeepSpeed's own: 4 and 80
  if (value == "{") {
    const bool is_possible = sections_.size() < kDeepest && name.size() < kLongestName;
    sections_.push_back(is_possible ? name + "." : sections_.back());
  } else if (!index_.has(values, name)) {
    values.emplace_back(name, value_of(printable(unquoted(value))));
  }
}

}  // namespace pippin
