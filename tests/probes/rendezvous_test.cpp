// SPDX-License-Identifier: Apache-2.0
#include "probes/comm/rendezvous.h"

#include <atomic>
#include <fstream>
#include <functional>
#include <thread>

#include "probes/common/error.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;
using namespace pippin::probes;
using namespace pippin::test;
using Catch::Contains;

namespace {

constexpr double kShort = 0.5, kLong = 30;  // seconds: who waits in vain, who must not

/// What each of several processes would have, here each a thread: its roster or its words.
struct Met {
  Roster roster;
  std::string words;
  ExitCode code = ExitCode::kDone;
};

Met meet_alone(const MeetingPlace& place, const Newcomer& self, double patience) {
  Met met;
  try {
    met.roster = meet(place, self, patience);
  } catch (const Error& error) {
    met.words = error.what();
    met.code = error.exit_code();
  }
  return met;
}

std::vector<Met> meet_together(const MeetingPlace& place, const std::vector<Newcomer>& all,
                               double patience) {
  std::vector<Met> met(all.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < all.size(); ++i)
    threads.emplace_back([&, i] { met[i] = meet_alone(place, all[i], patience); });
  for (auto& thread : threads) thread.join();
  return met;
}

/// A port that nobody has.
MeetingPlace free_place() {
  std::uint16_t port = 0;
  const Socket taken = listen_anywhere(port);
  return {"", "127.0.0.1", port};
}

void check_all_met(const std::vector<Met>& met) {
  for (std::size_t i = 0; i < met.size(); ++i) {
    CAPTURE(i, met[i].words);
    REQUIRE(met[i].roster.peers.size() == met.size());
    CHECK(met[i].roster.password == met[0].roster.password);
    for (std::size_t rank = 0; rank < met.size(); ++rank) {
      CHECK(met[i].roster.peers[rank].port == met[0].roster.peers[rank].port);
      CHECK(met[i].roster.peers[rank].node == "node" + std::to_string(rank / 2));
    }
  }
}

std::vector<Newcomer> five() {
  return {{0, 5, "node0"}, {1, 5, "node0"}, {2, 5, "node1"}, {3, 5, "node1"}, {4, 5, "node2"}};
}

}  // namespace

TEST_CASE("ranks meet at a port") { check_all_met(meet_together(free_place(), five(), kLong)); }

