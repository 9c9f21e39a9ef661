// SPDX-License-Identifier: Apache-2.0
// Ranks as threads of this process: each has a mesh of its own, as a process would.
#include "probes/comm/host/host_communicator.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>

#include "probes/comm/host/connect.h"
#include "probes/comm/rendezvous.h"
#include "probes/common/error.h"
#include "tests/support/catch.h"

using namespace pippin::probes;

namespace {

/// How many ranks share a node.
enum class Apart { kNone, kPairs, kAll };

std::string node_of(int rank, Apart apart) {
  return apart == Apart::kNone ? "" : std::to_string(apart == Apart::kAll ? rank : rank / 2);
}

using Body = std::function<void(Communicator&)>;

MeetingPlace free_place() {
  std::uint16_t port = 0;
  const Socket taken = listen_anywhere(port);
  return {"", "127.0.0.1", port};
}

/// Runs `body` on every rank. Returns what the first that threw has said.
std::string run_ranks(int ranks, Apart apart, const Body& body) {
  const MeetingPlace place = free_place();
  std::mutex mutex;
  std::string words;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      try {
        auto links = connect_all(meet(place, {rank, ranks, node_of(rank, apart)}));
        auto world = make_host_communicator(std::make_shared<Mesh>(std::move(links), rank));
        body(*world);
      } catch (const std::exception& error) {
        const std::lock_guard lock(mutex);
        if (words.empty()) words = error.what();
      }
    });
  for (auto& thread : threads) thread.join();
  return words;
}

void require(bool right, const std::string& what) {
  if (!right) throw std::runtime_error(what);
}

using Numbers = std::vector<double>;

/// Whole numbers: their sums are exact in any order.
double value(int rank, std::int64_t i) { return static_cast<double>((rank * 7 + i * 13) % 101); }

Numbers numbers(int rank, std::int64_t count) {
  Numbers all(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) all[static_cast<std::size_t>(i)] = value(rank, i);
  return all;
}

Numbers sum_of(int ranks, std::int64_t count) {
  Numbers sum(static_cast<std::size_t>(count));
  for (int rank = 0; rank < ranks; ++rank)
    for (std::int64_t i = 0; i < count; ++i) sum[static_cast<std::size_t>(i)] += value(rank, i);
  return sum;
}

/// The elements [index · count, (index + 1) · count).
Numbers part_of(const Numbers& all, int index, std::int64_t count) {
  return {all.begin() + index * count, all.begin() + (index + 1) * count};
}

void check_sums(Communicator& world, std::int64_t count) {
  const int n = world.size(), rank = world.rank();
  const Numbers own = numbers(rank, count), sum = sum_of(n, count);
  Numbers out(own.size()), place = own;
  world.all_reduce(own.data(), out.data(), count, Element::kDouble, Reduction::kSum);
  require(out == sum, "all_reduce");
  world.all_reduce(place.data(), place.data(), count, Element::kDouble, Reduction::kSum);
  require(place == sum, "all_reduce in place");
  world.start_all_reduce(own.data(), out.data(), count, Element::kDouble)->wait();
  require(out == sum, "start_all_reduce");
  for (const int root : {0, n - 1}) {
    place = own;
    const bool in_place = root > 0;
    world.reduce(in_place ? place.data() : own.data(), in_place ? place.data() : out.data(), count,
                 Element::kDouble, root);
    if (rank == root) require((in_place ? place : out) == sum, "reduce");
  }
  const Numbers all = numbers(rank, n * count), whole = sum_of(n, n * count);
  place = all;
  world.reduce_scatter(all.data(), out.data(), count, Element::kDouble);
  require(out == part_of(whole, rank, count), "reduce_scatter");
  world.reduce_scatter(place.data(), place.data(), count, Element::kDouble);
  require(part_of(place, 0, count) == out, "reduce_scatter in place");
  Numbers again(own.size());
  world.start_reduce_scatter(all.data(), again.data(), count, Element::kDouble)->wait();
  require(again == out, "start_reduce_scatter");
}

