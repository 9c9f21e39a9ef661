// SPDX-License-Identifier: Apache-2.0
// Compares every call of CudaDevice with plain loops in double, on fresh random numbers:
//   device_check [SEED] [--large [bf16|fp16|fp32]]
// Compiled with an emulator of CUDA it needs no GPU; compiled with CUDA, nothing else.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "check.h"
#include "probes/common/error.h"
#include "probes/device/cuda/cublaslt.h"
#include "probes/device/cuda/gpu.h"

namespace check {

void Results::begin(const std::string& call, const char* type) {
  print_line();
  call_ = call + " " + type;
  worst_ = 0;
  passed_before_ = passed_;
  failed_before_ = failed_;
}

void Results::print_line() {
  if (call_.empty()) return;
  const int failed = failed_ - failed_before_;
  std::printf("%s %-28s %4d cases, worst error %.2f of what is allowed\n",
              failed > 0 ? "FAIL" : "ok  ", call_.c_str(), failed + passed_ - passed_before_,
              worst_);
  std::fflush(stdout);
}

void Results::expect(const std::string& what, bool is_so) {
  ++(is_so ? passed_ : failed_);
  if (!is_so) std::printf("  %s: %s\n", call_.c_str(), what.c_str());
}

void Results::compare(const std::string& what, const Numbers& is, const Numbers& must,
                      Allowed allowed) {
  double worst = is.size() == must.size() ? 0 : INFINITY;
  std::size_t at = 0;
  for (std::size_t i = 0; i < must.size() && i < is.size(); ++i) {
    if (is[i] == must[i] || (std::isnan(is[i]) && std::isnan(must[i]))) continue;
    const double far =
        std::fabs(is[i] - must[i]) / (allowed.relative * std::fabs(must[i]) + allowed.absolute);
    if (far <= worst) continue;
    worst = std::isnan(far) ? INFINITY : far;
    at = i;
  }
  worst_ = std::max(worst_, worst);
  ++(worst <= 1 ? passed_ : failed_);
  if (worst > 1 && at < is.size())
    std::printf("  %s %s: element %zu of %zu is %.9g, must be %.9g\n", call_.c_str(), what.c_str(),
                at, must.size(), is[at], must[at]);
}

bool Results::finish() {
  print_line();
  std::printf("%d passed, %d failed\n", passed_, failed_);
  return failed_ == 0;
}

std::string Size::line() const {
  return std::to_string(rows) + " x " + std::to_string(width) + " from " + std::to_string(shift);
}

std::vector<Size> sizes(bool large) {
  if (large) return {{1024, 4096, 0}, {2048, 1600, 0}, {512, 12288, 0}, {1024, 1601, 1}};
  return {{1, 1, 0},     {3, 7, 0},    {129, 7, 1},   {3, 8, 0},      {129, 8, 1}, {1, 100, 3},
          {129, 100, 0}, {3, 1000, 0}, {33, 1000, 4}, {129, 1600, 0}, {3, 1600, 1}};
}

namespace {

/// Of a stream that waits for no other.
struct Stream {
  Stream() { cuda::require_cuda(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking), "stream"); }
  ~Stream() { (void)cudaStreamDestroy(own); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t own = nullptr;
};

template <typename T>
struct Prepared {
  Prepared(cudaStream_t stream, Memory& memory, const DeviceNeeds& needs)
      : device(stream, products, memory) {
    device.prepare(needs);
  }
  cuda::CublasLt<T> products;
  CudaDevice<T> device;
};

/// The memory is measured, taken, and then holds what was measured.
void check_memory(Results& results) {
  results.begin("memory", "");
  CudaMemory memory;
  const auto allocate = [&] {
    Buffer<char> first(memory, {1000}), second(memory, {3});
    { Buffer<char> gone(memory, {100000}); }
    const Buffer<char> last(memory, {100});
    return std::pair(second.data() - first.data(), last.data() - first.data());
  };
  const auto places = allocate();
  results.expect("measured 102400 bytes", memory.max_allocated() == 1024 + 256 + 100096);
  memory.reserve();
  results.expect("the same places again", allocate() == places);
  results.expect("all came back", memory.allocated() == 0);
  const Buffer<unsigned char> whole(memory, {1024 + 256 + 100096});
  std::vector<unsigned char> bytes(static_cast<std::size_t>(whole.size()), 1);
  cuda::require_cuda(cudaMemcpy(bytes.data(), whole.data(), bytes.size(), cudaMemcpyDeviceToHost),
                     "cudaMemcpy");
  results.expect("zeroed", std::count(bytes.begin(), bytes.end(), 0) == whole.size());
  bool refused = false;
  try {
    Buffer<char> more(memory, {1});
  } catch (const Error& error) {
    refused = error.exit_code() == ExitCode::kMachine;
  }
  results.expect("no more than was measured", refused);
  refused = false;
  try {
    CudaMemory limited(1000);
    const Buffer<char> fits(limited, {700}), does_not(limited, {1});
  } catch (const Error& error) {
    refused = error.exit_code() == ExitCode::kOutOfMemory;
  }
  results.expect("no more than the limit", refused);
}

template <typename T>
void check_type(Results& results, std::uint64_t seed, bool large) {
  const Stream stream;
  const AttentionShape attention{2, large ? 2048 : 70, 8, 2, large ? 128 : 64};
  const DeviceNeeds needs{large ? 8192 : 400, large ? 32768 : 33000, attention, true};
  CudaMemory memory;
  { const Prepared<T> measured(stream.own, memory, needs); }
  memory.reserve();
  Prepared<T> prepared(stream.own, memory, needs);
  Rig<T> rig{results, prepared.device, seed * 1000000, large};
  for (const auto check : {check_elements<T>, check_products<T>, check_norms<T>, check_attention<T>,
                           check_embedding<T>, check_loss<T>, check_optimizer<T>})
    try {
      check(rig);
    } catch (const Error& error) {  // of one call: the others are checked all the same
      results.expect(error.what(), false);
    }
  results.begin("memory, after all", kName<T>);
  results.expect("nothing was allocated behind prepare()",
                 memory.allocated() == memory.max_allocated());
}

}  // namespace

}  // namespace check

int main(int argc, char* argv[]) {
  using namespace pippin::probes;
  constexpr int kSkipped = 77;
  if (count_gpus() == 0) {
    std::printf("skipped: no GPU\n");
    return kSkipped;
  }
  return guarded_main("device_check", [&] {
    std::uint64_t seed = std::random_device{}();
    bool large = false;
    std::string type;
    for (int i = 1; i < argc; ++i) {
      if (std::strcmp(argv[i], "--large") == 0)
        large = true;
      else if (std::isalpha(static_cast<unsigned char>(argv[i][0])))
        type = argv[i];
      else
        seed = std::strtoull(argv[i], nullptr, 10);
    }
    if (!type.empty() && type != "bf16" && type != "fp16" && type != "fp32")
      bad_input("'" + type + "': bf16, fp16 or fp32");
    std::printf("seed %llu%s, %s\n", static_cast<unsigned long long>(seed), large ? ", large" : "",
                choose_gpu(0).line().c_str());
    check::Results results;
    check::check_memory(results);
    check::check_known_data(results, large);
    if (type.empty() || type == "bf16") check::check_type<BFloat16>(results, seed, large);
    if (type.empty() || type == "fp16") check::check_type<Half>(results, seed, large);
    if (type.empty() || type == "fp32") check::check_type<float>(results, seed, large);
    return results.finish() ? ExitCode::kDone : ExitCode::kFailed;
  });
}
