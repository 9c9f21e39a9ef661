// SPDX-License-Identifier: Apache-2.0
// The CPU's loops against the oracle's, on random numbers, odd sizes and several threads.
#include <cmath>
#include <vector>

#include "probes/common/random.h"
#include "probes/device/cpu.h"
#include "tests/probes/oracle/attention.h"
#include "tests/probes/oracle/layers.h"
#include "tests/support/catch.h"

using namespace pippin::probes;

namespace {

template <typename T>
std::vector<T> normals(std::int64_t count, std::uint64_t seed) {
  std::vector<T> numbers(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<T>(normal_at(seed, i));
  return numbers;
}

template <typename T>
void check_close(const std::vector<T>& a, const std::vector<T>& b) {
  const double share = sizeof(T) == 4 ? 2e-5 : 1e-11;
  double largest = 0, far = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::fabs(static_cast<double>(b[i])));
    const double step = std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    far = std::isnan(step) ? INFINITY : std::max(far, step);
  }
  CHECK(far <= share * largest);
}

constexpr std::int64_t kRows = 37, kIn = 29, kOut = 43;

}  // namespace

#define DEVICE_CASE(name)                          \
  TEMPLATE_TEST_CASE(name, "", float, double) {    \
    for (const std::int64_t threads : {1, 2, 5}) { \
      Memory memory;                               \
      CpuDevice<TestType> device(memory, threads); \
      check_device(device);                        \
    }                                              \
  }

namespace linear {
template <typename T>
void check_device(Device<T>& device) {
  const auto x = normals<T>(kRows * kIn, 1), w = normals<T>(kOut * kIn, 2),
             bias = normals<T>(kOut, 3), dy = normals<T>(kRows * kOut, 4);
  std::vector<T> y(kRows * kOut), z = y, act = y, dx(kRows * kIn), ex = dx;
  auto dw = normals<T>(kOut * kIn, 5), ew = dw, dbias = normals<T>(kOut, 6), ebias = dbias;
  oracle::linear_forward<T>(kRows, kIn, kOut, x.data(), w.data(), bias.data(), z.data());
  device.linear(kRows, kIn, kOut, x.data(), w.data(), bias.data(), y.data());
  check_close(y, z);
  device.linear_gelu(kRows, kIn, kOut, x.data(), w.data(), bias.data(), y.data(), act.data());
  check_close(y, z);
  std::vector<T> expected(z.size());
  oracle::gelu_forward<T>(kRows * kOut, z.data(), expected.data());
  check_close(act, expected);
  oracle::linear_backward<T>(kRows, kIn, kOut, x.data(), w.data(), dy.data(), ex.data(), ew.data(),
                             ebias.data());
  device.linear_to_input(kRows, kIn, kOut, dy.data(), w.data(), dx.data());
  auto sums = dbias;
  device.linear_to_weight(kRows, kIn, kOut, x.data(), dy.data(), dw.data(), dbias.data());
  device.add_rows(kRows, kOut, dy.data(), sums.data());
  check_close(dx, ex);
  check_close(dw, ew);
  check_close(dbias, ebias);
  check_close(sums, ebias);
  device.linear_to_weight(kRows, kIn, kOut, x.data(), dy.data(), dw.data(), nullptr);
  const auto before = normals<T>(kRows * kIn, 7);
  device.linear_to_gelu(kRows, kIn, kOut, dy.data(), w.data(), before.data(), dx.data());
  oracle::gelu_backward<T>(kRows * kIn, before.data(), ex.data());
  check_close(dx, ex);
}
DEVICE_CASE("a device's linear layer is the oracle's")
}  // namespace linear

