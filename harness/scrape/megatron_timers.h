// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/records/value.h"

namespace pippin {

/// The timers that Megatron-LM prints below a title with --timing-log-option max or all:
///     max time across ranks (ms):              times across ranks (ms):
///         forward-backward ....: 3199.53         forward-backward:
///                                                   rank  0: 3198.27
class TimerBlock {
 public:
  static constexpr std::string_view kTitle = " across ranks (ms):";

  /// Begins behind a title of these two; those of minimum and maximum are known by themselves.
  void begin(std::string_view title);
  bool is_open() const { return kind_ != Kind::kNone; }

  /// Takes the next line; one that is no timer's ends it. Returns "forward-backward max", and of
  /// all "… min", too, once all ranks of one have spoken.
  NamedValues take(std::string_view line);

 private:
  enum class Kind { kNone, kMax, kAll };
  NamedValues spread();

  Kind kind_ = Kind::kNone;
  std::string name_;  ///< whose ranks speak
  std::optional<double> least_, most_;
};

}  // namespace pippin
