// SPDX-License-Identifier: Apache-2.0
#include "probes/comm/mpi.h"

#include <climits>
#include <cstdlib>
#include <mpi.h>
#include <utility>

namespace pippin::probes {

namespace {

void check(int result, const char* call) {
  if (result == MPI_SUCCESS) return;
  char words[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(result, words, &length);
  throw Error(ExitCode::kMachine, std::string(call) + ": " + std::string(words, length));
}

int narrow(std::int64_t count) {
  if (count > INT_MAX)
    throw Error(ExitCode::kMachine, "a message of " + std::to_string(count) +
                                        " elements is more than MPI's 2^31; try a smaller --mbs");
  return static_cast<int>(count);
}

MPI_Datatype type_of(Element element) {
  switch (element) {
    case Element::kByte:
      return MPI_BYTE;
    case Element::kHalf:
    case Element::kBFloat16:
      return MPI_UINT16_T;
    case Element::kFloat:
      return MPI_FLOAT;
    case Element::kDouble:
      return MPI_DOUBLE;
  }
  return MPI_DATATYPE_NULL;
}

/// MPI 3 knows no numbers of 16 bits, but takes functions of ours.
template <typename T, Reduction reduction>
void reduce_narrow(void* in, void* out, int* count, MPI_Datatype*) {
  const auto* x = static_cast<const T*>(in);
  auto* y = static_cast<T*>(out);
  for (int i = 0; i < *count; ++i) {
    const float a = x[i], b = y[i];
    y[i] = T(reduction == Reduction::kSum ? a + b : a > b ? a : b);
  }
}

MPI_Op make_op(MPI_User_function* function) {
  MPI_Op op = MPI_OP_NULL;
  check(MPI_Op_create(function, 1, &op), "MPI_Op_create");
  return op;
}

/// Made once; MPI frees them at its end.
template <typename T>
MPI_Op narrow_op(Reduction reduction) {
  static const MPI_Op kSum = make_op(reduce_narrow<T, Reduction::kSum>);
  static const MPI_Op kMax = make_op(reduce_narrow<T, Reduction::kMax>);
  return reduction == Reduction::kSum ? kSum : kMax;
}

MPI_Op op_of(Element element, Reduction reduction = Reduction::kSum) {
  if (element == Element::kHalf) return narrow_op<Half>(reduction);
  if (element == Element::kBFloat16) return narrow_op<BFloat16>(reduction);
  return reduction == Reduction::kSum ? MPI_SUM : MPI_MAX;
}

class MpiCall final : public Pending {
 public:
  ~MpiCall() override {
    // Only after an error elsewhere is one left: the run is ending.
    if (request_ != MPI_REQUEST_NULL) MPI_Request_free(&request_);
  }
  MpiCall() = default;
  MpiCall(const MpiCall&) = delete;
  MpiCall& operator=(const MpiCall&) = delete;

  MPI_Request* request() { return &request_; }
  bool done() override {
    int flag = 0;
    check(MPI_Test(&request_, &flag, MPI_STATUS_IGNORE), "MPI_Test");
    return flag != 0;
  }
  void wait() override {
    // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): the call was begun by who made this
    check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait");
  }

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
};

class MpiCommunicator final : public Communicator {
 public:
  /// Takes `comm` over, unless it is the world.
  explicit MpiCommunicator(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
  }
  ~MpiCommunicator() override {
    if (comm_ != MPI_COMM_WORLD) MPI_Comm_free(&comm_);
  }
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void barrier() override { check(MPI_Barrier(comm_), "MPI_Barrier"); }

  void all_reduce(const void* in, void* out, std::int64_t count, Element element,
                  Reduction reduction) override {
    check(MPI_Allreduce(in == out ? MPI_IN_PLACE : in, out, narrow(count), type_of(element),
                        op_of(element, reduction), comm_),
          "MPI_Allreduce");
  }
  void all_gather(const void* in, void* out, std::int64_t count, Element element) override {
    check(MPI_Allgather(gathered(in, out, count, element), narrow(count), type_of(element), out,
                        narrow(count), type_of(element), comm_),
          "MPI_Allgather");
  }
  void reduce_scatter(const void* in, void* out, std::int64_t count, Element element) override {
    check(MPI_Reduce_scatter_block(in == out ? MPI_IN_PLACE : in, out, narrow(count),
                                   type_of(element), op_of(element), comm_),
          "MPI_Reduce_scatter_block");
  }
  void broadcast(void* data, std::int64_t count, Element element, int root) override {
    check(MPI_Bcast(data, narrow(count), type_of(element), root, comm_), "MPI_Bcast");
  }
  void reduce(const void* in, void* out, std::int64_t count, Element element, int root) override {
    const bool in_place = in == out && rank_ == root;
    check(MPI_Reduce(in_place ? MPI_IN_PLACE : in, out, narrow(count), type_of(element),
                     op_of(element), root, comm_),
          "MPI_Reduce");
  }
  void all_to_all(const void* in, void* out, std::int64_t count, Element element) override {
    check(MPI_Alltoall(in == out ? MPI_IN_PLACE : in, narrow(count), type_of(element), out,
                       narrow(count), type_of(element), comm_),
          "MPI_Alltoall");
  }

  void send_receive(const void* out, int to, void* in, int from, std::int64_t count,
                    Element element) override {
    check(MPI_Sendrecv(out, narrow(count), type_of(element), to, 0, in, narrow(count),
                       type_of(element), from, 0, comm_, MPI_STATUS_IGNORE),
          "MPI_Sendrecv");
  }

  Call start_all_reduce(const void* in, void* out, std::int64_t count, Element element) override {
    auto call = std::make_unique<MpiCall>();
    check(MPI_Iallreduce(in == out ? MPI_IN_PLACE : in, out, narrow(count), type_of(element),
                         op_of(element), comm_, call->request()),
          "MPI_Iallreduce");
    return call;
  }
  Call start_reduce_scatter(const void* in, void* out, std::int64_t count,
                            Element element) override {
    auto call = std::make_unique<MpiCall>();
    check(MPI_Ireduce_scatter_block(in, out, narrow(count), type_of(element), op_of(element), comm_,
                                    call->request()),
          "MPI_Ireduce_scatter_block");
    return call;
  }
  Call start_all_gather(const void* in, void* out, std::int64_t count, Element element) override {
    auto call = std::make_unique<MpiCall>();
    check(MPI_Iallgather(gathered(in, out, count, element), narrow(count), type_of(element), out,
                         narrow(count), type_of(element), comm_, call->request()),
          "MPI_Iallgather");
    return call;
  }
  Call start_send(const void* data, std::int64_t count, Element element, int to) override {
    auto call = std::make_unique<MpiCall>();
    check(MPI_Isend(data, narrow(count), type_of(element), to, 0, comm_, call->request()),
          "MPI_Isend");
    return call;
  }
  Call start_receive(void* data, std::int64_t count, Element element, int from) override {
    auto call = std::make_unique<MpiCall>();
    check(MPI_Irecv(data, narrow(count), type_of(element), from, 0, comm_, call->request()),
          "MPI_Irecv");
    return call;
  }

  std::unique_ptr<Communicator> split(int colour) override {
    MPI_Comm part = MPI_COMM_NULL;
    check(MPI_Comm_split(comm_, colour, rank_, &part), "MPI_Comm_split");
    return std::make_unique<MpiCommunicator>(part);
  }

 private:
  /// What MPI wants as the part that stands in its place already.
  const void* gathered(const void* in, const void* out, std::int64_t count, Element element) const {
    const auto* place = static_cast<const char*>(out) + rank_ * count * bytes_of(element);
    return in == place ? MPI_IN_PLACE : in;
  }

  MPI_Comm comm_;
  int rank_ = 0, size_ = 1;
};

}  // namespace

namespace mpi {

bool is_built() { return true; }

std::string library() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  // "Open MPI v4.1.4, package: …"
  return std::string(version, length).substr(0, std::string(version, length).find(','));
}

std::unique_ptr<Communicator> join(int launched) {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  auto world = std::make_unique<MpiCommunicator>(MPI_COMM_WORLD);
  if (world->size() == launched) return world;
  const int seen = world->size();
  world.reset();
  leave();
  bad_input("launched as " + std::to_string(launched) + " processes, of which MPI sees " +
            std::to_string(seen) + ": launch with the mpirun that belongs to " + library() +
            ", or with srun --mpi=pmix, or let the ranks meet without MPI: set "
            "PROBES_RENDEZVOUS=file:///path/that/all/see");
}

void leave() { MPI_Finalize(); }

void abort(ExitCode code) {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (initialized && !finalized) MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
  std::_Exit(static_cast<int>(code));
}

}  // namespace mpi

}  // namespace pippin::probes