namespace activation {
template <typename T>
void check_device(Device<T>& device) {
  auto x = normals<T>(kRows * 2 * kOut, 1), dy = normals<T>(kRows * kOut, 2), ey = dy;
  x[0] = T(-60);
  x[1] = T(60);                       // far out, where an exponential would overflow
  const std::vector<T> one = {T(1)};  // the product of one column by one weight changes nothing
  std::vector<T> through(dy.size());
  device.linear_to_gelu(kRows * kOut, 1, 1, dy.data(), one.data(), x.data(), through.data());
  oracle::gelu_backward<T>(kRows * kOut, x.data(), ey.data());
  check_close(through, ey);
  std::vector<T> dx(x.size()), ex(x.size());
  device.swiglu_backward(kRows, kOut, x.data(), dy.data(), dx.data());
  oracle::swiglu_backward<T>(kRows, kOut, x.data(), dy.data(), ex.data());
  check_close(dx, ex);
  const auto in = normals<T>(kRows * kIn, 3), w = normals<T>(2 * kOut * kIn, 4);
  std::vector<T> before(kRows * 2 * kOut), y(kRows * kOut), expected = before, z = y;
  device.linear_swiglu(kRows, kIn, kOut, in.data(), w.data(), before.data(), y.data());
  oracle::linear_forward<T>(kRows, kIn, 2 * kOut, in.data(), w.data(), nullptr, expected.data());
  oracle::swiglu_forward<T>(kRows, kOut, expected.data(), z.data());
  check_close(before, expected);
  check_close(y, z);
}
DEVICE_CASE("a device's activations are the oracle's")
}  // namespace activation

namespace norms {
template <typename T>
void check_device(Device<T>& device) {
  const auto x = normals<T>(kRows * kOut, 1), gain = normals<T>(kOut, 2),
             dy = normals<T>(kRows * kOut, 4);
  auto bias = normals<T>(kOut, 3);
  for (T* b : {bias.data(), static_cast<T*>(nullptr)}) {
    std::vector<T> y(x.size()), z = y, mean(kRows), sd(kRows), emean(kRows), esd(kRows);
    device.norm(kRows, kOut, x.data(), gain.data(), b, {mean.data(), sd.data()}, y.data());
    oracle::norm_forward<T>(kRows, kOut, x.data(), gain.data(), b, {emean.data(), esd.data()},
                            z.data());
    check_close(y, z);
    auto dx = normals<T>(kRows * kOut, 5), ex = dx, dgain = normals<T>(kOut, 6), egain = dgain;
    auto dbias = normals<T>(kOut, 7), ebias = dbias;
    device.norm_backward(kRows, kOut, x.data(), gain.data(), {mean.data(), sd.data()}, dy.data(),
                         dx.data(), dgain.data(), b ? dbias.data() : nullptr);
    oracle::norm_backward<T>(kRows, kOut, x.data(), gain.data(), {emean.data(), esd.data()},
                             dy.data(), ex.data(), egain.data(), b ? ebias.data() : nullptr);
    check_close(dx, ex);
    check_close(dgain, egain);
    check_close(dbias, ebias);
  }
}
DEVICE_CASE("a device's norms are the oracle's")
}  // namespace norms

namespace attention {
template <typename T>
void check_device(Device<T>& device) {
  // Longer than one block of queries, and not a multiple of it.
  for (const AttentionShape& s : {AttentionShape{2, 5, 4, 4, 3}, AttentionShape{1, 300, 6, 2, 8}}) {
    auto qkv = normals<T>(s.rows() * s.qkv_width(), 1), turned = qkv;
    device.prepare({s.rows(), s.qkv_width(), s, true});
    device.rotate(s, 1, qkv.data());
    if (s.head_width % 2 == 0) oracle::rotate<T>(s, 1, turned.data());
    if (s.head_width % 2 == 0) check_close(qkv, turned);
    const auto dcontext = normals<T>(s.rows() * s.width(), 2);
    std::vector<T> p(static_cast<std::size_t>(s.batch * s.heads * s.seq * s.seq)), ep = p;
    std::vector<T> context(dcontext.size()), econtext = context, dqkv(qkv.size()), eqkv = dqkv;
    CHECK(device.attention_kept(s) == static_cast<std::int64_t>(p.size()));
    std::vector<T> escratch(static_cast<std::size_t>(s.seq * s.seq));
    device.attention(s, qkv.data(), p.data(), context.data());
    oracle::attention_forward<T>(s, qkv.data(), ep.data(), econtext.data());
    check_close(context, econtext);
    device.attention_backward(s, qkv.data(), p.data(), context.data(), dcontext.data(),
                              dqkv.data());
    oracle::attention_backward<T>(s, qkv.data(), ep.data(), dcontext.data(), eqkv.data(),
                                  escratch.data());
    check_close(dqkv, eqkv);
  }
}
DEVICE_CASE("a device's attention is the oracle's")
}  // namespace attention

