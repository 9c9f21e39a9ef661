// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "emulator.h"
#include "probes/common/error.h"
#include "probes/common/half.h"
#include "probes/device/cuda/attention.h"
#include "probes/device/cuda/attention_order.h"
#include "tests/support/catch.h"

using namespace pippin::probes;
using Catch::Contains;

namespace {

using Doubles = std::vector<double>;

/// Device memory of exactly so many numbers; poison until something is stored.
template <typename T>
class Array {
 public:
  explicit Array(std::size_t count) : count_(count) { cudaMalloc(&data_, count * sizeof(T)); }
  explicit Array(const Doubles& numbers) : Array(numbers.size()) {
    for (std::size_t i = 0; i < count_; ++i) data_[i] = T(static_cast<float>(numbers[i]));
  }
  ~Array() { CHECK(cudaFree(data_) == cudaSuccess); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  T* data() { return data_; }
  Doubles doubles() const {
    Doubles numbers(count_);
    for (std::size_t i = 0; i < count_; ++i) numbers[i] = static_cast<float>(data_[i]);
    return numbers;
  }
  bool has_bits_of(const Array& other) const {
    return std::memcmp(data_, other.data_, count_ * sizeof(T)) == 0;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

struct Result {
  Doubles context, kept, dqkv;
};

/// Attention and its gradients, straight from their definitions, for one head of one sequence.
class Reference {
 public:
  Reference(const AttentionShape& shape, const Doubles& qkv, const Doubles& dcontext)
      : s_(shape), qkv_(qkv), dcontext_(dcontext) {
    result_.context.resize(s_.rows() * s_.width());
    result_.kept.resize(s_.batch * s_.heads * s_.seq);
    result_.dqkv.resize(s_.rows() * s_.qkv_width());
    for (std::int64_t sequence = 0; sequence < s_.batch; ++sequence)
      for (std::int64_t head = 0; head < s_.heads; ++head)
        for (std::int64_t query = 0; query < s_.seq; ++query) one(sequence, head, query);
  }
  const Result& result() const { return result_; }

 private:
  /// `kind`: which of the group's queries; then its key, its value.
  std::size_t place(std::int64_t row, std::int64_t group, std::int64_t kind) const {
    const std::int64_t kinds = s_.heads_of_group() + 2;
    return static_cast<std::size_t>(((row * s_.groups + group) * kinds + kind) * s_.head_width);
  }

  double product(const Doubles& a, std::size_t i, const Doubles& b, std::size_t j) const {
    double sum = 0;
    for (std::int64_t k = 0; k < s_.head_width; ++k) sum += a[i + k] * b[j + k];
    return sum;
  }
  void add(double factor, const Doubles& from, std::size_t i, Doubles& to, std::size_t j) const {
    for (std::int64_t k = 0; k < s_.head_width; ++k) to[j + k] += factor * from[i + k];
  }

  void one(std::int64_t sequence, std::int64_t head, std::int64_t query) {
    const double scale = 1 / std::sqrt(static_cast<double>(s_.head_width));
    const std::int64_t group = head / s_.heads_of_group(), row = sequence * s_.seq + query;
    const std::size_t q = place(row, group, head % s_.heads_of_group());
    const auto context = static_cast<std::size_t>(row * s_.width() + head * s_.head_width);
    const auto key = [&](std::int64_t i) {
      return place(sequence * s_.seq + i, group, s_.heads_of_group());
    };
    const auto value = [&](std::int64_t i) {
      return place(sequence * s_.seq + i, group, s_.heads_of_group() + 1);
    };
    Doubles p(query + 1), dp(query + 1);
    for (std::int64_t i = 0; i <= query; ++i) p[i] = scale * product(qkv_, q, qkv_, key(i));
    const double largest = *std::max_element(p.begin(), p.end());
    double sum = 0, mean = 0;
    for (double& score : p) sum += score = std::exp(score - largest);
    result_.kept[(sequence * s_.heads + head) * s_.seq + query] =
        (largest + std::log(sum)) / std::log(2.0);
    for (std::int64_t i = 0; i <= query; ++i) {
      p[i] /= sum;
      add(p[i], qkv_, value(i), result_.context, context);
      dp[i] = product(dcontext_, context, qkv_, value(i));
      mean += p[i] * dp[i];
    }
    for (std::int64_t i = 0; i <= query; ++i) {
      const double dscore = scale * p[i] * (dp[i] - mean);
      add(dscore, qkv_, key(i), result_.dqkv, q);
      add(dscore, qkv_, q, result_.dqkv, key(i));
      add(p[i], dcontext_, context, result_.dqkv, value(i));
    }
  }

  AttentionShape s_;
  const Doubles &qkv_, &dcontext_;
  Result result_;
};

/// As T has them.
template <typename T>
Doubles draws(std::int64_t count, double spread, std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal(0, spread);
  Doubles numbers(count);
  for (double& number : numbers)
    number = static_cast<float>(T(static_cast<float>(normal(generator))));
  return numbers;
}

double largest_of(const Doubles& numbers) {
  double largest = 0;
  for (const double number : numbers) largest = std::max(largest, std::abs(number));
  return largest;
}

/// The largest difference, relative to the largest number expected; infinite if one is no number.
double difference(const Doubles& found, const Doubles& expected) {
  double largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!std::isfinite(found[i])) return INFINITY;
    largest = std::max(largest, std::abs(found[i] - expected[i]));
  }
  return largest / largest_of(expected);
}

template <typename T>
struct Run {
  Array<float> kept, scratch;
  Array<T> context, dqkv;

