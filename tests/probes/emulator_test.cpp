// SPDX-License-Identifier: Apache-2.0
#include "emulator.h"

#include <random>
#include <utility>
#include <vector>

#include "probes/device/cuda/launch.h"
#include "probes/device/cuda/tensor_core.h"
#include "probes/device/cuda/warp.h"
#include "tests/support/catch.h"

using namespace pippin::probes;
using namespace pippin::probes::cuda;
using Catch::Contains;

namespace {

/// Device memory that a test reads and writes at will.
template <typename T>
struct Array {
  T* data = nullptr;
  explicit Array(std::size_t count) { cudaMalloc(&data, count * sizeof(T)); }
  ~Array() { cudaFree(data); }
  Array(const Array&) = delete;
  T& operator[](std::size_t i) { return data[i]; }
};

/// Launches and waits.
template <typename... Parameters, typename... Arguments>
void run(const Grid& grid, void (*kernel)(Parameters...), Arguments... arguments) {
  launch(nullptr, grid, kernel, arguments...);
  cudaDeviceSynchronize();
}

void note_places(int* places) {
  const int block = static_cast<int>(blockIdx.x + gridDim.x * blockIdx.y);
  const int index = block * static_cast<int>(blockDim.x) + static_cast<int>(threadIdx.x);
  places[index] = index;
}

TEST_CASE("every thread of every block runs once and knows its place", "[emulator]") {
  Array<int> places(2 * 3 * 40);
  run({{2, 3}, 40}, note_places, places.data);
  for (int i = 0; i < 2 * 3 * 40; ++i) CHECK(places[i] == i);
}

void note_order(int* next, int* order) { order[(*next)++] = static_cast<int>(threadIdx.x); }

std::vector<int> order_of(std::uint64_t seed) {
  emulator::set_seed(seed);
  Array<int> next(1), order(64);
  next[0] = 0;
  run({1, 64}, note_order, next.data, order.data);
  return {order.data, order.data + 64};
}

TEST_CASE("threads take turns as the seed says", "[emulator]") {
  CHECK(order_of(1) == order_of(1));
  CHECK(order_of(1) != order_of(2));
}

/// Each thread hands its number to the one before it.
void pass_on(bool waits, int* received) {
  int* shared = dynamic_shared<int>();
  const int i = static_cast<int>(threadIdx.x), count = static_cast<int>(blockDim.x);
  shared[i] = i;
  if (waits) __syncthreads();
  received[i] = shared[(i + 1) % count];
}

int wrongly_passed(bool waits, std::uint64_t seed) {
  emulator::set_seed(seed);
  Array<int> received(96);
  run({1, 96, 96 * sizeof(int)}, pass_on, waits, received.data);
  int wrong = 0;
  for (int i = 0; i < 96; ++i) wrong += received[i] != (i + 1) % 96;
  return wrong;
}

TEST_CASE("a missing barrier gives wrong results, a barrier right ones", "[emulator]") {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    CHECK(wrongly_passed(true, seed) == 0);
    CHECK(wrongly_passed(false, seed) > 0);
  }
}

void many_barriers(int count) {
  for (int i = 0; i < count; ++i) __syncthreads();
}

void barrier_of_half() {
  if (threadIdx.x < 32) __syncthreads();
}
void barrier_in_a_warp() {
  if (threadIdx.x % 2 == 0)
    __syncthreads();
  else
    __syncwarp();
}
void shuffle_of_half() {
  if (threadIdx.x < 16) __shfl_sync(kAllLanes, 1, 0);
}
void shuffle_and_vote() {
  if (threadIdx.x < 16)
    __shfl_sync(kAllLanes, 1, 0);
  else
    __any_sync(kAllLanes, 1);
}

TEST_CASE("threads that wait for what never comes are reported", "[emulator]") {
  run({2, 256}, many_barriers, 100);
  CHECK_THROWS_WITH(run({1, 64, 0, "halves"}, barrier_of_half),
                    Contains("kernel 'halves', block (0, 0, 0), thread 0 waits in __syncthreads "
                             "for ever, thread 32 has ended"));
  CHECK_THROWS_WITH(run({1, 32}, barrier_in_a_warp),
                    Contains("thread 0 waits in __syncthreads for ever, thread 1 waits in "
                             "__syncwarp"));
  CHECK_THROWS_WITH(run({1, 32}, shuffle_of_half),
                    Contains("thread 0 waits in __shfl_sync for ever, thread 16 has ended"));
  CHECK_THROWS_WITH(run({1, 32}, shuffle_and_vote),
                    Contains("__shfl_sync") && Contains("__any_sync"));
  run({1, 64}, many_barriers, 3);  // and the next launch is sound
}