void check_moves(Communicator& world, std::int64_t count) {
  const int n = world.size(), rank = world.rank();
  const Numbers own = numbers(rank, count);
  Numbers expected, whole(static_cast<std::size_t>(n * count)), place = whole;
  for (int other = 0; other < n; ++other)
    for (std::int64_t i = 0; i < count; ++i) expected.push_back(value(other, i));
  world.all_gather(own.data(), whole.data(), count, Element::kDouble);
  require(whole == expected, "all_gather");
  std::copy(own.begin(), own.end(), place.begin() + rank * count);
  world.start_all_gather(place.data() + rank * count, place.data(), count, Element::kDouble)
      ->wait();
  require(place == expected, "start_all_gather in place");

  Numbers out(whole.size()), exchanged;
  const Numbers all = numbers(rank, n * count);
  for (int other = 0; other < n; ++other)
    for (std::int64_t i = 0; i < count; ++i) exchanged.push_back(value(other, rank * count + i));
  world.all_to_all(all.data(), out.data(), count, Element::kDouble);
  require(out == exchanged, "all_to_all");
  place = all;
  world.all_to_all(place.data(), place.data(), count, Element::kDouble);
  require(place == exchanged, "all_to_all in place");

  for (int root = 0; root < n; ++root) {
    Numbers data = numbers(rank, count);
    world.broadcast(data.data(), count, Element::kDouble, root);
    require(data == numbers(root, count), "broadcast");
  }
  for (const int distance : {0, 1, n - 1}) {
    Numbers in(own.size());
    const int from = (rank + n - distance) % n;
    world.send_receive(own.data(), (rank + distance) % n, in.data(), from, count, Element::kDouble);
    require(in == numbers(from, count), "send_receive");
  }
  world.barrier();
}

}  // namespace

TEST_CASE("every call is right on one to nine ranks, through memory and by TCP") {
  for (int ranks = 1; ranks <= 9; ++ranks)
    for (const Apart apart : {Apart::kNone, Apart::kPairs, Apart::kAll}) {
      CAPTURE(ranks, static_cast<int>(apart));
      CHECK(run_ranks(ranks, apart, [](Communicator& world) {
              // none, one, odd, and on both sides of each limit of bytes
              for (const std::int64_t count : {0, 1, 3, 1001, 2048, 4097, 10007}) {
                check_sums(world, count);
                check_moves(world, count);
              }
            }) == "");
    }
}

TEST_CASE("megabytes go in pieces") {
  for (const int ranks : {2, 3, 5})
    for (const Apart apart : {Apart::kNone, Apart::kPairs})
      CHECK(run_ranks(ranks, apart, [](Communicator& world) {
              check_sums(world, 200003);
              check_moves(world, 200003);
            }) == "");
}

TEST_CASE("every rank has the same bits of a sum that depends on its order") {
  for (const int ranks : {3, 4, 7})
    for (const std::int64_t count : {5, 30011}) {
      std::mutex mutex;
      std::vector<std::vector<float>> results;
      CHECK(run_ranks(ranks, Apart::kPairs, [&](Communicator& world) {
              std::vector<float> data;
              for (std::int64_t i = 0; i < count; ++i)
                data.push_back(std::sin(static_cast<float>(i * 31 + world.rank() * 17)));
              data[0] = world.rank() == 1 ? NAN : -0.0F;
              for (const Reduction reduction : {Reduction::kSum, Reduction::kMax}) {
                std::vector<float> out(data.size());
                world.all_reduce(data.data(), out.data(), count, Element::kFloat, reduction);
                data = out;
              }
              const std::lock_guard lock(mutex);
              results.push_back(data);
            }) == "");
      for (const auto& result : results)
        CHECK(std::memcmp(result.data(), results[0].data(), 4 * result.size()) == 0);
    }
}

