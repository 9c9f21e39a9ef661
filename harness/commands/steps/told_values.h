// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/files.h"
#include "core/base/placeholders.h"
#include "core/records/value.h"

namespace pippin {

/// "{size}B-mbs-{mbs}-pp{pp}": what names of logs say of their configuration. A count's field is
/// digits, another a word without '-', '_', '/' and '.'. The B, M or K behind a {size} belongs to
/// it.
class NamePattern {
 public:
  /// Errors: Error (bad input) where it has no field, or two without a text between them.
  explicit NamePattern(std::string_view text);

  /// The first place in a path where it fits, from the file's name upwards; empty: nowhere.
  NamedValues match(const fs::path& path) const;

 private:
  bool match_at(std::string_view name, NamedValues& values) const;

  std::vector<Piece> parts_;
};

/// What people say of logs that do not say what ran, and of their lines: by options, in the logs'
/// names, and in files beside them. The first of these counts: options, the name, LOG.pippin.yaml,
/// and logs.pippin.yaml of its folder; patterns are those of one of them. An empty value takes back
/// what was said before.
class ToldValues {
 public:
  ToldValues() = default;
  /// `set`: "NAME=VALUE", "NAME="; `from_name`: a NamePattern; empty: none; `scrape`:
  /// "FIELD=PATTERN", as patterns_in() has them. Errors: Error (bad input).
  ToldValues(const std::vector<std::string>& set, const std::string& from_name,
             const std::vector<std::string>& scrape = {});

  /// Empty: nobody says anything. `unlike`: set where the pattern does not fit the name. `alone`:
  /// there is no LOG.pippin.yaml. Errors: Error (bad input) of a file that is none of name: value.
  NamedValues of(const fs::path& log, bool* unlike = nullptr, bool alone = false);

 private:
  /// Empty where there is no such file.
  static NamedValues in_file(const fs::path& file);
  const NamedValues& in_folder(const fs::path& folder);

  NamedValues set_;
  std::vector<NamePattern> pattern_;            ///< one or none
  std::map<std::string, NamedValues> folders_;  ///< what their files say
};

/// The known name that a name which is none was perhaps meant to be: "gpus" of "gpu"; empty: none.
std::string meant_by(const std::string& name);

}  // namespace pippin
