// SPDX-License-Identifier: Apache-2.0
#include "probes/gemm/measure.h"

#include <algorithm>

#include "probes/comm/gather.h"
#include "probes/common/clock.h"
#include "probes/common/spread.h"

namespace pippin::probes {

namespace {

/// Small numbers of both signs.
template <typename T>
Buffer<T> drawn(Device<T>& device, std::uint64_t seed, std::int64_t rows, std::int64_t columns) {
  Buffer<T> buffer(device.memory(), {rows, columns});
  device.draw({seed, 0.03, 0, {rows, columns, columns, Split::kWhole, 1, 0}}, rows * columns,
              buffer.data());
  return buffer;
}

}  // namespace

template <typename T>
ProductBench<T>::ProductBench(Device<T>& device, Clock& clock, const Product& product)
    : device_(device), clock_(clock), product_(product) {
  Memory& memory = device.memory();
  if (product.linear()) {
    input_ = drawn(device, 1, product.rows, product.in);
    weight_ = drawn(device, 2, product.out, product.in);
    output_ = drawn(device, 3, product.rows, product.out);
    if (product.pass == Pass::kWeightGradient)
      sums_ = Buffer<Wide<T>>(memory, {product.out, product.in});
    return;
  }
  const AttentionShape& s = product.shape;
  qkv_ = drawn(device, 1, s.rows(), s.qkv_width());
  kept_ = Buffer<Wide<T>>(memory, {device.attention_kept(s)});
  context_ = Buffer<T>(memory, {s.rows(), s.width()});
  if (product.pass == Pass::kAttention) return;
  dqkv_ = Buffer<T>(memory, {s.rows(), s.qkv_width()});
  device.attention(s, qkv_.data(), kept_.data(), context_.data());
}

template <typename T>
void ProductBench<T>::make_linear() {
  const Product& p = product_;
  T *x = input_.data(), *w = weight_.data(), *y = output_.data();
  if (p.pass == Pass::kForward)
    device_.linear(p.rows, p.in, p.out, x, w, nullptr, y);
  else if (p.pass == Pass::kInputGradient)
    device_.linear_to_input(p.rows, p.in, p.out, y, w, x);
  else
    device_.linear_to_weight(p.rows, p.in, p.out, x, y, sums_.data(), nullptr);
}

template <typename T>
void ProductBench<T>::make_attention() {
  if (product_.pass == Pass::kAttention)
    device_.attention(product_.shape, qkv_.data(), kept_.data(), context_.data());
  else
    device_.attention_backward(product_.shape, qkv_.data(), kept_.data(), context_.data(),
                               context_.data(), dqkv_.data());
}

template <typename T>
void ProductBench<T>::make() {
  if (product_.linear())
    make_linear();
  else
    make_attention();
}

template <typename T>
std::vector<double> ProductBench<T>::run(std::int64_t times) {
  // One that is not timed: a GPU is busy with it while the host starts the next.
  make();
  std::vector<Clock::Moment> moments = {clock_.moment()};
  for (std::int64_t i = 0; i < times; ++i) {
    make();
    moments.push_back(clock_.moment());
  }
  std::vector<double> seconds;
  for (std::size_t i = 1; i < moments.size(); ++i)
    seconds.push_back(1e-9 * static_cast<double>(clock_.nanoseconds(moments[i]) -
                                                 clock_.nanoseconds(moments[i - 1])));
  clock_.forget();
  return seconds;
}

template <typename T>
std::vector<double> ProductBench<T>::run_for(double seconds) {
  constexpr std::int64_t kFewest = 3;
  constexpr double kMost = 50;  // at a time
  const double start = now_seconds();
  std::vector<double> times = run(kFewest);
  for (;;) {
    const double left = seconds - (now_seconds() - start);
    if (left <= 0) return times;
    // Of these one is not timed.
    const auto fit = static_cast<std::int64_t>(std::min(left / times.back(), kMost)) - 1;
    if (fit < 1) return times;
    const std::vector<double> more = run(fit);
    times.insert(times.end(), more.begin(), more.end());
  }
}

template class ProductBench<Half>;
template class ProductBench<BFloat16>;
template class ProductBench<float>;

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