namespace vocabulary {
template <typename T>
void check_device(Device<T>& device) {
  // Two parts of a vocabulary of 50, padded to 60, must do together what the oracle does whole.
  constexpr std::int64_t kVocab = 60, kKnown = 50, kPart = 30;
  const auto logits = normals<T>(kRows * kVocab, 1);
  std::vector<std::int32_t> targets(kRows);
  for (std::size_t i = 0; i < targets.size(); ++i)
    targets[i] = static_cast<std::int32_t>(i * 7 % 50);
  auto whole = logits;
  const double loss =
      oracle::cross_entropy<T>(kRows, kVocab, kKnown, targets.data(), T(0.25), whole.data());

  std::vector<T> parts[2], largest[2], sums[2], target[2];
  const VocabPart part[2] = {{0, kPart, kPart}, {kPart, kPart, kKnown - kPart}};
  for (int i = 0; i < 2; ++i) {
    for (std::int64_t r = 0; r < kRows; ++r)
      for (std::int64_t c = 0; c < kPart; ++c)
        parts[i].push_back(logits[static_cast<std::size_t>(r * kVocab + i * kPart + c)]);
    largest[i].resize(kRows);
    sums[i].resize(kRows);
    target[i].resize(kRows);
    device.largest(kRows, part[i], parts[i].data(), largest[i].data(), sums[i].data());
  }
  for (std::size_t r = 0; r < kRows; ++r) largest[0][r] = std::max(largest[0][r], largest[1][r]);
  for (int i = 0; i < 2; ++i)
    device.exponentials(kRows, part[i], targets.data(), largest[0].data(), parts[i].data(),
                        sums[i].data(), target[i].data());
  for (std::size_t r = 0; r < kRows; ++r) {
    sums[0][r] += sums[1][r];
    target[0][r] += target[1][r];
  }
  double losses[2] = {0, 0};
  StepState state;
  state.loss_scale = 0.5;
  std::vector<T> gathered(whole.size());
  for (int i = 0; i < 2; ++i) {
    device.cross_entropy(kRows, part[i], targets.data(), largest[0].data(), sums[0].data(),
                         target[0].data(), T(0.5), &state, parts[i].data(), &losses[i]);
    for (std::int64_t r = 0; r < kRows; ++r)
      for (std::int64_t c = 0; c < kPart; ++c)
        gathered[static_cast<std::size_t>(r * kVocab + i * kPart + c)] =
            parts[i][static_cast<std::size_t>(r * kPart + c)];
    CHECK(losses[i] == Approx(loss).epsilon(1e-5));
  }
  check_close(gathered, whole);
}
DEVICE_CASE("a vocabulary in parts has the whole's loss and gradient")
}  // namespace vocabulary

TEMPLATE_TEST_CASE("a sum over all elements does not depend on threads but for rounding", "", float,
                   double) {
  const auto x = normals<TestType>(100003, 1);
  double expected = 0;
  for (const auto value : x) expected += static_cast<double>(value) * static_cast<double>(value);
  for (const std::int64_t threads : {1, 2, 7}) {
    Memory memory;
    CpuDevice<TestType> device(memory, threads);
    double sum = 0;
    device.add_squares(100003, x.data(), &sum);
    CHECK(sum == Approx(expected).epsilon(1e-12));
  }
}

TEST_CASE("the softmax of far apart numbers is exact to a few units in the last place") {
  const auto& k = kernels<float>();
  for (float x = -86.0f; x < 0; x += 0.0173f) {
    float row[2] = {x, 0.0f};
    k.softmax(1, 1, 2, 2, row);
    const double power = std::exp(static_cast<double>(x)), expected = power / (1 + power);
    if (expected > 2e-38) REQUIRE(row[0] == Approx(expected).epsilon(4e-7));
  }
  float nan[2] = {NAN, 0}, far[2] = {-INFINITY, 0};
  k.softmax(1, 1, 2, 2, nan);
  k.softmax(1, 1, 2, 2, far);
  CHECK(std::isnan(nan[0]));
  CHECK(far[0] < 2e-38f);
  CHECK(far[1] == 1.0f);
}
