// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/records/value.h"
#include "core/records/value_index.h"

namespace pippin {

/// Reads the configuration that DeepSpeed prints when its engine starts:
///
///     [2021-05-25 22:30:04,196] [INFO] [config.py:754:print]   json = {
///         "zero_optimization": {
///             "reduce_bucket_size": 6.710886e+07,
///     …
///     }
///
/// Bucket sizes, offloading and overlap stand nowhere else in a log.
class DeepspeedConfig {
 public:
  /// What `line` ends with where the next line is the configuration's first.
  static constexpr std::string_view kBegin = ":print]   json = {";

  void begin();
  bool open() const { return !sections_.empty(); }
  /// Takes a line of the configuration, named by its sections: "zero_optimization.stage". Other
  /// lines may stand between.
  void read(std::string_view line, NamedValues& values);

 private:
  ValueIndex index_;
  std::vector<std::string> sections_;  ///< those that are open, as prefixes: "", "fp16."
};

}  // namespace pippin
