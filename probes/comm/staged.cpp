// SPDX-License-Identifier: Apache-2.0
#include "probes/comm/staged.h"

#include <utility>
#include <vector>

namespace pippin::probes {

namespace {

using Bytes = std::vector<unsigned char>;

/// What a started call works on, and where its result goes.
class StagedCall final : public Pending {
 public:
  StagedCall(const DeviceCopies& copies, std::int64_t bytes, void* result,
             std::int64_t result_bytes)
      : copies_(copies),
        in_(static_cast<std::size_t>(bytes)),
        out_(static_cast<std::size_t>(result_bytes)),
        result_(result) {}

  unsigned char* in() { return in_.data(); }
  unsigned char* out() { return out_.data(); }
  void begin(std::unique_ptr<Pending> call) { call_ = std::move(call); }

  bool done() override { return call_->done(); }
  void wait() override {
    call_->wait();
    if (result_) copies_.to_device(static_cast<std::int64_t>(out_.size()), out_.data(), result_);
  }

 private:
  const DeviceCopies& copies_;
  Bytes in_, out_;
  void* result_;
  std::unique_ptr<Pending> call_;
};

class StagedCommunicator final : public Communicator {
 public:
  StagedCommunicator(std::unique_ptr<Communicator> host, DeviceCopies copies)
      : host_(std::move(host)), copies_(std::move(copies)) {}

  int rank() const override { return host_->rank(); }
  int size() const override { return host_->size(); }
  Communicator& host() override { return *host_; }
  void barrier() override { host_->barrier(); }

  void all_reduce(const void* in, void* out, std::int64_t count, Element element,
                  Reduction reduction) override {
    const std::int64_t bytes = count * bytes_of(element);
    host_->all_reduce(fetched(in, bytes), room(bytes), count, element, reduction);
    copies_.to_device(bytes, out_.data(), out);
  }
  void all_gather(const void* in, void* out, std::int64_t count, Element element) override {
    const std::int64_t bytes = count * bytes_of(element);
    host_->all_gather(fetched(in, bytes), room(bytes * size()), count, element);
    copies_.to_device(bytes * size(), out_.data(), out);
  }
  void reduce_scatter(const void* in, void* out, std::int64_t count, Element element) override {
    const std::int64_t bytes = count * bytes_of(element);
    host_->reduce_scatter(fetched(in, bytes * size()), room(bytes), count, element);
    copies_.to_device(bytes, out_.data(), out);
  }
  void broadcast(void* data, std::int64_t count, Element element, int root) override {
    const std::int64_t bytes = count * bytes_of(element);
    void* host = rank() == root ? fetched(data, bytes) : room(bytes);
    host_->broadcast(host, count, element, root);
    if (rank() != root) copies_.to_device(bytes, host, data);
  }
  void reduce(const void* in, void* out, std::int64_t count, Element element, int root) override {
    const std::int64_t bytes = count * bytes_of(element);
    host_->reduce(fetched(in, bytes), room(bytes), count, element, root);
    if (rank() == root) copies_.to_device(bytes, out_.data(), out);
  }
  void all_to_all(const void* in, void* out, std::int64_t count, Element element) override {
    const std::int64_t bytes = count * bytes_of(element) * size();
    host_->all_to_all(fetched(in, bytes), room(bytes), count, element);
    copies_.to_device(bytes, out_.data(), out);
  }
  void send_receive(const void* out, int to, void* in, int from, std::int64_t count,
                    Element element) override {
    const std::int64_t bytes = count * bytes_of(element);
    host_->send_receive(fetched(out, bytes), to, room(bytes), from, count, element);
    copies_.to_device(bytes, out_.data(), in);
  }

  Call start_all_reduce(const void* in, void* out, std::int64_t count, Element element) override {
    const std::int64_t bytes = count * bytes_of(element);
    return started(in, bytes, out, bytes, [&](StagedCall& call) {
      return host_->start_all_reduce(call.in(), call.out(), count, element);
    });
  }
  Call start_reduce_scatter(const void* in, void* out, std::int64_t count,
                            Element element) override {
    const std::int64_t bytes = count * bytes_of(element);
    return started(in, bytes * size(), out, bytes, [&](StagedCall& call) {
      return host_->start_reduce_scatter(call.in(), call.out(), count, element);
    });
  }
  Call start_all_gather(const void* in, void* out, std::int64_t count, Element element) override {
    const std::int64_t bytes = count * bytes_of(element);
    return started(in, bytes, out, bytes * size(), [&](StagedCall& call) {
      return host_->start_all_gather(call.in(), call.out(), count, element);
    });
  }
  Call start_send(const void* data, std::int64_t count, Element element, int to) override {
    return started(data, count * bytes_of(element), nullptr, 0, [&](StagedCall& call) {
      return host_->start_send(call.in(), count, element, to);
    });
  }
  Call start_receive(void* data, std::int64_t count, Element element, int from) override {
    return started(nullptr, 0, data, count * bytes_of(element), [&](StagedCall& call) {
      return host_->start_receive(call.out(), count, element, from);
    });
  }

  std::unique_ptr<Communicator> split(int colour) override {
    return make_staged_communicator(host_->split(colour), copies_);
  }

 private:
  static void* at_least(Bytes& buffer, std::int64_t bytes) {
    if (buffer.size() < static_cast<std::size_t>(bytes))
      buffer.resize(static_cast<std::size_t>(bytes));
    return buffer.data();
  }
  /// The host's copy, until the next call.
  void* fetched(const void* device, std::int64_t bytes) {
    void* host = at_least(in_, bytes);
    copies_.to_host(bytes, device, host);
    return host;
  }
  void* room(std::int64_t bytes) { return at_least(out_, bytes); }

  template <typename Begin>
  Call started(const void* in, std::int64_t bytes, void* out, std::int64_t result_bytes,
               const Begin& begin) {
    auto call = std::make_unique<StagedCall>(copies_, bytes, out, result_bytes);
    if (in) copies_.to_host(bytes, in, call->in());
    call->begin(begin(*call));
    return call;
  }

  std::unique_ptr<Communicator> host_;
  DeviceCopies copies_;
  Bytes in_, out_;
};

}  // namespace

std::unique_ptr<Communicator> make_staged_communicator(std::unique_ptr<Communicator> host,
                                                       const DeviceCopies& copies) {
  return std::make_unique<StagedCommunicator>(std::move(host), copies);
}

}  // namespace pippin::probes
