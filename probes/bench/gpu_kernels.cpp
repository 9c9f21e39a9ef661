// SPDX-License-Identifier: Apache-2.0
// gpu_kernels [SEED [small]]: every kernel of the CUDA device in bfloat16, by the bytes that it
// must move, beside a copy in the same run; attention and the products by their operations.
// Markdown.
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

/// What the kernels are tried on.
struct Sizes {
  std::int64_t rows, width, vocab, head_width, seq, parameters;
  std::int64_t embedded() const { return parameters / width; }
  std::int64_t known() const { return vocab - 47; }  ///< the rest is padding
};

double number(std::int64_t count) { return static_cast<double>(count); }

/// Tensors of more than twice an H200's L2 (50 MB): no case lives in it.
constexpr Sizes kLarge{8192, 8192, 50304, 128, 2048, 1 << 28};
/// To see that all of it runs.
constexpr Sizes kSmall{64, 128, 384, 64, 32, 1 << 16};

/// What one call must move or reckon; the other is 0.
struct Case {
  std::string name;
  double bytes, operations;
  std::function<void()> call;
};

/// Everything the cases work on, drawn afresh.
struct Operands {
  Operands(Memory& memory, const Sizes& s, const AttentionShape& shape, Device<T>& device)
      : x(memory, {s.rows, 2 * s.width}),
        y(memory, {s.rows, 2 * s.width}),
        z(memory, {s.rows, 2 * s.width}),
        narrow(memory, {2 * s.width}),
        qkv(memory, {shape.rows(), shape.qkv_width()}),
        dqkv(memory, {shape.rows(), shape.qkv_width()}),
        context(memory, {shape.rows(), shape.width()}),
        dcontext(memory, {shape.rows(), shape.width()}),
        logits(memory, {s.rows, s.vocab}),
        values(memory, {s.parameters}),
        sums(memory, {2 * s.width}),
        mean(memory, {s.rows}),
        inverse_sd(memory, {s.rows}),
        kept(memory, {device.attention_kept(shape)}),
        row_a(memory, {s.rows}),
        row_b(memory, {s.rows}),
        row_c(memory, {s.rows}),
        gradients(memory, {s.parameters}),
        masters(memory, {s.parameters}),
        moments1(memory, {s.parameters}),
        moments2(memory, {s.parameters}),
        tokens(memory, {s.rows}),
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

void draw_all(Device<T>& device, Operands& o, const Sizes& s, std::uint64_t seed) {
  for (Buffer<T>* buffer : {&o.x, &o.y, &o.z, &o.narrow, &o.qkv, &o.dcontext, &o.logits, &o.values})
    draw(device, *buffer, seed++, 1);
  for (Buffer<float>* buffer : {&o.gradients, &o.masters, &o.moments1})
    draw(device, *buffer, seed++, 1e-3);
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(s.rows));
  for (std::size_t i = 0; i < tokens.size(); ++i)
    tokens[i] = static_cast<std::int32_t>(seed_of(seed, std::to_string(i)) % s.embedded());
  device.to_device(s.rows * 4, tokens.data(), o.tokens.data());
  StepState state = first_state({});
  state.steps = 1;
  device.to_device(sizeof state, &state, o.state.data());
}

