// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/short_names.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "core/base/text.h"

namespace pippin {

namespace {

using Parts = std::set<std::string_view>;

/// The parts that all names have.
Parts common_parts(const std::vector<std::string>& names) {
  const auto of_first = split(names.front(), '-');
  Parts common(of_first.begin(), of_first.end());
  for (const auto& name : names) {
    const auto parts = split(name, '-');
    const Parts own(parts.begin(), parts.end());
    for (auto part = common.begin(); part != common.end();)
      part = own.contains(*part) ? std::next(part) : common.erase(part);
  }
  return common;
}

}  // namespace

std::vector<std::string> short_names(const std::vector<std::string>& names) {
  if (names.size() < 2) return names;
  const Parts common = common_parts(names);
  std::vector<std::string> short_ones;
  for (const auto& name : names) {
    std::vector<std::string> rest;
    for (const auto part : split(name, '-')) {
      if (!common.contains(part)) rest.emplace_back(part);
    }
    short_ones.push_back(join(rest, "-"));
  }
  const std::set<std::string> unlike(names.begin(), names.end()),
      unlike_short(short_ones.begin(), short_ones.end());
  const bool are_plain = unlike.size() == unlike_short.size() && !unlike_short.contains("");
  return are_plain ? short_ones : names;
}

}  // namespace pippin
