// SPDX-License-Identifier: Apache-2.0
#include "check_calls.h"

#include <algorithm>
#include <functional>

namespace check {

namespace {

/// One call: how large its buffers are on this rank, and what its result must be.
struct Call {
  const char* name;
  std::int64_t in_count, out_count;                     ///< elements
  std::function<double(std::int64_t i)> must;           ///< element i of the result
  std::function<void(const void* in, void* out)> make;  ///< begins it, and waits for it
  std::int64_t in_place = 0;  ///< where in the result the input begins; kNever in place
};
constexpr std::int64_t kNever = -1;

class Calls {
 public:
  Calls(Tally& tally, Communicator& comm, cudaStream_t stream, Element element, std::int64_t count)
      : tally_(tally), comm_(comm), stream_(stream), element_(element), count_(count) {}

  void all() {
    if (element_ != Element::kByte) reductions();
    moves();
    started();
  }

 private:
  int rank() const { return comm_.rank(); }
  int size() const { return comm_.size(); }
  std::int64_t bytes(std::int64_t count) const { return count * bytes_of(element_); }

  double sum(std::int64_t i) const {
    double sum = 0;
    for (int r = 0; r < size(); ++r) sum += value_of(r, i);
    return sum;
  }
  double largest(std::int64_t i) const {
    double most = 0;
    for (int r = 0; r < size(); ++r) most = std::max(most, value_of(r, i));
    return most;
  }

  void reductions() {
    const auto sums = [this](std::int64_t i) { return sum(i); };
    const auto own_sums = [this](std::int64_t i) { return sum(rank() * count_ + i); };
    check({"all_reduce", count_, count_, sums, [&](const void* in, void* out) {
             comm_.all_reduce(in, out, count_, element_, Reduction::kSum);
           }});
    check({"all_reduce of maxima", count_, count_, [this](std::int64_t i) { return largest(i); },
           [&](const void* in, void* out) {
             comm_.all_reduce(in, out, count_, element_, Reduction::kMax);
           }});
    for (const int root : {0, size() - 1})
      check({"reduce", count_, root == rank() ? count_ : 0, sums,
             [&](const void* in, void* out) { comm_.reduce(in, out, count_, element_, root); }});
    check({"reduce_scatter", count_ * size(), count_, own_sums,
           [&](const void* in, void* out) { comm_.reduce_scatter(in, out, count_, element_); }});
    check({"start_all_reduce", count_, count_, sums, [&](const void* in, void* out) {
             comm_.start_all_reduce(in, out, count_, element_)->wait();
           }});
    check(
        {"start_reduce_scatter", count_ * size(), count_, own_sums, [&](const void* in, void* out) {
           comm_.start_reduce_scatter(in, out, count_, element_)->wait();
         }});
  }

  void moves() {
    const int before = (rank() + size() - 1) % size(), after = (rank() + 1) % size();
    check({"all_to_all", count_ * size(), count_ * size(),
           [this](std::int64_t i) {
             return value_of(static_cast<int>(i / count_), rank() * count_ + i % count_);
           },
           [&](const void* in, void* out) { comm_.all_to_all(in, out, count_, element_); }});
    check({"send_receive", count_, count_, [=](std::int64_t i) { return value_of(before, i); },
           [&](const void* in, void* out) {
             comm_.send_receive(in, after, out, before, count_, element_);
           },
           kNever});
    for (const int root : {0, size() - 1}) broadcast(root);
  }

  void started() {
    const auto parts = [this](std::int64_t i) {
      return value_of(static_cast<int>(i / count_), i % count_);
    };
    check({"all_gather", count_, count_ * size(), parts,
           [&](const void* in, void* out) { comm_.all_gather(in, out, count_, element_); },
           rank() * count_});
    check({"start_all_gather", count_, count_ * size(), parts,
           [&](const void* in, void* out) {
             comm_.start_all_gather(in, out, count_, element_)->wait();
           },
           rank() * count_});
  }

  void broadcast(int root) {
    Block block(bytes(count_), stream_);
    if (rank() == root) block.put(input(count_), 0);
    comm_.broadcast(block.at(0), count_, element_, root);
    tally_.expect(name_of("broadcast", true), block, bytes(count_),
                  numbers(count_, [&](std::int64_t i) { return value_of(root, i); }));
  }

  void check(const Call& call) {
    out_of_place(call);
    if (call.in_place != kNever) in_place(call);
  }
  void out_of_place(const Call& call) {
    Block in(bytes(call.in_count), stream_), out(bytes(call.out_count), stream_);
    in.put(input(call.in_count), 0);
    call.make(in.at(0), out.at(0));
    tally_.expect(name_of(call.name, false), out, bytes(call.out_count),
                  numbers(call.out_count, call.must));
    tally_.expect(name_of(call.name, false) + ": input", in, bytes(call.in_count),
                  input(call.in_count));
  }
  void in_place(const Call& call) {
    const std::int64_t size = std::max(call.in_place + call.in_count, call.out_count);
    Block block(bytes(size), stream_);
    block.put(input(call.in_count), bytes(call.in_place));
    call.make(block.at(bytes(call.in_place)), block.at(0));
    tally_.expect(name_of(call.name, true), block, bytes(size), numbers(call.out_count, call.must));
  }

  Bytes input(std::int64_t count) const {
    return numbers(count, [this](std::int64_t i) { return value_of(rank(), i); });
  }
  Bytes numbers(std::int64_t count, const std::function<double(std::int64_t)>& number) const {
    Values values(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = number(i);
    return encoded(values, element_);
  }
  std::string name_of(const char* call, bool is_in_place) const {
    return std::string(call) + " of " + std::to_string(count_) + " elements of " +
           std::to_string(bytes_of(element_)) + " bytes" + (is_in_place ? ", in place" : "");
  }

  Tally& tally_;
  Communicator& comm_;
  cudaStream_t stream_;
  Element element_;
  std::int64_t count_;
};

}  // namespace

void check_calls(Tally& tally, Communicator& comm, cudaStream_t stream, Element element,
                 std::int64_t count) {
  Calls(tally, comm, stream, element, count).all();
}

}  // namespace check
