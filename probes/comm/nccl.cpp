// SPDX-License-Identifier: Apache-2.0
#include "probes/comm/nccl.h"

#include <exception>
#include <optional>
#include <utility>

#include "probes/comm/nccl_watch.h"
#include "probes/device/cuda/stream.h"

namespace pippin::probes {

namespace {

void require_nccl(ncclResult_t result, const char* operation, ncclComm_t comm = nullptr) {
  if (result == ncclSuccess || result == ncclInProgress) return;
  throw Error(ExitCode::kMachine, std::string(operation) + ": NCCL says: " +
                                      ncclGetErrorString(result) + ": " + ncclGetLastError(comm));
}

ncclDataType_t type_of(Element element) {
  switch (element) {
    case Element::kByte:
      return ncclUint8;
    case Element::kHalf:
      return ncclFloat16;
    case Element::kBFloat16:
      return ncclBfloat16;
    case Element::kFloat:
      return ncclFloat32;
    case Element::kDouble:
      return ncclFloat64;
  }
  return ncclUint8;
}

ncclRedOp_t op_of(Reduction reduction) { return reduction == Reduction::kSum ? ncclSum : ncclMax; }

std::size_t wide(std::int64_t count) { return static_cast<std::size_t>(count); }

/// A place in a buffer of elements.
void* at(void* data, std::int64_t index, Element element) {
  return static_cast<unsigned char*>(data) + index * bytes_of(element);
}
const void* at(const void* data, std::int64_t index, Element element) {
  return static_cast<const unsigned char*>(data) + index * bytes_of(element);
}

/// NCCL's own communicator.
class Ring {
 public:
  Ring(Communicator& host, std::string name, NcclWatch::Post& post)
      : post_(post), name_(std::make_shared<const std::string>(std::move(name))) {
    ncclUniqueId id{};
    if (host.rank() == 0) require_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
    host.broadcast(&id, sizeof id, Element::kByte, 0);
    {
      const NcclWatch::Post::Waiting waiting(post_, {name_, "ncclCommInitRank", 0, 0});
      require_nccl(ncclCommInitRank(&comm_, host.size(), id, host.rank()), "ncclCommInitRank");
    }
    post_.add(comm_);
  }
  ~Ring() {
    post_.remove(comm_);
    // After an error here the others may wait in a call for ever, and this waits for the call.
    if (std::uncaught_exceptions() == 0) (void)ncclCommDestroy(comm_);
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  /// Puts one call into a stream. Returns the event of its end.
  template <typename Call>
  std::shared_ptr<cuda::Event> put(const char* operation, std::int64_t bytes, cudaStream_t stream,
                                   const Call& call) {
    require_nccl(call(comm_), operation, comm_);
    return post_.launched({name_, operation, ++calls_, bytes}, stream);
  }

 private:
  NcclWatch::Post& post_;
  std::shared_ptr<const std::string> name_;
  ncclComm_t comm_ = nullptr;
  std::int64_t calls_ = 0;
};

/// A call in a stream beside the computation's.
class StartedCall final : public Pending {
 public:
  StartedCall(std::shared_ptr<cuda::Event> end, cudaStream_t computation,
              std::optional<Clock::Moment> over)
      : end_(std::move(end)), computation_(computation), over_(over) {}
  bool done() override { return end_->is_over(); }
  void wait() override { end_->hold(computation_); }
  std::optional<Clock::Moment> over() override { return over_; }

 private:
  std::shared_ptr<cuda::Event> end_;
  cudaStream_t computation_;
  std::optional<Clock::Moment> over_;
};

/// One of NCCL's communicators with a stream of its own.
class Lane {
 public:
  Lane(Communicator& host, const std::string& name, const NcclPlace& place)
      : place_(place),
        ring_(host, name, *place.watch.post()),
        ready_(cuda::Event::Kind::kUntimed) {}

  Ring& ring() { return ring_; }

  /// The lane's stream begins when the computation has come here.
  template <typename Call>
  std::unique_ptr<Pending> start(const char* operation, std::int64_t bytes, const Call& call) {
    ready_.record(place_.stream);
    ready_.hold(stream_.get());
    auto end = ring_.put(operation, bytes, stream_.get(),
                         [&](ncclComm_t comm) { return call(comm, stream_.get()); });
    std::optional<Clock::Moment> over;
    if (place_.clock) over = place_.clock->moment_on(stream_.get());
    return std::make_unique<StartedCall>(std::move(end), place_.stream, over);
  }