  Run(const AttentionShape& s, Array<T>& qkv, Array<T>& dcontext,
      std::int64_t section_bytes = cuda::kSectionBytes)
      : kept(cuda::attention_kept(s)),
        scratch(cuda::attention_scratch(s)),
        context(s.rows() * s.width()),
        dqkv(s.rows() * s.qkv_width()) {
    cuda::start_attention<T>(nullptr, s, qkv.data(), kept.data(), context.data(), section_bytes);
    cuda::start_attention_backward<T>(nullptr, s, qkv.data(), kept.data(), context.data(),
                                      dcontext.data(), scratch.data(), dqkv.data(), section_bytes);
    cudaDeviceSynchronize();
  }
};

struct Tolerance {
  double context, kept, dqkv;
};
/// Of 16-bit numbers the probabilities are rounded, too, and their gradients.
template <typename T>
constexpr Tolerance kTolerance = {1e-5, 1e-5, 2e-5};
template <>
constexpr Tolerance kTolerance<BFloat16> = {0x1p-7, 1e-4, 0x1.8p-7};
template <>
constexpr Tolerance kTolerance<Half> = {0x1p-10, 1e-4, 0x1.8p-10};

template <typename T>
void check(const AttentionShape& s) {
  INFO("batch " << s.batch << ", seq " << s.seq << ", heads " << s.heads << ", groups " << s.groups
                << ", head width " << s.head_width);
  const Doubles qkv = draws<T>(s.rows() * s.qkv_width(), 1.5, 1);
  const Doubles dcontext = draws<T>(s.rows() * s.width(), 1, 2);
  const Result expected = Reference(s, qkv, dcontext).result();
  Array<T> device_qkv(qkv), device_dcontext(dcontext);
  emulator::set_seed(static_cast<std::uint64_t>(s.seq));
  const Run<T> run(s, device_qkv, device_dcontext);
  CHECK(difference(run.context.doubles(), expected.context) < kTolerance<T>.context);
  CHECK(difference(run.kept.doubles(), expected.kept) < kTolerance<T>.kept);
  CHECK(difference(run.dqkv.doubles(), expected.dqkv) < kTolerance<T>.dqkv);
}

// batch, seq, heads, groups, head_width

TEST_CASE("attention by tensor cores is what its definition says", "[cuda][attention]") {
  const std::vector<AttentionShape> shapes = {
      {2, 1, 2, 1, 8},     {1, 5, 2, 2, 16},   {3, 16, 4, 2, 32},   {1, 63, 2, 1, 40},
      {1, 64, 3, 1, 64},   {1, 65, 2, 1, 80},  {1, 130, 2, 1, 96},  {1, 128, 1, 1, 128},
      {2, 130, 2, 1, 128}, {1, 200, 2, 1, 64}, {1, 200, 1, 1, 128}, {1, 300, 2, 1, 32}};
  for (const AttentionShape& shape : shapes) check<BFloat16>(shape);
  for (const AttentionShape& shape : {AttentionShape{1, 130, 2, 1, 64}, {2, 65, 2, 1, 128}})
    check<Half>(shape);
}

TEST_CASE("attention of many heads sums a group's in one block, of few in several",
          "[cuda][attention]") {
  check<BFloat16>({2, 1, 512, 256, 8});
  check<BFloat16>({2, 1, 384, 128, 8});  // parts of two heads and of one
  check<BFloat16>({1, 66, 5, 1, 24});
}

TEST_CASE("attention of every other number and width is what its definition says",
          "[cuda][attention]") {
  const std::vector<AttentionShape> shapes = {{2, 1, 2, 1, 8},    {3, 16, 4, 2, 5},
                                              {1, 33, 2, 1, 64},  {1, 65, 2, 1, 100},
                                              {1, 40, 1, 1, 129}, {1, 130, 2, 1, 32}};
  for (const AttentionShape& shape : shapes) check<float>(shape);
  check<BFloat16>({1, 40, 2, 1, 100});
  check<BFloat16>({1, 33, 1, 1, 256});
  check<Half>({1, 40, 2, 1, 33});
}

TEMPLATE_TEST_CASE("attention gives the same bits in whatever order threads run",
                   "[cuda][attention]", float, BFloat16) {
  const AttentionShape s{1, 130, 2, 1, 40};
  Array<TestType> qkv(draws<TestType>(s.rows() * s.qkv_width(), 2, 3)),
      dcontext(draws<TestType>(s.rows() * s.width(), 1, 4));
  emulator::set_seed(0);
  const Run<TestType> first(s, qkv, dcontext);
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    emulator::set_seed(seed);
    const Run<TestType> again(s, qkv, dcontext);
    CHECK(again.context.has_bits_of(first.context));
    CHECK(again.kept.has_bits_of(first.kept));
    CHECK(again.dqkv.has_bits_of(first.dqkv));
  }
}

TEMPLATE_TEST_CASE("attention gives the same bits in however many sections its heads are done",
                   "[cuda][attention]", float, BFloat16) {
  const AttentionShape s{1, 130, 5, 1, 40};
  Array<TestType> qkv(draws<TestType>(s.rows() * s.qkv_width(), 2, 7)),
      dcontext(draws<TestType>(s.rows() * s.width(), 1, 8));
  const Run<TestType> whole(s, qkv, dcontext);
  const std::int64_t keys_and_values =
      static_cast<std::int64_t>(2 * s.rows() * s.groups * s.head_width * sizeof(TestType));
  // Of queries two sections, of three heads and of two; so of keys; and one for each head.
  for (const std::int64_t limit : {keys_and_values - 1, 5 * keys_and_values - 1, std::int64_t{1}}) {
    const Run<TestType> again(s, qkv, dcontext, limit);
    CHECK(again.context.has_bits_of(whole.context));
    CHECK(again.kept.has_bits_of(whole.kept));
    CHECK(again.dqkv.has_bits_of(whole.dqkv));
  }
}

/// Sections of an order, by the heads that they begin with; each head of each section has all its
/// blocks in it, the first before the second ones.
std::vector<int> sections_of(const cuda::AttentionOrder& order) {
  std::vector<int> begins;
  std::set<std::pair<int, int>> done;
  int block = order.blocks;
  for (unsigned i = 0; i < order.size(); ++i) {
    const cuda::AttentionWork work = order.work(i);
    const int place = work.sequence * order.heads + work.head;
    CHECK(place < order.places);
    CHECK(work.head < order.heads);
    CHECK(work.block < order.blocks);
    CHECK(done.insert({place, work.block}).second);
    if (work.block < block) {
      CHECK(work.block == 0);
      CHECK(done.size() == static_cast<std::size_t>(place * order.blocks + 1));
      begins.push_back(place);
    }
    block = work.block;
  }
  CHECK(done.size() == static_cast<std::size_t>(order.places * order.blocks));
  return begins;
}

TEST_CASE("attention's blocks go through equal sections of heads, the longest first",
          "[cuda][attention]") {
  // heads, sequences, blocks of a head, bytes of all heads, bytes of a section
  CHECK(sections_of({4, 3, 2, 100, 100}) == std::vector{0});
  CHECK(sections_of({4, 3, 2, 101, 100}) == std::vector{0, 6});
  CHECK(sections_of({5, 3, 3, 400, 100}) == std::vector{0, 4, 8, 12});  // the last has three heads
  CHECK(sections_of({7, 1, 4, 200, 100}) == std::vector{0, 4});
  CHECK(sections_of({3, 1, 2, 1000, 1}) == std::vector{0, 1, 2});
  CHECK(sections_of({1, 1, 2, 0, 100}) == std::vector{0});
}

TEST_CASE("attention's gradients in float need no alignment", "[cuda][attention]") {
  const AttentionShape s{1, 9, 3, 1, 8};
  Array<float> qkv(draws<float>(s.rows() * s.qkv_width(), 1, 9)),
      dcontext(draws<float>(s.rows() * s.width(), 1, 10));
  Run<float> run(s, qkv, dcontext);
  const auto shifted = [](const Array<float>& from) {
    Doubles numbers = from.doubles();
    numbers.insert(numbers.begin(), 0);
    return numbers;
  };
  Array<float> context_behind(shifted(run.context)), dcontext_behind(shifted(dcontext)),
      dqkv(s.rows() * s.qkv_width());
  cuda::start_attention_backward<float>(nullptr, s, qkv.data(), run.kept.data(),
                                        context_behind.data() + 1, dcontext_behind.data() + 1,
                                        run.scratch.data(), dqkv.data());
  cudaDeviceSynchronize();
  CHECK(difference(dqkv.doubles(), run.dqkv.doubles()) < 1e-6);
}

/// Scores of ±`size`: the first number of each query and key makes them.
template <typename T>
Doubles with_scores(const AttentionShape& s, double size) {
  Doubles qkv = draws<T>(s.rows() * s.qkv_width(), 0.5, 5);
  const double part = std::sqrt(size * std::sqrt(static_cast<double>(s.head_width)));
  for (std::int64_t row = 0; row < s.rows(); ++row)
    for (std::int64_t kind = 0; kind < 2; ++kind) {
      const bool is_negative = kind == 0 ? row % 3 == 0 : row % 5 == 1;
      qkv[(row * 3 + kind) * s.head_width] = is_negative ? -part : part;
    }
  return qkv;
}

TEMPLATE_TEST_CASE("attention of scores of 10000 and of -10000 is finite", "[cuda][attention]",
                   float, BFloat16) {
  const AttentionShape s{1, 150, 1, 1, 64};
  Array<TestType> qkv(with_scores<TestType>(s, 1e4)),
      dcontext(draws<TestType>(s.rows() * s.width(), 1, 6));
  const Run<TestType> run(s, qkv, dcontext);
  const Doubles as_rounded = qkv.doubles(), gradient = dcontext.doubles();
  const Result expected = Reference(s, as_rounded, gradient).result();
  // Scores of this size are known to no more than 2^-10.
  CHECK(difference(run.context.doubles(), expected.context) < 0.02);
  CHECK(difference(run.dqkv.doubles(), expected.dqkv) < 0.02);
}

TEST_CASE("attention refuses heads that no kernel takes", "[cuda][attention]") {
  const AttentionShape s{1, 1, 1, 1, 264};
  CHECK_THROWS_WITH(cuda::start_attention<float>(nullptr, s, nullptr, nullptr, nullptr),
                    Contains("heads of width 264") && Contains("at most 256"));
}

}  // namespace
