// bench_gpu_bandwidth [ROWS WIDTH VOCABULARY]: what the CUDA device's own kernels move, in bf16,
// beside a copy on the same GPU. Bytes are those that must be moved: each array once for each time
// that it is read or written. Prints the median of the rounds.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "probes/common/error.h"
#include "probes/device/cuda/cublaslt.h"
#include "probes/device/cuda/cuda_device.h"
#include "probes/device/cuda/cuda_error.h"
#include "probes/device/cuda/cuda_memory.h"
#include "probes/device/cuda/gpu.h"

using namespace pippin::probes;
using cuda::require_cuda;

namespace {

/// Zeros of the GPU's memory.
template <typename T>
class Block {
 public:
  explicit Block(std::int64_t count) : bytes_(count * std::int64_t{sizeof(T)}) {
    require_cuda(cudaMalloc(&data_, static_cast<std::size_t>(bytes_)), "cudaMalloc");
    require_cuda(cudaMemset(data_, 0, static_cast<std::size_t>(bytes_)), "cudaMemset");
  }
  ~Block() { (void)cudaFree(data_); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  operator T*() { return static_cast<T*>(data_); }  // NOLINT(google-explicit-constructor)
  std::int64_t bytes() const { return bytes_; }

 private:
  std::int64_t bytes_;
  void* data_ = nullptr;
};

/// Milliseconds of one call.
float median_time(cudaStream_t stream, const std::function<void()>& call) {
  constexpr std::size_t kRounds = 21, kCalls = 10;
  cudaEvent_t begin = nullptr, end = nullptr;
  require_cuda(cudaEventCreate(&begin), "cudaEventCreate");
  require_cuda(cudaEventCreate(&end), "cudaEventCreate");
  std::vector<float> times(kRounds);
  for (float& time : times) {
    require_cuda(cudaEventRecord(begin, stream), "cudaEventRecord");
    for (std::size_t i = 0; i < kCalls; ++i) call();
    require_cuda(cudaEventRecord(end, stream), "cudaEventRecord");
    require_cuda(cudaEventSynchronize(end), "cudaEventSynchronize");
    require_cuda(cudaEventElapsedTime(&time, begin, end), "cudaEventElapsedTime");
  }
  std::sort(times.begin(), times.end());
  (void)cudaEventDestroy(begin);
  (void)cudaEventDestroy(end);
  return times[kRounds / 2] / kCalls;
}

void bench(std::int64_t rows, std::int64_t width, std::int64_t vocabulary) {
  using T = BFloat16;
  cudaStream_t stream = nullptr;
  require_cuda(cudaStreamCreate(&stream), "cudaStreamCreate");
  const DeviceNeeds needs{rows, width, {1, rows, width / 128, width / 128, 128}, true};
  CudaMemory memory;
  {
    cuda::CublasLt<T> products;
    CudaDevice<T>(stream, products, memory).prepare(needs);
  }
  memory.reserve();
  cuda::CublasLt<T> products;
  CudaDevice<T> device(stream, products, memory);
  device.prepare(needs);

  const std::int64_t n = rows * width;
  Block<T> x(3 * n), y(2 * n), z(n), gain(width), bias(width), logits(rows * vocabulary);
  Block<float> wide(n), masters(n), moments1(n), moments2(n), dgain(width), dbias(width);
  Block<float> mean(rows), inverse_sd(rows), largest(rows), sums(rows), targets_logit(rows);
  Block<std::int32_t> tokens(rows);
  Block<StepState> state(1);
  Block<double> loss(1);
  const StepState first = first_state({});
  device.to_device(sizeof first, &first, state);
  const NormState<T> norm{mean, inverse_sd};
  const VocabPart part{0, vocabulary, vocabulary - 47};
  const auto size = static_cast<double>(n) * sizeof(T);

  double copied = 0;
  const auto line = [&](const char* name, double bytes, const std::function<void()>& call) {
    const double speed = 1e-6 * bytes / static_cast<double>(median_time(stream, call));
    if (copied == 0) copied = speed;
    std::printf("%-20s %8.0f GB/s %5.2f of a copy\n", name, speed, speed / copied);
  };
  line("copy", 4 * size, [&] {
    require_cuda(cudaMemcpyAsync(y, x, static_cast<std::size_t>(y.bytes()),
                                 cudaMemcpyDeviceToDevice, stream),
                 "cudaMemcpyAsync");
  });
  line("widen", 3 * size, [&] { device.widen(n, x, wide); });
  line("add_residual", 3 * size, [&] { device.add_residual(rows, width, x, bias, y); });
  line("add_rows", size, [&] { device.add_rows(rows, width, x, dbias); });
  line("swiglu_backward", 5 * size, [&] { device.swiglu_backward(rows, width, x, z, y); });
  line("norm", 2 * size, [&] { device.norm(rows, width, x, gain, bias, norm, y); });
  line("norm_backward", 4 * size,
       [&] { device.norm_backward(rows, width, x, gain, norm, z, y, dgain, dbias); });
  line("RMS norm", 2 * size, [&] { device.norm(rows, width, x, gain, nullptr, norm, y); });
  line("RMS norm_backward", 4 * size,
       [&] { device.norm_backward(rows, width, x, gain, norm, z, y, dgain, nullptr); });
  line("rotate", 4 * size, [&] { device.rotate(needs.attention, 1, x); });
  line("embed, one token", size, [&] { device.embed(rows, width, part, tokens, logits, y); });
  line("largest", static_cast<double>(logits.bytes()),
       [&] { device.largest(rows, part, logits, largest, sums); });
  line("cross_entropy", 2 * static_cast<double>(logits.bytes()), [&] {
    device.cross_entropy(rows, part, tokens, largest, sums, targets_logit, 1, state, logits, loss);
  });
  line("add_squares", 2 * size, [&] { device.add_squares(n, wide, loss); });
  line("adam", 15 * size,
       [&] { device.adam({}, state, n, true, wide, masters, moments1, moments2, z); });
}

}  // namespace

int main(int argc, char* argv[]) {
  return guarded_main("bench_gpu_bandwidth", [&] {
    const auto number = [&](int i, std::int64_t otherwise) {
      return argc > i ? std::atoll(argv[i]) : otherwise;
    };
    std::printf("%s\n", choose_gpu(0).line().c_str());
    bench(number(1, 8192), number(2, 4096), number(3, 50304));
    return ExitCode::kDone;
  });
}
