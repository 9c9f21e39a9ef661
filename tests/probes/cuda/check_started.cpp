// SPDX-License-Identifier: Apache-2.0
#include "check_started.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace check {

namespace {

constexpr std::int64_t kCount = 500;  ///< elements of each buffer

/// A call under way, and where its result goes.
struct Started {
  std::string name;
  std::unique_ptr<Block> in, out;
  std::unique_ptr<Pending> call;  ///< none of one that the computation's stream itself makes
  Bytes must;
};

class Calls {
 public:
  Calls(Tally& tally, cudaStream_t stream, Element element)
      : tally_(tally), stream_(stream), element_(element) {}

  /// Of all groups at once, and beside them blocking ones of the same groups. Ranks begin the same
  /// in the same order.
  void collectives(const std::vector<Communicator*>& groups) {
    for (int round = 0; round < 3; ++round)
      for (Communicator* group : groups) {
        gather(*group);
        if (element_ != Element::kByte) reduce(*group);
        gather_beside(*group);
      }
    finish();
  }

  /// From every rank to the next, and at once from every rank to the one before.
  void pipeline(Communicator& group) {
    const int rank = group.rank(), last = group.size() - 1;
    for (int round = 0; round < 3; ++round) {
      if (rank > 0) receive(group, rank - 1);
      if (rank < last) send(group, rank + 1);
      if (rank < last) receive(group, rank + 1);
      if (rank > 0) send(group, rank - 1);
    }
    finish();
  }

  /// From the last rank to the first, too. Between two ranks both ways would be one.
  void ring(Communicator& group) {
    const int rank = group.rank(), size = group.size();
    if (size > 2 && rank == 0) {
      send(group, 1);
      receive(group, size - 1);
    } else if (size > 2) {
      receive(group, rank - 1);
      send(group, (rank + 1) % size);
    }
    finish();
  }

 private:
  void gather(Communicator& group) {
    Started& one = add("start_all_gather", group, kCount * group.size());
    one.must = inputs(group);
    one.call = group.start_all_gather(one.in->at(0), one.out->at(0), kCount, element_);
  }
  /// Not waited for by what has been started, nor waiting for it.
  void gather_beside(Communicator& group) {
    Started& one = add("all_gather beside started calls", group, kCount * group.size());
    one.must = inputs(group);
    group.all_gather(one.in->at(0), one.out->at(0), kCount, element_);
  }
  void reduce(Communicator& group) {
    Started& one = add("start_all_reduce", group, kCount);
    Values sums(kCount);
    for (int rank = 0; rank < group.size(); ++rank)
      for (std::int64_t i = 0; i < kCount; ++i)
        sums[static_cast<std::size_t>(i)] += value_of(rank, shift_ + i);
    one.must = encoded(sums, element_);
    one.call = group.start_all_reduce(one.in->at(0), one.out->at(0), kCount, element_);
  }
  void send(Communicator& group, int to) {
    Started& one = add("start_send", group, 0);
    one.call = group.start_send(one.in->at(0), kCount, element_, to);
  }
  void receive(Communicator& group, int from) {
    Started& one = add("start_receive", group, kCount);
    one.must = input(from);
    one.call = group.start_receive(one.out->at(0), kCount, element_, from);
  }

  /// Its input is still on its way in the stream when the call begins.
  Started& add(const char* name, Communicator& group, std::int64_t out_count) {
    const auto block = [&](std::int64_t count) {
      return std::make_unique<Block>(count * bytes_of(element_), stream_);
    };
    started_.push_back({name, block(kCount), block(out_count), nullptr, {}});
    started_.back().in->put(input(group.rank()), 0);
    return started_.back();
  }
  /// Of all ranks.
  Bytes inputs(const Communicator& group) const {
    Bytes all;
    for (int rank = 0; rank < group.size(); ++rank) {
      const Bytes part = input(rank);
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }
  Bytes input(int rank) const {
    Values values(kCount);
    for (std::int64_t i = 0; i < kCount; ++i)
      values[static_cast<std::size_t>(i)] = value_of(rank, shift_ + i);
    return encoded(values, element_);
  }

  /// Waits for every other call from the back, then for the rest from the front. What was sent may
  /// be written to when it has been waited for.
  void finish() {
    for (std::size_t i = started_.size(); i > 0; --i)
      if (i % 2 == 1) wait(started_[i - 1]);
    for (std::size_t i = 1; i < started_.size(); i += 2) wait(started_[i]);
    for (const Started& one : started_)
      tally_.expect(one.name, *one.out, static_cast<std::int64_t>(one.must.size()), one.must);
    started_.clear();
    shift_ += 1000;  // other numbers, on ranks that had no call, too
  }
  void wait(Started& one) {
    if (one.call) one.call->wait();
    one.in->put(Bytes(static_cast<std::size_t>(kCount * bytes_of(element_)), 0), 0);
  }

  Tally& tally_;
  cudaStream_t stream_;
  Element element_;
  std::int64_t shift_ = 0;
  std::vector<Started> started_;
};

}  // namespace

void check_started(Tally& tally, const std::vector<Communicator*>& groups, cudaStream_t stream,
                   Element element) {
  Calls calls(tally, stream, element);
  calls.collectives(groups);
  for (Communicator* group : groups) {
    calls.pipeline(*group);
    calls.ring(*group);
  }
}

}  // namespace check
