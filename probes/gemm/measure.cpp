#include "probes/gemm/measure.h"

#include <algorithm>

#include "probes/comm/gather.h"
#include "probes/common/clock.h"
#include "probes/common/spread.h"

namespace pippin::probes {

namespace {

/// Small numbers of both signs.
void draw(Device<float>& device, std::uint64_t seed, Buffer<float>& buffer) {
  const std::int64_t count = buffer.size();
  device.draw({seed, 0.03, 0, {1, count, count, Split::kWhole, 1, 0}}, count, buffer.data());
}

}  // namespace

ProductBench::ProductBench(Device<float>& device, const Product& product)
    : device_(device), product_(product) {
  Memory& memory = device.memory();
  if (product.linear()) {
    input_ = Buffer<float>(memory, {product.rows, product.in});
    weight_ = Buffer<float>(memory, {product.out, product.in});
    output_ = Buffer<float>(memory, {product.rows, product.out});
    draw(device, 1, input_);
    draw(device, 2, weight_);
    draw(device, 3, output_);
    return;
  }
  const AttentionShape& s = product.shape;
  device.prepare({s.rows(), s.qkv_width(), s, false});
  qkv_ = Buffer<float>(memory, {s.rows(), s.qkv_width()});
  kept_ = Buffer<float>(memory, {device.attention_kept(s)});
  context_ = Buffer<float>(memory, {s.rows(), s.width()});
  draw(device, 1, qkv_);
  if (product.pass == Pass::kAttention) return;
  dqkv_ = Buffer<float>(memory, {s.rows(), s.qkv_width()});
  device.attention(s, qkv_.data(), kept_.data(), context_.data());
}

void ProductBench::make_linear() {
  const Product& p = product_;
  float *x = input_.data(), *w = weight_.data(), *y = output_.data();
  if (p.pass == Pass::kForward)
    device_.linear(p.rows, p.in, p.out, x, w, nullptr, y);
  else if (p.pass == Pass::kInputGradient)
    device_.linear_to_input(p.rows, p.in, p.out, y, w, x);
  else
    device_.linear_to_weight(p.rows, p.in, p.out, x, y, w, nullptr);
}

void ProductBench::make_attention() {
  if (product_.pass == Pass::kAttention)
    device_.attention(product_.shape, qkv_.data(), kept_.data(), context_.data());
  else
    device_.attention_backward(product_.shape, qkv_.data(), kept_.data(), context_.data(),
                               context_.data(), dqkv_.data());
}

double ProductBench::run() {
  const double start = now_seconds();
  if (product_.linear())
    make_linear();
  else
    make_attention();
  // A device may still be at it: what reads a result waits for it.
  float last = 0;
  device_.to_host(sizeof last, product_.linear() ? output_.data() : context_.data(), &last);
  return now_seconds() - start;
}

std::vector<double> ProductBench::run_for(double seconds) {
  constexpr std::size_t kFewest = 3;
  const double start = now_seconds();
  run();
  std::vector<double> times;
  while (times.size() < kFewest || now_seconds() - start < seconds) times.push_back(run());
  return times;
}

Speed speed_of(const Product& product, const std::vector<double>& seconds) {
  std::vector<double> tflops;
  tflops.reserve(seconds.size());
  for (const double time : seconds) tflops.push_back(product.flops() / (1e12 * time));
  const Spread spread = spread_of(tflops);
  return {spread.min, spread.median, spread.max, spread.count};
}

std::vector<Speed> gathered(Communicator& comm, const Speed& mine) {
  const std::vector<double> row = {mine.min, mine.median, mine.max,
                                   static_cast<double>(mine.repetitions)};
  const std::vector<double> rows = gathered(comm, row);
  std::vector<Speed> all;
  for (std::size_t i = 0; i < rows.size(); i += row.size())
    all.push_back({rows[i], rows[i + 1], rows[i + 2], static_cast<std::int64_t>(rows[i + 3])});
  return all;
}

int slowest_rank(const std::vector<Speed>& of_rank) {
  const auto slowest =
      std::min_element(of_rank.begin(), of_rank.end(),
                       [](const Speed& a, const Speed& b) { return a.median < b.median; });
  return static_cast<int>(slowest - of_rank.begin());
}

}  // namespace pippin::probes
