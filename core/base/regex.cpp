// SPDX-License-Identifier: Apache-2.0
#include "core/base/regex.h"

#include <re2/re2.h>

#include "core/base/error.h"
#include "core/base/text.h"

namespace pippin {

namespace {

RE2::Options options() {
  RE2::Options options;
  options.set_log_errors(false);
  return options;
}

}  // namespace

struct Regex::Compiled {
  explicit Compiled(const std::string& pattern) : expression(pattern, options()) {}
  RE2 expression;
};

Regex::Regex(const std::string& pattern)
    : pattern_(pattern), compiled_(std::make_shared<const Compiled>(pattern)) {
  const RE2& expression = compiled_->expression;
  if (!expression.ok())
    bad_input("'{}' is no regular expression: {}", printable(pattern), expression.error());
  names_.resize(static_cast<std::size_t>(expression.NumberOfCapturingGroups()));
  for (const auto& [number, name] : expression.CapturingGroupNames())
    names_[static_cast<std::size_t>(number) - 1] = name;
}

std::vector<std::string_view> Regex::find(std::string_view text) const {
  std::vector<re2::StringPiece> found(names_.size() + 1);
  const re2::StringPiece piece(text.data(), text.size());
  const bool occurs = compiled_->expression.Match(piece, 0, piece.size(), RE2::UNANCHORED,
                                                  found.data(), static_cast<int>(found.size()));
  std::vector<std::string_view> groups;
  if (!occurs) return groups;
  groups.reserve(found.size());
  for (const auto& part : found)
    groups.push_back(part.data() ? std::string_view(part.data(), part.size()) : std::string_view());
  return groups;
}

}  // namespace pippin
