// gpu_kernels [SEED]: every kernel of the CUDA device in bfloat16, by the bytes that it must move,
// beside a copy in the same run; attention and the products by their operations. Markdown.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "probes/common/error.h"
#include "probes/common/random.h"
#include "probes/common/spread.h"
#include "probes/device/cuda/cublaslt.h"
#include "probes/device/cuda/cuda_clock.h"
#include "probes/device/cuda/cuda_device.h"
#include "probes/device/cuda/cuda_memory.h"
#include "probes/device/cuda/gpu.h"
#include "probes/device/cuda/stream.h"

using namespace pippin::probes;

namespace {

using T = BFloat16;

// Tensors of more than twice the L2 of an H200 (50 MB): no case lives in it.
constexpr std::int64_t kRows = 8192, kWidth = 8192, kVocab = 50304, kHeadWidth = 128, kSeq = 2048;
constexpr std::int64_t kParameters = 1 << 28, kEmbedded = kParameters / kWidth;

/// What one call must move or reckon; the other is 0.
struct Case {
  std::string name;
  double bytes, operations;
  std::function<void()> call;
};

/// Everything the cases work on, drawn afresh.
struct Operands {
  Operands(Memory& memory, const AttentionShape& shape, Device<T>& device)
      : x(memory, {kRows, 2 * kWidth}),
        y(memory, {kRows, 2 * kWidth}),
        z(memory, {kRows, 2 * kWidth}),
        narrow(memory, {2 * kWidth}),
        qkv(memory, {shape.rows(), shape.qkv_width()}),
        dqkv(memory, {shape.rows(), shape.qkv_width()}),
        context(memory, {shape.rows(), shape.width()}),
        dcontext(memory, {shape.rows(), shape.width()}),
        logits(memory, {kRows, kVocab}),
        values(memory, {kParameters}),
        sums(memory, {2 * kWidth}),
        mean(memory, {kRows}),
        inverse_sd(memory, {kRows}),
        kept(memory, {device.attention_kept(shape)}),
        row_a(memory, {kRows}),
        row_b(memory, {kRows}),
        row_c(memory, {kRows}),
        gradients(memory, {kParameters}),
        masters(memory, {kParameters}),
        moments1(memory, {kParameters}),
        moments2(memory, {kParameters}),
        tokens(memory, {kRows}),
        state(memory, {1}),
        loss(memory, {1}) {}