TEST_CASE("started calls of several groups do not mix, in whatever order they are waited for") {
  for (const Apart apart : {Apart::kNone, Apart::kPairs, Apart::kAll})
    CHECK(run_ranks(6, apart, [](Communicator& world) {
            const int rank = world.rank();
            const auto rows = world.split(rank / 3), columns = world.split(rank % 3);
            const std::int64_t small = 10, large = 30011;
            for (int round = 0; round < 5; ++round) {
              const Numbers a = numbers(rank, small), b = numbers(rank, large);
              Numbers row_a(a.size()), row_b(b.size()), column_a(a.size()), column_b(b.size());
              std::vector<Communicator::Call> calls;
              const auto start_rows = [&] {
                calls.push_back(
                    rows->start_all_reduce(b.data(), row_b.data(), large, Element::kDouble));
                calls.push_back(
                    rows->start_all_reduce(a.data(), row_a.data(), small, Element::kDouble));
              };
              if (rank % 2 == 0) start_rows();
              calls.push_back(
                  columns->start_all_reduce(b.data(), column_b.data(), large, Element::kDouble));
              calls.push_back(
                  columns->start_all_reduce(a.data(), column_a.data(), small, Element::kDouble));
              if (rank % 2 == 1) start_rows();
              if (rank % 3 == 0) std::reverse(calls.begin(), calls.end());
              (void)calls[0]->done();
              for (const auto& call : calls) call->wait();
              const int r = rank / 3 * 3, c = rank % 3;
              for (std::int64_t i = 0; i < large; ++i) {
                const auto at = static_cast<std::size_t>(i);
                const double row = value(r, i) + value(r + 1, i) + value(r + 2, i);
                const double column = value(c, i) + value(c + 3, i);
                require(row_b[at] == row && column_b[at] == column, "large");
                if (i < small) require(row_a[at] == row && column_a[at] == column, "small");
              }
            }
          }) == "");
}

TEST_CASE("messages between two ranks arrive in their order, whatever their sizes") {
  CHECK(run_ranks(2, Apart::kNone, [](Communicator& world) {
          const std::vector<std::int64_t> counts = {30011, 1, 5000, 2, 0, 100000, 3};
          std::vector<Numbers> data;
          std::vector<Communicator::Call> calls;
          for (const std::int64_t count : counts) data.push_back(numbers(world.rank(), count));
          for (std::size_t i = 0; i < counts.size(); ++i)
            calls.push_back(
                world.rank() == 0
                    ? world.start_send(data[i].data(), counts[i], Element::kDouble, 1)
                    : world.start_receive(data[i].data(), counts[i], Element::kDouble, 0));
          for (auto call = calls.rbegin(); call != calls.rend(); ++call) (*call)->wait();
          for (std::size_t i = 0; i < counts.size(); ++i)
            require(data[i] == numbers(0, counts[i]), "message");
        }) == "");
}

TEST_CASE("small messages that nobody has asked for yet are kept") {
  for (const Apart apart : {Apart::kNone, Apart::kAll})
    CHECK(run_ranks(2, apart, [](Communicator& world) {
            constexpr int kMessages = 1000;  // more than a link holds
            Numbers data = numbers(world.rank(), kMessages * 50);
            std::vector<Communicator::Call> calls;
            if (world.rank() == 0)
              for (int i = 0; i < kMessages; ++i)
                calls.push_back(world.start_send(data.data() + i * 50, 50, Element::kDouble, 1));
            world.barrier();  // beside them
            if (world.rank() == 1)
              for (int i = 0; i < kMessages; ++i)
                world.start_receive(data.data() + i * 50, 50, Element::kDouble, 0)->wait();
            for (const auto& call : calls) call->wait();
            require(data == numbers(0, kMessages * 50), "message");
          }) == "");
}

TEST_CASE("messages of unequal size and ranks that are not there are errors") {
  CHECK(run_ranks(1, Apart::kNone, [](Communicator& world) {
          double number = 0;
          world.start_send(&number, 1, Element::kDouble, 1)->wait();
        }) == "there is no rank 1 in a group of 1");
  CHECK(run_ranks(1, Apart::kNone, [](Communicator& world) {
          double numbers[2] = {};
          const auto receive = world.start_receive(numbers, 2, Element::kDouble, 0);
          world.start_send(numbers, 1, Element::kDouble, 0)->wait();
          receive->wait();
        }) == "rank 0 sends 8 bytes where 16 are expected");
}

TEST_CASE("a rank that leaves in error ends the others' waiting") {
  for (const Apart apart : {Apart::kNone, Apart::kAll})
    CHECK(run_ranks(3, apart, [](Communicator& world) {
            if (world.rank() == 1) throw std::runtime_error("");
            world.barrier();
          }) == "rank 1 is gone: its connection broke");
}