TEST_CASE("ranks meet by a file, which is gone then") {
  const TemporaryDirectory folder;
  const std::string file = (folder.path() / "meet").string();
  check_all_met(meet_together({file, "", 0}, five(), kLong));
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("a file that an earlier run has left is not taken for this run's") {
  const TemporaryDirectory folder;
  const std::string file = (folder.path() / "meet").string();
  std::uint16_t taken = 0;
  const Socket silent = listen_anywhere(taken);  // another program has the earlier run's port now
  const MeetingPlace free = free_place();
  for (const std::string& left :
       {"127.0.0.1 " + std::to_string(free.port) + " 7\n",
        "127.0.0.1 " + std::to_string(taken) + " 7\n", std::string("no.such.host.invalid 80 7\n"),
        std::string("half"), std::string()}) {
    std::ofstream(file) << left;
    std::vector<Met> met(2);
    std::thread other([&] { met[1] = meet_alone({file, "", 0}, {1, 2, "node0"}, kLong); });
    std::this_thread::sleep_for(
        std::chrono::milliseconds(100));  // the other likely sees the old one
    met[0] = meet_alone({file, "", 0}, {0, 2, "node0"}, kLong);
    other.join();
    CAPTURE(left);
    check_all_met(met);
  }
}

TEST_CASE("the first rank says who did not come") {
  const auto met = meet_together(free_place(), {{0, 7, ""}, {2, 7, ""}, {3, 7, ""}}, kShort);
  CHECK(met[0].code == ExitCode::kMachine);
  CHECK_THAT(met[0].words,
             Contains("ranks 1 and 4-6 did not come to 127.0.0.1:") && Contains(" within 0.5 s"));
  for (const std::size_t other : {1, 2}) {
    CHECK(met[other].code == ExitCode::kLostRank);
    CHECK(met[other].words.empty());
  }
}

TEST_CASE("another rank says what it could not reach") {
  const MeetingPlace nobody = free_place();
  CHECK_THAT(meet_alone(nobody, {1, 2, ""}, kShort).words,
             Contains("cannot reach rank 0 at 127.0.0.1:") && Contains(": Connection refused"));
  const Met none = meet_alone({"/nowhere/meet", "", 0}, {1, 2, ""}, kShort);
  CHECK(none.words ==
        "cannot reach rank 0 at the place that /nowhere/meet names within 0.5 s: rank 0 has not "
        "written the file");
  CHECK_THAT(meet_alone({"/nowhere/meet", "", 0}, {0, 2, ""}, kShort).words,
             Contains("cannot write /nowhere/meet"));
  CHECK_THAT(meet_alone({"", "no.such.host.invalid", 80}, {1, 2, ""}, kShort).words,
             Contains("cannot find host no.such.host.invalid"));
}

TEST_CASE("another program on the port is told from a first rank") {
  std::uint16_t port = 0;
  const Socket listening = listen_anywhere(port);
  const MeetingPlace place{"", "127.0.0.1", port};
  CHECK_THAT(meet_alone(place, {0, 2, ""}, kShort).words,
             Contains("another program has it; choose another port"));
  CHECK_THAT(meet_alone(place, {1, 2, ""}, kShort).words,
             Contains("takes connections but does not answer"));

  std::atomic<bool> done = false;
  std::thread stranger([&] {
    const std::string page(1000, '-');
    while (!done) (void)accept_from(listening).send(page.data(), page.size());
  });
  const Met met = meet_alone(place, {1, 2, ""}, kLong);
  done = true;
  (void)connect_to("127.0.0.1", port, kLong);
  stranger.join();
  CHECK(met.code == ExitCode::kBadInput);
  CHECK_THAT(met.words, Contains("another program answers at 127.0.0.1:"));
}

TEST_CASE("strangers do not disturb a meeting") {
  const MeetingPlace place = free_place();
  Met first;
  std::thread host([&] { first = meet_alone(place, {0, 2, "node0"}, kLong); });
  const Socket silent = connect_to("127.0.0.1", place.port, kLong);
  const Socket loud = connect_to("127.0.0.1", place.port, kLong);
  const std::string page(1000, '-');
  CHECK(loud.send(page.data(), page.size()));
  (void)connect_to("127.0.0.1", place.port, kLong);
  const Met other = meet_alone(place, {1, 2, "node0"}, kLong);
  host.join();
  CHECK(first.words.empty());
  CHECK(other.words.empty());
}

TEST_CASE("ranks that cannot be of one run are told so") {
  struct Case {
    Newcomer other;
    const char* words;
  };
  const MeetingPlace place = free_place();
  for (const Case& c : {Case{{1, 3, ""}, "was launched as one of 3 processes, rank 0 on "},
                        Case{{0, 2, ""}, "another program has it"},
                        Case{{5, 2, ""}, "launched as rank 5 of 2 processes: ranks go from 0 to 1"},
                        Case{{5, 6, ""}, "was launched as one of 6 processes"}}) {
    Met first;
    std::thread host([&] { first = meet_alone(place, {0, 2, ""}, 2); });
    // So that of two first ranks this is the second.
    (void)connect_to("127.0.0.1", place.port, kLong);
    const Met other = meet_alone(place, c.other, kLong);
    host.join();
    CAPTURE(first.words);
    CHECK_THAT(other.words, Contains(c.words));
    CHECK(other.code == ExitCode::kBadInput);
    CHECK_FALSE(first.words.empty());
  }
}

TEST_CASE("a second rank of one number is refused and named") {
  const auto met = meet_together(free_place(), {{0, 3, ""}, {1, 3, ""}, {1, 3, ""}}, kLong);
  CHECK_THAT(met[0].words, Contains("rank 1 on ") && Contains(" is a second one: another on "));
  CHECK((met[1].words == met[0].words) != (met[2].words == met[0].words));
  CHECK((met[1].words.empty() || met[2].words.empty()));
}

TEST_CASE("ranges of ranks are said in words") {
  CHECK(words_of_ranks({3}) == "rank 3");
  CHECK(words_of_ranks({1, 4, 5, 6, 9}) == "ranks 1, 4-6 and 9");
}
