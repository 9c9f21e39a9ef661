// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "probes/comm/communicator.h"

namespace pippin::probes {

/// A communicator that does one thing wrong:
/// "drop"   sums lack the last rank's part, a maximum its data;
/// "order"  gathered parts stand one place on;
/// "stale"  a broadcast does not arrive, the first element round the ring neither;
/// "none"   nothing.
class Broken final : public Communicator {
 public:
  Broken(Communicator& comm, std::string how) : comm_(comm), how_(std::move(how)) {}

  int rank() const override { return comm_.rank(); }
  int size() const override { return comm_.size(); }
  void barrier() override { comm_.barrier(); }

  void all_reduce(const void* in, void* out, std::int64_t count, Element element,
                  Reduction reduction) override {
    const auto part = contribution(in, count, element);
    comm_.all_reduce(part.data(), out, count, element, reduction);
  }
  void reduce_scatter(const void* in, void* out, std::int64_t count, Element element) override {
    const auto part = contribution(in, count * size(), element);
    comm_.reduce_scatter(part.data(), out, count, element);
  }
  void reduce(const void* in, void* out, std::int64_t count, Element element, int root) override {
    const auto part = contribution(in, count, element);
    comm_.reduce(part.data(), out, count, element, root);
  }
  void all_gather(const void* in, void* out, std::int64_t count, Element element) override {
    comm_.all_gather(in, out, count, element);
    turn(out, count * bytes_of(element));
  }
  void all_to_all(const void* in, void* out, std::int64_t count, Element element) override {
    comm_.all_to_all(in, out, count, element);
    turn(out, count * bytes_of(element));
  }
  void broadcast(void* data, std::int64_t count, Element element, int root) override {
    if (how_ != "stale") comm_.broadcast(data, count, element, root);
  }

  void send_receive(const void* out, int to, void* in, int from, std::int64_t count,
                    Element element) override {
    comm_.send_receive(out, to, in, from, count, element);
    if (how_ == "stale") std::memset(in, 0, static_cast<std::size_t>(bytes_of(element)));
  }

  Call start_all_reduce(const void* in, void* out, std::int64_t count, Element element) override {
    return comm_.start_all_reduce(in, out, count, element);
  }
  Call start_reduce_scatter(const void* in, void* out, std::int64_t count,
                            Element element) override {
    return comm_.start_reduce_scatter(in, out, count, element);
  }
  Call start_all_gather(const void* in, void* out, std::int64_t count, Element element) override {
    return comm_.start_all_gather(in, out, count, element);
  }
  Call start_send(const void* data, std::int64_t count, Element element, int to) override {
    return comm_.start_send(data, count, element, to);
  }
  Call start_receive(void* data, std::int64_t count, Element element, int from) override {
    return comm_.start_receive(data, count, element, from);
  }
  std::unique_ptr<Communicator> split(int colour) override { return comm_.split(colour); }

 private:
  std::vector<unsigned char> contribution(const void* in, std::int64_t count,
                                          Element element) const {
    const auto* data = static_cast<const unsigned char*>(in);
    std::vector<unsigned char> part(data, data + count * bytes_of(element));
    if (how_ == "drop" && rank() == size() - 1) std::fill(part.begin(), part.end(), 0);
    return part;
  }

  void turn(void* out, std::int64_t bytes) const {
    auto* parts = static_cast<unsigned char*>(out);
    if (how_ == "order") std::rotate(parts, parts + bytes, parts + bytes * size());
  }

  Communicator& comm_;
  std::string how_;
};

}  // namespace pippin::probes