std::vector<Case> cases_of(Device<T>& device, Operands& o, const Sizes& s,
                           const AttentionShape& shape) {
  const double tensor = 2 * number(s.rows * s.width), logits = 2 * number(s.rows * s.vocab),
               positions = 4 * number(s.seq * s.width), parameters = number(s.parameters),
               linear = 2 * number(s.rows * s.width * s.width);
  const double qkv = 2 * number(shape.rows() * shape.qkv_width());
  // Two products of what the causal mask leaves, a little more than half; backward five.
  const double product =
      number(shape.batch * shape.heads * s.head_width * shape.seq * (shape.seq + 1));
  const VocabPart part{0, s.vocab, s.known()};
  const NormState<T> norm{o.mean.data(), o.inverse_sd.data()};
  T *x = o.x.data(), *y = o.y.data(), *z = o.z.data(), *narrow = o.narrow.data();
  float* sums = o.sums.data();
  const OptimizerSettings adam{.lr = 1e-9};
  return {
      {"layer norm", 2 * tensor, 0,
       [=, &device] { device.norm(s.rows, s.width, x, narrow, narrow + s.width, norm, y); }},
      {"layer norm, backward", 4 * tensor, 0,
       [=, &device] {
         device.norm_backward(s.rows, s.width, x, narrow, norm, y, z, sums, sums + s.width);
       }},
      {"RMS norm", 2 * tensor, 0,
       [=, &device] { device.norm(s.rows, s.width, x, narrow, nullptr, norm, y); }},
      {"RMS norm, backward", 4 * tensor, 0,
       [=, &device] {
         device.norm_backward(s.rows, s.width, x, narrow, norm, y, z, sums, nullptr);
       }},
      {"SwiGLU, backward", 5 * tensor, 0,
       [=, &device] { device.swiglu_backward(s.rows, s.width, x, y, z); }},
      {"residual and bias", 3 * tensor, 0,
       [=, &device] { device.add_residual(s.rows, s.width, x, narrow, y); }},
      {"sum of rows", tensor, 0, [=, &device] { device.add_rows(s.rows, s.width, x, sums); }},
      {"rotary positions", 2 * qkv * 2 / 3, 0,
       [=, &device, &o] { device.rotate(shape, 1, o.qkv.data()); }},
      {"positions", 2 * tensor + positions / 2, 0,
       [=, &device, &o] { device.add_positions(s.rows, 0, s.seq, s.width, o.values.data(), y); }},
      {"positions, backward", tensor + 2 * positions, 0,
       [=, &device, &o] {
         device.positions_backward(s.rows, 0, s.seq, s.width, x, o.gradients.data());
       }},
      {"16 bits to 32", 6.0 * parameters, 0,
       [=, &device, &o] { device.widen(s.parameters, o.values.data(), o.masters.data()); }},
      {"embedding", 2 * tensor, 0,
       [=, &device, &o] {
         device.embed(s.rows, s.width, {0, s.embedded(), s.embedded()}, o.tokens.data(),
                      o.values.data(), y);
       }},
      {"embedding, backward", tensor + 2 * 2 * tensor, 0,
       [=, &device, &o] {
         device.embed_backward(s.rows, s.width, {0, s.embedded(), s.embedded()}, o.tokens.data(), x,
                               o.gradients.data());
       }},
      {"cross-entropy, first look", logits, 0,
       [=, &device, &o] {
         device.largest(s.rows, part, o.logits.data(), o.row_a.data(), o.row_b.data());
       }},
      {"cross-entropy, gradient", 2 * logits, 0,
       [=, &device, &o] {
         device.cross_entropy(s.rows, part, o.tokens.data(), o.row_a.data(), o.row_b.data(),
                              o.row_c.data(), 1, o.state.data(), o.logits.data(), o.loss.data());
       }},
      {"sum of squares", 4.0 * parameters, 0,
       [=, &device, &o] {
         device.add_squares(s.parameters, o.gradients.data(), &o.state.data()->squares);
       }},
      {"AdamW", 30.0 * parameters, 0,
       [=, &device, &o] {
         device.adam(adam, o.state.data(), s.parameters, true, o.gradients.data(), o.masters.data(),
                     o.moments1.data(), o.moments2.data(), o.values.data());
       }},
      {"product and GELU", 0, 2 * linear,
       [=, &device, &o] {
         device.linear_gelu(s.rows, s.width, 2 * s.width, x, o.values.data(), narrow, y, z);
       }},
      {"product through GELU's gradient", 0, 2 * linear,
       [=, &device, &o] {
         device.linear_to_gelu(s.rows, 2 * s.width, s.width, x, o.values.data(), y, z);
       }},
      {"product, then SwiGLU", 0, 2 * linear,
       [=, &device, &o] {
         device.linear_swiglu(s.rows, s.width, s.width, x, o.values.data(), y, z);
       }},
      {"product added to the weights' gradient", 0, linear,
       [=, &device, &o] {
         device.linear_to_weight(s.rows, s.width, s.width, x, y, o.gradients.data(), nullptr);
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

void measure(cudaStream_t stream, const Sizes& s, std::uint64_t seed) {
  const AttentionShape shape{s.rows / s.seq, s.seq, s.width / s.head_width, s.width / s.head_width,
                             s.head_width};
  CudaMemory memory;
  // What cuBLASLt can do at best: what its heuristics put first may not be that.
  cuda::CublasLt<T> products({16});
  CudaDevice<T> device(stream, products, memory);
  const DeviceNeeds needs{s.rows, 4 * s.width, shape, true};
  {
    device.prepare(needs);
    const Operands measured(memory, s, shape, device);
  }
  device.give_back();
  memory.reserve();
  device.prepare(needs);
  Operands o(memory, s, shape, device);
  draw_all(device, o, s, seed);
  cuda::CudaClock clock(stream);

  const double copied = 2.0 * 4 * number(s.parameters);
  const double copy =
      copied / seconds_of(clock, [&] {
        cuda::require_cuda(cudaMemcpyAsync(o.masters.data(), o.gradients.data(),
                                           static_cast<std::size_t>(4 * s.parameters),
                                           cudaMemcpyDeviceToDevice, stream),
                           "a copy");
      });
  const auto product_speed = [&] {
    return 2 * number(s.rows * s.width * s.width) / seconds_of(clock, [&] {
             device.linear(s.rows, s.width, s.width, o.x.data(), o.values.data(), nullptr,
                           o.y.data());
           });
  };
  const double product = product_speed();
  std::printf("seed %llu; copy %.0f GB/s (read and written); product of %lld³ %.0f TFLOPS\n\n",
              static_cast<unsigned long long>(seed), 1e-9 * copy, static_cast<long long>(s.width),
              1e-12 * product);
  std::printf(
      "| kernel | µs | GB/s or TFLOPS | of the copy or the product |\n|---|---:|---:|---:|\n");
  for (const Case& c : cases_of(device, o, s, shape)) {
    draw_all(device, o, s, seed);  // what the one before has made may be no number
    const double seconds = seconds_of(clock, c.call);
    const double rate = (c.bytes + c.operations) / seconds;
    std::printf("| %s | %.1f | %.0f | %.2f |\n", c.name.c_str(), 1e6 * seconds,
                rate * (c.bytes > 0 ? 1e-9 : 1e-12), rate / (c.bytes > 0 ? copy : product));
    std::fflush(stdout);
  }
  draw_all(device, o, s, seed);
  std::printf("\nThe product again, after all: %.0f TFLOPS\n", 1e-12 * product_speed());
}

}  // namespace

int main(int argc, char* argv[]) {
  return guarded_main("gpu_kernels", [&] {
    const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
    std::printf("%s\n\n", choose_gpu(0).line().c_str());
    const cuda::Stream stream;
    measure(stream.get(), argc > 2 ? kSmall : kLarge, seed);
    return ExitCode::kDone;
  });
}