void write_at(float* array, int index) { array[index] = 1; }
void write_shared(int index) { dynamic_shared<char>()[index] = 1; }
void load_misaligned(const float* array) { (void)load_vector(array + 1); }

TEST_CASE("what is written out of bounds is reported", "[emulator]") {
  {
    Array<float> array(10);
    run({1, 1}, write_at, array.data, 9);
    CHECK_THROWS_WITH(run({1, 1, 0, "writer"}, write_at, array.data, 10),
                      Contains("'writer'") && Contains("outside an allocation of 40 bytes"));
    CHECK(cudaFree(std::exchange(array.data, nullptr)) == cudaErrorIllegalAddress);
  }
  Array<float> array(10);
  CHECK_THROWS_WITH(run({1, 1}, write_at, array.data, -1), Contains("outside"));
  array[static_cast<std::size_t>(-1)] = __uint_as_float(0xA5A5A5A5U);
  CHECK_THROWS_WITH(run({1, 1, 100}, write_shared, 100), Contains("behind the block's"));
  CHECK_THROWS_WITH(run({1, 1}, load_misaligned, array.data), Contains("misaligned"));
}

void read_shared(float* out) {
  if (threadIdx.x == 0 && blockIdx.x == 0) dynamic_shared<float>()[1] = 7;
  out[blockIdx.x] = dynamic_shared<float>()[1];
}

TEST_CASE("memory that nobody wrote is no number, in each block again", "[emulator]") {
  Array<float> array(2);
  CHECK(std::isnan(array[1]));
  run({2, 1, 8}, read_shared, array.data);
  CHECK(array[0] == 7);
  CHECK(std::isnan(array[1]));
}

void exchange(int* out) {
  const int lane = lane_index();
  int* own = out + lane * 7;
  own[0] = __shfl_sync(kAllLanes, lane, 5);
  own[1] = __shfl_sync(kAllLanes, lane, 1, 8);
  own[2] = __shfl_xor_sync(kAllLanes, lane, 3);
  own[3] = __shfl_down_sync(kAllLanes, lane, 2);
  own[4] = __shfl_up_sync(kAllLanes, lane, 2U);
  own[5] = static_cast<int>(__ballot_sync(kAllLanes, lane < 3));
  own[6] = warp_max((lane * 5) % 32) + warp_sum(lane);
}

TEST_CASE("lanes exchange values as CUDA says", "[emulator]") {
  Array<int> out(32 * 7);
  run({1, 32}, exchange, out.data);
  for (int lane = 0; lane < 32; ++lane) {
    const int* own = out.data + lane * 7;
    CHECK(own[0] == 5);
    CHECK(own[1] == lane / 8 * 8 + 1);
    CHECK(own[2] == (lane ^ 3));
    CHECK(own[3] == (lane < 30 ? lane + 2 : lane));
    CHECK(own[4] == (lane < 2 ? lane : lane - 2));
    CHECK(own[5] == 7);
    CHECK(own[6] == 31 + 31 * 32 / 2);
  }
}

void reduce_twice(float* sums, float* largest) {
  float* scratch = dynamic_shared<float>();
  const auto x = static_cast<float>(threadIdx.x);
  sums[threadIdx.x] = block_sum(x, scratch);
  largest[threadIdx.x] = block_max(x, scratch);
}

TEST_CASE("a block's sum and maximum reach every thread", "[emulator]") {
  Array<float> sums(96), largest(96);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    emulator::set_seed(seed);
    run({1, 96, 3 * sizeof(float)}, reduce_twice, sums.data, largest.data);
    for (int i = 0; i < 96; ++i) {
      CHECK(sums[i] == 95 * 96 / 2);
      CHECK(largest[i] == 95);
    }
  }
}

void copy_through_shared(bool commits, bool waits, const float* in, float* out) {
  float* shared = dynamic_shared<float>();
  shared[0] = 1;
  copy_async(shared, in, true);
  copy_async(shared + 4, in, false);
  if (commits) commit_copies();
  copy_async(shared + 8, in, true);
  commit_copies();
  if (waits) wait_copies<1>();
  for (int i = 0; i < 12; ++i) out[i] = shared[i];
}

