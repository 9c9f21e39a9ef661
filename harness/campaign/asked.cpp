// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/asked.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"

namespace pippin {

Asked asked_of(const SweepFolder& folder, const Submission& submission) {
  Asked asked;
  asked.token = submission.token;
  asked.tasks = static_cast<std::int64_t>(submission.tasks.size());
  asked.handed = submission.handed.has_value();
  asked.id = submission.handed.value_or("");
  asked.script = folder.script(submission);
  asked.owner = submission.owner;
  asked.tried_until = submission.tried_until > 0 ? submission.tried_until
                                                 : submission.journaled_at + kLongestSending_s;
  return asked;
}

std::optional<std::string> why_elsewhere(SweepFolder& folder, Scheduler& scheduler) {
  const std::string there = folder.place();
  if (there.empty()) return std::nullopt;
  std::string here;
  try {
    here = scheduler.place();
  } catch (const Error&) {
    return std::nullopt;  // nor does it to what is asked next
  }
  if (here.empty() || here == there) return std::string();
  return fmt::format("its jobs are on {}, and this is {}; where both are the same, remove {}",
                     printable(there), printable(here), (folder.root() / "scheduler").string());
}

}  // namespace pippin
