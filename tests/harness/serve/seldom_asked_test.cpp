// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/serve/seldom_asked.h"

#include <atomic>
#include <functional>
#include <future>
#include <stdexcept>
#include <thread>

#include "tests/support/catch.h"

using namespace pippin;
using serving::SeldomAsked;

namespace {

/// Says of each job how often it was asked.
class Counting : public Scheduler {
 public:
  Counting(int& questions, std::vector<std::string>& tokens)
      : questions_(questions), tokens_(tokens) {}
  std::map<std::string, std::vector<JobStatus>> query(const std::vector<Asked>& asked) override {
    ++questions_;
    tokens_.clear();
    std::map<std::string, std::vector<JobStatus>> answers;
    for (const auto& one : asked) {
      tokens_.push_back(one.token);
      answers[one.token] = {{JobStatus::Phase::kRunning, std::to_string(questions_)}};
    }
    return answers;
  }
  Handed submit(const JobRequest& /*request*/) override { return {}; }
  void cancel(const std::vector<Asked>& /*asked*/) override {}
  Room room() override { return {}; }

 private:
  int& questions_;
  std::vector<std::string>& tokens_;
};

struct Desk {
  SeldomAsked::Clock::time_point now{};
  int questions = 0;
  std::vector<std::string> tokens;
  SeldomAsked all{
      [this](const std::string&) { return std::make_unique<Counting>(questions, tokens); },
      [this] { return now; }};

  /// What is said of a job; "" where nothing is.
  std::string said(const std::string& token, const std::string& scheduler = "slurm") {
    Asked asked;
    asked.token = token;
    const auto answers = all.scheduler(scheduler)->query({asked});
    return answers.empty() ? "" : answers.at(token).front().evidence;
  }
  /// Once it is said: it is asked anew while the old answer stands.
  bool comes_to_say(const std::string& token, const std::string& words) {
    while (said(token) != words) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return true;
  }
};

}  // namespace

TEST_CASE("a scheduler is asked at most once a minute, by however many pages") {
  Desk desk;
  for (int i = 0; i < 100; ++i) {
    CHECK(desk.said("a") == "1");
    desk.now += std::chrono::milliseconds(500);
  }
  CHECK(desk.questions == 1);
  CHECK(desk.said("b").empty());  // nobody has asked of it yet
  desk.now += std::chrono::seconds(10);
  CHECK(desk.comes_to_say("b", "2"));
  CHECK(desk.said("a") == "2");
  CHECK(desk.tokens == std::vector<std::string>{"a", "b"});
  CHECK(desk.questions == 2);
}

TEST_CASE("what nobody looks at any more is not asked for") {
  Desk desk;
  desk.said("a");
  desk.now += std::chrono::minutes(10);
  CHECK(desk.comes_to_say("b", "2"));
  CHECK(desk.tokens == std::vector<std::string>{"b"});
}

TEST_CASE("two schedulers are asked each for itself, and this machine always") {
  Desk desk;
  CHECK(desk.said("a", "slurm") == "1");
  CHECK(desk.said("a", "pbs") == "2");
  CHECK(desk.said("a", "slurm") == "1");
  CHECK(desk.said("a", "local") == "3");
  CHECK(desk.said("a", "local") == "4");
}

TEST_CASE("while a scheduler is asked anew, what it said last is told at once") {
  std::promise<void> asked, may_answer;
  std::atomic<int> questions{0};
  struct Slow : Scheduler {
    std::function<void()> on_query;
    std::map<std::string, std::vector<JobStatus>> query(const std::vector<Asked>&) override {
      on_query();
      return {{"a", {{JobStatus::Phase::kRunning, "n1"}}}};
    }
    Handed submit(const JobRequest&) override { return {}; }
    void cancel(const std::vector<Asked>&) override {}
    Room room() override { return {}; }
  };
  std::atomic<SeldomAsked::Clock::time_point> now{SeldomAsked::Clock::time_point{}};
  SeldomAsked all(
      [&](const std::string&) {
        auto slow = std::make_unique<Slow>();
        slow->on_query = [&] {
          if (++questions != 2) return;
          asked.set_value();
          may_answer.get_future().wait();
        };
        return slow;
      },
      [&] { return now.load(); });
  Asked job;
  job.token = "a";
  const auto said = [&] { return all.scheduler("slurm")->query({job}).at("a").front().evidence; };
  CHECK(said() == "n1");
  now = now.load() + std::chrono::minutes(2);
  CHECK(said() == "n1");
  asked.get_future().wait();
  CHECK(said() == "n1");
  CHECK(questions == 2);
  may_answer.set_value();
}

TEST_CASE("that a scheduler cannot be asked is told to all until it is asked again") {
  SeldomAsked::Clock::time_point now{};
  std::atomic<int> questions{0};
  SeldomAsked all(
      [&](const std::string&) -> std::unique_ptr<Scheduler> {
        ++questions;
        throw std::runtime_error("no squeue here");
      },
      [&] { return now; });
  for (int i = 0; i < 3; ++i)
    CHECK_THROWS_WITH(all.scheduler("slurm")->query({}), "no squeue here");
  CHECK(questions == 1);
  now += std::chrono::minutes(2);
  CHECK_THROWS_WITH(all.scheduler("slurm")->query({}), "no squeue here");
  while (questions < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST_CASE("a page can hand over and end nothing") {
  Desk desk;
  const auto scheduler = desk.all.scheduler("slurm");
  CHECK_THROWS_AS(scheduler->submit({}), std::logic_error);
  CHECK_THROWS_AS(scheduler->cancel({}), std::logic_error);
}
