// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "probes/device/cuda/norms_backward.h"
#include "tests/support/catch.h"

using namespace pippin::probes;

namespace {

/// Device memory of exactly so many floats, normally distributed.
class Floats {
 public:
  Floats(std::int64_t count, std::uint32_t seed) : count_(static_cast<std::size_t>(count)) {
    cudaMalloc(&data_, count_ * sizeof(float));
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal;
    for (std::size_t i = 0; i < count_; ++i) data_[i] = normal(generator);
  }
  ~Floats() { CHECK(cudaFree(data_) == cudaSuccess); }  // nothing around it was written
  Floats(const Floats&) = delete;
  Floats& operator=(const Floats&) = delete;

  float* data() { return data_; }
  bool has_bits_of(const Floats& other) const {
    return std::memcmp(data_, other.data_, count_ * sizeof(float)) == 0;
  }
  double difference(const Floats& other) const {
    double largest = 0;
    for (std::size_t i = 0; i < count_; ++i)
      largest = std::fmax(largest, std::fabs(data_[i] - other.data_[i]));
    return largest;
  }

 private:
  std::size_t count_;
  float* data_ = nullptr;
};

struct Sizes {
  std::int64_t rows, width;
};

/// The gradients that a GPU of so many multiprocessors computes, with the room that it asks for.
struct Gradients {
  Floats dx, dgain, dbias;

  Gradients(const Sizes& s, int multiprocessors)
      : dx(s.rows * s.width, 1), dgain(s.width, 2), dbias(s.width, 3) {
    Floats x(s.rows * s.width, 4), gain(s.width, 5), dy(s.rows * s.width, 6), mean(s.rows, 7),
        inverse_sd(s.rows, 8);
    const std::int64_t room = cuda::norm_backward_room(s.rows, s.width, multiprocessors);
    Floats scratch(room, 9);
    cuda::start_norm_backward<float, true>(
        nullptr, s.rows, s.width, x.data(), gain.data(), {mean.data(), inverse_sd.data()},
        dy.data(), dx.data(), dgain.data(), dbias.data(), multiprocessors, scratch.data(), room);
  }
};

TEST_CASE("a norm's gradients are the same on every number of multiprocessors", "[cuda][norms]") {
  for (const Sizes& s : {Sizes{3, 8}, {1000, 40}, {41, 33}, {37, 4096}, {13, 20000}}) {
    INFO(s.rows << " x " << s.width);
    const Gradients few(s, 1);
    for (const int multiprocessors : {3, 132, 200}) {
      const Gradients many(s, multiprocessors);
      CHECK(many.dx.has_bits_of(few.dx));
      CHECK(many.dgain.difference(few.dgain) < 1e-3);
      CHECK(many.dbias.difference(few.dbias) < 1e-3);
    }
  }
}

TEST_CASE("a norm's gradients fill every multiprocessor, and there is room for it",
          "[cuda][norms]") {
  constexpr std::int64_t kRows = 100000;
  for (const int multiprocessors : {1, 108, 132, 148})
    for (const std::int64_t width : {64, 1000, 8192, 12288, 40000})
      for (const int packs : {2, 3, 4}) {
        INFO(multiprocessors << " multiprocessors, width " << width << ", packs " << packs);
        const auto grid =
            cuda::norm_backward_grid(kRows, width, 8, packs, multiprocessors,
                                     cuda::norm_backward_room(kRows, width, multiprocessors));
        CHECK(grid.blocks == multiprocessors * cuda::kMostNormThreads / grid.threads);
      }
}

}  // namespace
