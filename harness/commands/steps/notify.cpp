// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/notify.h"

#include <fmt/format.h>

#include "core/base/process.h"
#include "core/base/text.h"
#include "harness/commands/steps/output.h"

namespace pippin {

Notifier::Notifier(std::string command, std::string sweep)
    : command_(std::move(command)), sweep_(std::move(sweep)) {}

void Notifier::look(const RunCounts& counts) {
  if (command_.empty()) return;
  const std::int64_t died = counts.failed + counts.lost + counts.cancelled;
  const bool news = !first_ && died > died_;
  first_ = false;
  died_ = died;
  std::string message = fmt::format("{}: {} of {} runs ok, {} failed, {} lost, {} cancelled",
                                    sweep_, counts.succeeded, counts.total(), counts.failed,
                                    counts.lost - counts.let_be, counts.cancelled);
  if (counts.let_be > 0) message += fmt::format(", {} given up", counts.let_be);
  if (counts.finished() && !ended_) {
    ended_ = true;
    tell("ended", message);
  } else if (news) {
    tell("died", message);
  }
}

void Notifier::tell(const std::string& event, const std::string& message) {
  constexpr std::chrono::seconds kPatience{60};
  Variables environment = own_environment();
  environment.emplace_back("PIPPIN_EVENT", event);
  environment.emplace_back("PIPPIN_SWEEP", sweep_);
  environment.emplace_back("PIPPIN_MESSAGE", message);
  const Answer answer = ask_program({"bash", "-c", command_}, environment, kPatience);
  if (answer.exit_code != 0 || answer.gave_up) {
    write_error(
        fmt::format("pippin: --notify: '{}' {}: {}\n", printable(command_),
                    answer.gave_up ? "took too long" : fmt::format("exits {}", answer.exit_code),
                    printable(trim(answer.errors))));
  }
}

}  // namespace pippin