  Buffer<T> x, y, z, narrow, qkv, dqkv, context, dcontext, logits, values;
  Buffer<float> sums, mean, inverse_sd, kept, row_a, row_b, row_c, gradients, masters, moments1,
      moments2;
  Buffer<std::int32_t> tokens;
  Buffer<StepState> state;
  Buffer<double> loss;
};

/// A drawn megabyte again and again: a kernel's time does not depend on what lies far away.
template <typename Element>
void draw(Device<T>& device, Buffer<Element>& buffer, std::uint64_t seed, double scale) {
  constexpr std::int64_t kPiece = 1 << 19;
  std::vector<Element> piece(static_cast<std::size_t>(std::min(kPiece, buffer.size())));
  for (std::size_t i = 0; i < piece.size(); ++i)
    piece[i] = Element(static_cast<float>(scale * normal_at(seed, i)));
  for (std::int64_t at = 0; at < buffer.size(); at += kPiece)
    device.to_device(std::min(kPiece, buffer.size() - at) * std::int64_t{sizeof(Element)},
                     piece.data(), buffer.data() + at);
}

void draw_all(Device<T>& device, Operands& o, std::uint64_t seed) {
  for (Buffer<T>* buffer : {&o.x, &o.y, &o.z, &o.narrow, &o.qkv, &o.dcontext, &o.logits, &o.values})
    draw(device, *buffer, seed++, 1);
  for (Buffer<float>* buffer : {&o.gradients, &o.masters, &o.moments1})
    draw(device, *buffer, seed++, 1e-3);
  std::vector<std::int32_t> tokens(kRows);
  for (std::size_t i = 0; i < tokens.size(); ++i)
    tokens[i] = static_cast<std::int32_t>(seed_of(seed, std::to_string(i)) % kEmbedded);
  device.to_device(kRows * 4, tokens.data(), o.tokens.data());
  StepState state = first_state({});
  state.steps = 1;
  device.to_device(sizeof state, &state, o.state.data());
}

std::vector<Case> cases_of(Device<T>& device, Operands& o, const AttentionShape& shape) {
  constexpr double kTensor = 2.0 * kRows * kWidth, kLogits = 2.0 * kRows * kVocab;
  const double qkv = 2.0 * static_cast<double>(shape.rows() * shape.qkv_width());
  // Two products of what the causal mask leaves, a little more than half; backward five.
  const double product = static_cast<double>(shape.batch * shape.heads) * kHeadWidth *
                         static_cast<double>(shape.seq) * static_cast<double>(shape.seq + 1);
  const VocabPart part{0, kVocab, 50257};
  const NormState<T> norm{o.mean.data(), o.inverse_sd.data()};
  T *x = o.x.data(), *y = o.y.data(), *z = o.z.data(), *narrow = o.narrow.data();
  float* sums = o.sums.data();
  const OptimizerSettings adam{.lr = 1e-9};
  return {
      {"layer norm", 2 * kTensor, 0,
       [=, &device] { device.norm(kRows, kWidth, x, narrow, narrow + kWidth, norm, y); }},
      {"layer norm, backward", 4 * kTensor, 0,
       [=, &device] {
         device.norm_backward(kRows, kWidth, x, narrow, norm, y, z, sums, sums + kWidth);
       }},
      {"RMS norm", 2 * kTensor, 0,
       [=, &device] { device.norm(kRows, kWidth, x, narrow, nullptr, norm, y); }},
      {"RMS norm, backward", 4 * kTensor, 0,
       [=, &device] { device.norm_backward(kRows, kWidth, x, narrow, norm, y, z, sums, nullptr); }},
      {"SwiGLU, backward", 5 * kTensor, 0,
       [=, &device] { device.swiglu_backward(kRows, kWidth, x, y, z); }},
      {"residual and bias", 3 * kTensor, 0,
       [=, &device] { device.add_residual(kRows, kWidth, x, narrow, y); }},
      {"sum of rows", kTensor, 0, [=, &device] { device.add_rows(kRows, kWidth, x, sums); }},
      {"rotary positions", 2 * qkv * 2 / 3, 0,
       [=, &device, &o] { device.rotate(shape, 1, o.qkv.data()); }},
      {"embedding", 2 * kTensor, 0,
       [=, &device, &o] {
         device.embed(kRows, kWidth, {0, kEmbedded, kEmbedded}, o.tokens.data(), o.values.data(),
                      y);
       }},
      {"embedding, backward", kTensor + 2 * 2 * kTensor, 0,
       [=, &device, &o] {
         device.embed_backward(kRows, kWidth, {0, kEmbedded, kEmbedded}, o.tokens.data(), x,
                               o.gradients.data());
       }},
      {"cross-entropy, first look", kLogits, 0,
       [=, &device, &o] {
         device.largest(kRows, part, o.logits.data(), o.row_a.data(), o.row_b.data());
       }},
      {"cross-entropy, gradient", 2 * kLogits, 0,
       [=, &device, &o] {
         device.cross_entropy(kRows, part, o.tokens.data(), o.row_a.data(), o.row_b.data(),
                              o.row_c.data(), 1, o.state.data(), o.logits.data(), o.loss.data());
       }},
      {"sum of squares", 4.0 * kParameters, 0,
       [=, &device, &o] {
         device.add_squares(kParameters, o.gradients.data(), &o.state.data()->squares);
       }},
      {"AdamW", 30.0 * kParameters, 0,
       [=, &device, &o] {
         device.adam(adam, o.state.data(), kParameters, true, o.gradients.data(), o.masters.data(),
                     o.moments1.data(), o.moments2.data(), o.values.data());
       }},
      {"attention", 0, 2 * product,
       [=, &device, &o] {
         device.attention(shape, o.qkv.data(), o.kept.data(), o.context.data());
       }},
      {"attention, backward", 0, 5 * product,
       [=, &device, &o] {
         device.attention_backward(shape, o.qkv.data(), o.kept.data(), o.context.data(),
                                   o.dcontext.data(), o.dqkv.data());
       }},
  };
}

/// The median of several batches of calls. Unit: seconds a call.
double seconds_of(cuda::CudaClock& clock, const std::function<void()>& call) {
  constexpr int kBatches = 11, kCalls = 10;
  for (int i = 0; i < 3; ++i) call();
  std::vector<double> times;
  for (int batch = 0; batch < kBatches; ++batch) {
    clock.forget();
    const Clock::Moment begin = clock.moment();
    for (int i = 0; i < kCalls; ++i) call();
    const Clock::Moment end = clock.moment();
    times.push_back(1e-9 * static_cast<double>(clock.nanoseconds(end) - clock.nanoseconds(begin)) /
                    kCalls);
  }
  return median_of(times);
}

void measure(cudaStream_t stream, std::uint64_t seed) {
  const AttentionShape shape{kRows / kSeq, kSeq, kWidth / kHeadWidth, kWidth / kHeadWidth,
                             kHeadWidth};
  CudaMemory memory;
  cuda::CublasLt<T> products;
  CudaDevice<T> device(stream, products, memory);
  const DeviceNeeds needs{kRows, 4 * kWidth, shape, true};
  {
    device.prepare(needs);
    const Operands measured(memory, shape, device);
  }
  memory.reserve();
  device.prepare(needs);
  Operands o(memory, shape, device);
  draw_all(device, o, seed);
  cuda::CudaClock clock(stream);

  const double copied = 2.0 * 4 * kParameters;
  const double copy =
      copied / seconds_of(clock, [&] {
        cuda::require_cuda(cudaMemcpyAsync(o.masters.data(), o.gradients.data(), 4 * kParameters,
                                           cudaMemcpyDeviceToDevice, stream),
                           "a copy");
      });
  const double square = 2.0 * kRows * kWidth * kWidth;
  const double product =
      square / seconds_of(clock, [&] {
        device.linear(kRows, kWidth, kWidth, o.x.data(), o.values.data(), nullptr, o.y.data());
      });
  std::printf("seed %llu; copy %.0f GB/s (read and written); product of %lld³ %.0f TFLOPS\n\n",
              static_cast<unsigned long long>(seed), 1e-9 * copy, static_cast<long long>(kWidth),
              1e-12 * product);
  std::printf(
      "| kernel | µs | GB/s or TFLOPS | of the copy or the product |\n|---|---:|---:|---:|\n");
  for (const Case& c : cases_of(device, o, shape)) {
    draw_all(device, o, seed);  // what the one before has made may be no number
    const double seconds = seconds_of(clock, c.call);
    const double rate = (c.bytes + c.operations) / seconds;
    std::printf("| %s | %.1f | %.0f | %.2f |\n", c.name.c_str(), 1e6 * seconds,
                rate * (c.bytes > 0 ? 1e-9 : 1e-12), rate / (c.bytes > 0 ? copy : product));
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  return guarded_main("gpu_kernels", [&] {
    const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
    std::printf("%s\n\n", choose_gpu(0).line().c_str());
    const cuda::Stream stream;
    measure(stream.get(), seed);
    return ExitCode::kDone;
  });
}
