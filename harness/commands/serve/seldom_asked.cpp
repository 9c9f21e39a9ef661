// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/serve/seldom_asked.h"

#include <stdexcept>

namespace pippin::serving {

namespace {

constexpr std::chrono::seconds kPause{60}, kForgotten{300};

}  // namespace

/// What a machine that looks takes for a scheduler.
class Asking : public Scheduler {
 public:
  Asking(SeldomAsked& all, std::string name) : all_(all), name_(std::move(name)) {}

  std::map<std::string, std::vector<JobStatus>> query(const std::vector<Asked>& asked) override {
    return all_.query(name_, asked);
  }
  Handed submit(const JobRequest& /*request*/) override { refuse(); }
  void cancel(const std::vector<Asked>& /*asked*/) override { refuse(); }
  Room room() override { refuse(); }

 private:
  [[noreturn]] static void refuse() { throw std::logic_error("a page hands over and ends no job"); }

  SeldomAsked& all_;
  std::string name_;
};

std::unique_ptr<Scheduler> SeldomAsked::scheduler(const std::string& name) {
  if (name == "local") return make_(name);
  return std::make_unique<Asking>(*this, name);
}

/// Those that somebody lately wanted to know of.
std::vector<Asked> SeldomAsked::Known::to_ask(Clock::time_point now) {
  std::erase_if(wanted, [&](const auto& entry) { return now - entry.second.at > kForgotten; });
  std::vector<Asked> all;
  for (const auto& entry : wanted) all.push_back(entry.second.asked);
  return all;
}

SeldomAsked::Answers SeldomAsked::Known::answers_to(const std::vector<Asked>& asked) const {
  if (failure) std::rethrow_exception(failure);
  Answers fitting;
  for (const auto& one : asked) {
    const auto found = answers.find(one.token);
    const bool fits =
        found != answers.end() && found->second.size() == static_cast<std::size_t>(one.tasks);
    if (fits) fitting.insert(*found);
  }
  return fitting;
}

SeldomAsked::Answers SeldomAsked::query(const std::string& name, const std::vector<Asked>& asked) {
  std::unique_lock lock(mutex_);
  Known& known = known_[name];
  const auto now = now_();
  for (const auto& one : asked) known.wanted[one.token] = {one, now};
  if (!known.is_being_asked && (!known.asked_at || now - *known.asked_at >= kPause)) {
    known.asked_at = now;
    known.is_being_asked = true;
    asking_.add([this, name, &known, all = known.to_ask(now)] { ask(name, known, all); });
  }
  is_answered_.wait(lock, [&] { return known.has_answered; });
  return known.answers_to(asked);
}

/// On a thread that nobody waits for once there is an answer: a scheduler may take a minute.
void SeldomAsked::ask(const std::string& name, Known& known, const std::vector<Asked>& all) {
  Answers answers;
  std::exception_ptr failure;
  try {
    answers = make_(name)->query(all);
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  known.answers = std::move(answers);
  known.failure = failure;
  known.is_being_asked = false;
  known.has_answered = true;
  is_answered_.notify_all();
}

}  // namespace pippin::serving
