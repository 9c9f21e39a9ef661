// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/records/value.h"
#include "core/records/value_index.h"
#include "harness/scrape/lines.h"

namespace pippin {

/// Where the rule over the arguments begins: at the front, or behind what a logger writes; npos in
/// a line that only quotes one.
std::size_t begin_of_dump(std::string_view line);

/// The lines of an arguments dump. `srun -l` tears one wherever its buffer is full: the rest has
/// srun's label, and none of those behind it.
class MegatronDump {
 public:
  /// `label`: of the rule above the arguments.
  void begin(std::string_view label);
  /// Whether a line is an argument, or the rest of one; `arguments` then has it. Of several of a
  /// name the first counts. `text`: the line without its label and `prefix`.
  bool read(std::string_view label, std::string_view text, const LoggerPrefix& prefix,
            NamedValues& arguments);

 private:
  bool read_rest(std::string_view text, bool is_rest, const LoggerPrefix& prefix,
                 NamedValues& arguments);

  /// Whether an argument of that name is there.
  bool has(const NamedValues& arguments, const std::string& name);
  void add(NamedValues& arguments, std::pair<std::string, Value> argument);

  std::string label_, last_;          ///< of the rule; the line before
  ValueIndex index_;                  ///< of the arguments, once they are out of order
  std::size_t ascending_ = 0;         ///< so many arguments from the front are in order, by name
  std::optional<std::size_t> place_;  ///< of the argument that it gave
  bool gave_ = false;                 ///< it gave one, which may have been known
};

}  // namespace pippin