 private:
  NcclPlace place_;
  cuda::Stream stream_;
  Ring ring_;
  cuda::Event ready_;
};

class NcclCommunicator final : public Communicator {
 public:
  NcclCommunicator(std::unique_ptr<Communicator> host, std::string name, const NcclPlace& place)
      : host_(std::move(host)),
        name_(std::move(name)),
        place_(place),
        main_(*host_, name_, place) {}
  ~NcclCommunicator() override {
    if (scratch_ && std::uncaught_exceptions() == 0) (void)cudaFree(scratch_);
  }
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  int rank() const override { return host_->rank(); }
  int size() const override { return host_->size(); }
  Communicator& host() override { return *host_; }
  void complete() override {
    cuda::require_cuda(cudaStreamSynchronize(place_.stream), "waiting for the GPU");
  }
  void barrier() override {
    complete();
    host_->barrier();
  }

  void all_reduce(const void* in, void* out, std::int64_t count, Element element,
                  Reduction reduction) override {
    put("all_reduce", count, element, [&](ncclComm_t comm) {
      return ncclAllReduce(in, out, wide(count), type_of(element), op_of(reduction), comm,
                           place_.stream);
    });
  }
  void all_gather(const void* in, void* out, std::int64_t count, Element element) override {
    put("all_gather", count, element, [&](ncclComm_t comm) {
      return ncclAllGather(in, out, wide(count), type_of(element), comm, place_.stream);
    });
  }
  /// In place NCCL leaves the result where the rank's own part was.
  void reduce_scatter(const void* in, void* out, std::int64_t count, Element element) override {
    void* result = in == out ? at(out, rank() * count, element) : out;
    put("reduce_scatter", count, element, [&](ncclComm_t comm) {
      return ncclReduceScatter(in, result, wide(count), type_of(element), ncclSum, comm,
                               place_.stream);
    });
    if (result != out) copy(result, out, count * bytes_of(element), place_.stream);
  }
  void broadcast(void* data, std::int64_t count, Element element, int root) override {
    put("broadcast", count, element, [&](ncclComm_t comm) {
      return ncclBroadcast(data, data, wide(count), type_of(element), root, comm, place_.stream);
    });
  }
  void reduce(const void* in, void* out, std::int64_t count, Element element, int root) override {
    put("reduce", count, element, [&](ncclComm_t comm) {
      return ncclReduce(in, out, wide(count), type_of(element), ncclSum, root, comm, place_.stream);
    });
  }
  /// In place it sends a copy: a message may arrive before its place's own has left.
  void all_to_all(const void* in, void* out, std::int64_t count, Element element) override {
    const std::int64_t bytes = count * size() * bytes_of(element);
    const void* from = in == out ? copied(in, bytes) : in;
    put("all_to_all", count * size(), element, [&](ncclComm_t comm) {
      ncclResult_t result = ncclGroupStart();
      for (int peer = 0; peer < size() && result == ncclSuccess; ++peer) {
        result = ncclSend(at(from, peer * count, element), wide(count), type_of(element), peer,
                          comm, place_.stream);
        if (result == ncclSuccess)
          result = ncclRecv(at(out, peer * count, element), wide(count), type_of(element), peer,
                            comm, place_.stream);
      }
      const ncclResult_t end = ncclGroupEnd();
      return result == ncclSuccess ? end : result;
    });
  }
  void send_receive(const void* out, int to, void* in, int from, std::int64_t count,
                    Element element) override {
    put("send_receive", count, element, [&](ncclComm_t comm) {
      ncclResult_t result = ncclGroupStart();
      if (result == ncclSuccess)
        result = ncclSend(out, wide(count), type_of(element), to, comm, place_.stream);
      if (result == ncclSuccess)
        result = ncclRecv(in, wide(count), type_of(element), from, comm, place_.stream);
      const ncclResult_t end = ncclGroupEnd();
      return result == ncclSuccess ? end : result;
    });
  }