TEST_CASE("an asynchronous copy is poison until it is waited for", "[emulator]") {
  Array<float> in(4), out(12);
  for (int i = 0; i < 4; ++i) in[i] = static_cast<float>(i + 1);
  run({1, 1, 48}, copy_through_shared, true, true, in.data, out.data);
  CHECK(std::vector<float>(out.data, out.data + 8) == std::vector<float>{1, 2, 3, 4, 0, 0, 0, 0});
  CHECK(std::isnan(out[8]));  // the last commit may be pending
  for (const bool commits : {true, false}) {
    run({1, 1, 48}, copy_through_shared, commits, !commits, in.data, out.data);
    for (int i = 0; i < 12; ++i) CHECK(std::isnan(out[i]));
  }
  CHECK_THROWS_WITH(run({1, 1, 32}, copy_through_shared, true, true, in.data, out.data),
                    Contains("outside the block's dynamic shared memory with cp.async"));
}

/// c = a·b, by the instructions that a kernel would take. Shape: a 16 × 16, b 16 × 8 or
/// transposed 8 × 16, c 16 × 8.
template <typename T, bool b_is_transposed>
void multiply(const T* a, const T* b, float* c) {
  T *own_a = dynamic_shared<T>(), *own_b = own_a + 256;
  const int lane = lane_index();
  for (int i = lane; i < 256; i += 32) own_a[i] = a[i];
  for (int i = lane; i < 128; i += 32) own_b[i] = b[i];
  __syncwarp();
  std::uint32_t a_parts[4], b_parts[4];
  load_matrices(own_a + lane % 16 * 16 + lane / 16 * 8, a_parts);
  if (b_is_transposed)
    load_matrices(own_b + lane % 8 * 16 + lane / 8 % 2 * 8, b_parts);
  else
    load_transposed(own_b + lane % 16 * 8, b_parts);
  float sums[4] = {};
  multiply_add<T>(a_parts, b_parts[0], b_parts[1], sums);
  const int row = lane / 4, column = lane % 4 * 2;
  c[row * 8 + column] = sums[0];
  c[row * 8 + column + 1] = sums[1];
  c[(row + 8) * 8 + column] = sums[2];
  c[(row + 8) * 8 + column + 1] = sums[3];
}

TEMPLATE_TEST_CASE("a warp multiplies matrices of 16 bits", "[emulator]", BFloat16, Half) {
  std::mt19937 generator(7);
  std::uniform_int_distribution<int> small(-8, 8);  // sums are exact
  Array<TestType> a(256), b(128), turned(128);
  Array<float> c(128);
  for (int i = 0; i < 256; ++i) a[i] = TestType(static_cast<float>(small(generator)));
  for (int k = 0; k < 16; ++k)
    for (int j = 0; j < 8; ++j)
      b[k * 8 + j] = turned[j * 16 + k] = TestType(static_cast<float>(small(generator)));
  for (const bool is_transposed : {false, true}) {
    run({1, 32, 384 * 2}, is_transposed ? &multiply<TestType, true> : &multiply<TestType, false>,
        a.data, is_transposed ? turned.data : b.data, c.data);
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 8; ++j) {
        float sum = 0;
        for (int k = 0; k < 16; ++k) sum += a[i * 16 + k] * b[k * 8 + j];
        CHECK(c[i * 8 + j] == sum);
      }
  }
}

void load_both_ways(const std::uint16_t* matrices, std::uint32_t* straight, std::uint32_t* turned) {
  auto* shared = dynamic_shared<std::uint16_t>();
  const int lane = lane_index();
  for (int i = lane; i < 256; i += 32) shared[i] = matrices[i];
  __syncwarp();
  std::uint32_t fragments[4];
  load_matrices(shared + lane * 8, fragments);
  for (int i = 0; i < 4; ++i) straight[i * 32 + lane] = fragments[i];
  load_transposed(shared + lane * 8, fragments);
  for (int i = 0; i < 4; ++i) turned[i * 32 + lane] = fragments[i];
}

TEST_CASE("four matrices are loaded as they lie, and transposed", "[emulator]") {
  Array<std::uint16_t> matrices(256);
  Array<std::uint32_t> straight(128), turned(128);
  for (int i = 0; i < 256; ++i) matrices[i] = static_cast<std::uint16_t>(i);
  run({1, 32, 512}, load_both_ways, matrices.data, straight.data, turned.data);
  // Laid end to end the fragments are the matrices, two numbers a register.
  for (std::uint32_t i = 0; i < 128; ++i) {
    CHECK(straight[i] == ((2 * i) | (2 * i + 1) << 16));
    const std::uint32_t matrix = i / 32 * 64, column = i % 32 / 4, row = i % 4 * 2;
    CHECK(turned[i] == ((matrix + row * 8 + column) | (matrix + (row + 1) * 8 + column) << 16));
  }
}

}  // namespace
