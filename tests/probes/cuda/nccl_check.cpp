// nccl_check: NCCL with one rank, every call on buffers of a GPU: what comes out is what went in.
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "probes/comm/nccl.h"
#include "probes/common/random.h"
#include "probes/device/cuda/cuda_error.h"
#include "probes/device/cuda/gpu.h"
#include "probes/device/cuda/stream.h"

using namespace pippin::probes;

namespace {

using Bytes = std::vector<unsigned char>;

/// Bytes of the GPU's memory.
class Block {
 public:
  explicit Block(std::size_t bytes) { cuda::require_cuda(cudaMalloc(&data_, bytes), "cudaMalloc"); }
  ~Block() { (void)cudaFree(data_); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  void* data() { return data_; }

 private:
  void* data_ = nullptr;
};

struct Check {
  Communicator& comm;
  cudaStream_t stream;
  int passed = 0, failed = 0;

  /// `call` moves the input to the output, which may be the same place.
  void expect(const std::string& name, std::size_t bytes, bool in_place,
              const std::function<void(const void* in, void* out)>& call) {
    Bytes sent(bytes), received(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
      sent[i] = static_cast<unsigned char>(mixed(i + bytes) % 64);
    Block in(bytes), out(bytes);
    void* result = in_place ? in.data() : out.data();
    cuda::require_cuda(cudaMemsetAsync(out.data(), 0xff, bytes, stream), "poison");
    cuda::require_cuda(
        cudaMemcpyAsync(in.data(), sent.data(), bytes, cudaMemcpyHostToDevice, stream), "copy");
    call(in.data(), result);
    cuda::require_cuda(
        cudaMemcpyAsync(received.data(), result, bytes, cudaMemcpyDeviceToHost, stream), "copy");
    cuda::require_cuda(cudaStreamSynchronize(stream), "waiting");
    const bool equal = sent == received;
    (equal ? passed : failed) += 1;
    if (!equal)
      std::printf("FAIL %s, %zu bytes%s\n", name.c_str(), bytes, in_place ? ", in place" : "");
  }

  void all_of(Element element, std::int64_t count, bool in_place) {
    const auto bytes = static_cast<std::size_t>(count * bytes_of(element));
    const auto with = [&](const char* name, const auto& call) {
      expect(name, bytes, in_place, call);
    };
    if (element != Element::kByte) {
      for (const Reduction reduction : {Reduction::kSum, Reduction::kMax})
        with("all_reduce", [&, reduction](const void* in, void* out) {
          comm.all_reduce(in, out, count, element, reduction);
        });
      with("reduce", [&](const void* in, void* out) { comm.reduce(in, out, count, element, 0); });
      with("reduce_scatter",
           [&](const void* in, void* out) { comm.reduce_scatter(in, out, count, element); });
      with("start_all_reduce", [&](const void* in, void* out) {
        comm.start_all_reduce(in, out, count, element)->wait();
      });
      with("start_reduce_scatter", [&](const void* in, void* out) {
        comm.start_reduce_scatter(in, out, count, element)->wait();
      });
    }
    with("all_gather",
         [&](const void* in, void* out) { comm.all_gather(in, out, count, element); });
    with("all_to_all",
         [&](const void* in, void* out) { comm.all_to_all(in, out, count, element); });
    with("start_all_gather", [&](const void* in, void* out) {
      comm.start_all_gather(in, out, count, element)->wait();
    });
    if (!in_place)
      with("send_receive",
           [&](const void* in, void* out) { comm.send_receive(in, 0, out, 0, count, element); });
  }
};

}  // namespace

int main() {
  constexpr int kSkipped = 77;
  if (count_gpus() == 0 || !has_nccl()) {
    std::printf("skipped: %s\n", has_nccl() ? "no GPU" : "built without NCCL");
    return kSkipped;
  }
  return guarded_main("nccl_check", [] {
    std::printf("%s, NCCL %s\n", choose_gpu(0).line().c_str(), nccl_version().c_str());
    const cuda::Stream stream;
    cuda::CudaClock clock(stream.get());
    NcclWatch watch(std::chrono::seconds(60), [](const Error& problem) {
      std::fprintf(stderr, "nccl_check: %s\n", problem.what());
      std::_Exit(static_cast<int>(problem.exit_code()));
    });
    const auto comm =
        make_nccl_communicator(make_lone_communicator(), "world", {stream.get(), watch, &clock});
    Check check{*comm, stream.get()};
    for (const Element element :
         {Element::kByte, Element::kHalf, Element::kBFloat16, Element::kFloat, Element::kDouble})
      for (const std::int64_t count : {1, 3, 1001, 1 << 22})
        for (const bool in_place : {false, true}) check.all_of(element, count, in_place);
    std::printf("%d passed, %d failed\n", check.passed, check.failed);
    return check.failed == 0 ? ExitCode::kDone : ExitCode::kFailed;
  });
}