  Call start_all_reduce(const void* in, void* out, std::int64_t count, Element element) override {
    return main_.start(
        "all_reduce", count * bytes_of(element), [&](ncclComm_t comm, cudaStream_t stream) {
          return ncclAllReduce(in, out, wide(count), type_of(element), ncclSum, comm, stream);
        });
  }
  Call start_reduce_scatter(const void* in, void* out, std::int64_t count,
                            Element element) override {
    const std::int64_t bytes = count * bytes_of(element);
    void* result = in == out ? at(out, rank() * count, element) : out;
    return main_.start("reduce_scatter", bytes, [&](ncclComm_t comm, cudaStream_t stream) {
      const ncclResult_t end =
          ncclReduceScatter(in, result, wide(count), type_of(element), ncclSum, comm, stream);
      if (result != out) copy(result, out, bytes, stream);
      return end;
    });
  }
  Call start_all_gather(const void* in, void* out, std::int64_t count, Element element) override {
    return main_.start("all_gather", count * bytes_of(element),
                       [&](ncclComm_t comm, cudaStream_t stream) {
                         return ncclAllGather(in, out, wide(count), type_of(element), comm, stream);
                       });
  }
  void open_messages() override {
    if (down_) return;
    down_ = std::make_unique<Lane>(*host_, name_ + " (down)", place_);
    connect(*down_, true);
    up_ = std::make_unique<Lane>(*host_, name_ + " (up)", place_);
    connect(*up_, false);
  }
  Call start_send(const void* data, std::int64_t count, Element element, int to) override {
    return lane(to > rank())
        .start("send", count * bytes_of(element), [&](ncclComm_t comm, cudaStream_t stream) {
          return ncclSend(data, wide(count), type_of(element), to, comm, stream);
        });
  }
  Call start_receive(void* data, std::int64_t count, Element element, int from) override {
    return lane(from < rank())
        .start("receive", count * bytes_of(element), [&](ncclComm_t comm, cudaStream_t stream) {
          return ncclRecv(data, wide(count), type_of(element), from, comm, stream);
        });
  }

  std::unique_ptr<Communicator> split(int colour) override {
    return make_nccl_communicator(host_->split(colour), name_, place_);
  }

 private:
  template <typename Call>
  void put(const char* operation, std::int64_t count, Element element, const Call& call) {
    main_.ring().put(operation, count * bytes_of(element), place_.stream, call);
  }
  Lane& lane(bool down) {
    open_messages();
    return down ? *down_ : *up_;
  }
  /// A byte to the next rank and one from the one before: connections are made by the first call.
  void connect(Lane& lane, bool down) {
    auto* bytes = static_cast<unsigned char*>(scratch(2));
    const int next = rank() + (down ? 1 : -1), before = rank() - (down ? 1 : -1);
    const auto is_there = [&](int other) { return other >= 0 && other < size(); };
    const auto call = lane.start("a first message", 1, [&](ncclComm_t comm, cudaStream_t stream) {
      ncclResult_t result = ncclGroupStart();
      if (result == ncclSuccess && is_there(next))
        result = ncclSend(bytes, 1, ncclUint8, next, comm, stream);
      if (result == ncclSuccess && is_there(before))
        result = ncclRecv(bytes + 1, 1, ncclUint8, before, comm, stream);
      const ncclResult_t end = ncclGroupEnd();
      return result == ncclSuccess ? end : result;
    });
    call->wait();
    complete();
  }
  void* scratch(std::int64_t bytes) {
    if (scratch_bytes_ >= bytes) return scratch_;
    if (scratch_) cuda::require_cuda(cudaFree(scratch_), "freeing a copy");
    scratch_ = nullptr;
    cuda::require_cuda(cudaMalloc(&scratch_, wide(bytes)), "memory for a copy");
    scratch_bytes_ = bytes;
    return scratch_;
  }
  const void* copied(const void* data, std::int64_t bytes) {
    copy(data, scratch(bytes), bytes, place_.stream);
    return scratch_;
  }
  static void copy(const void* from, void* to, std::int64_t bytes, cudaStream_t stream) {
    cuda::require_cuda(cudaMemcpyAsync(to, from, wide(bytes), cudaMemcpyDeviceToDevice, stream),
                       "a copy");
  }

  std::unique_ptr<Communicator> host_;
  std::string name_;
  NcclPlace place_;
  Lane main_;
  std::unique_ptr<Lane> down_, up_;
  void* scratch_ = nullptr;
  std::int64_t scratch_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Communicator> make_nccl_communicator(std::unique_ptr<Communicator> host,
                                                     const std::string& name,
                                                     const NcclPlace& place) {
  return std::make_unique<NcclCommunicator>(std::move(host), name, place);
}

bool has_nccl() { return true; }

std::string nccl_version() {
  int version = 0;
  require_nccl(ncclGetVersion(&version), "ncclGetVersion");
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

}  // namespace pippin::probes
