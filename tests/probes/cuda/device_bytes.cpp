// SPDX-License-Identifier: Apache-2.0
#include "device_bytes.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace check {

namespace {

constexpr unsigned char kPoison = 0xFF;

template <typename T>
Bytes encoded_as(const Values& values) {
  Bytes bytes(values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T element = static_cast<T>(static_cast<float>(values[i]));
    std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
  }
  return bytes;
}

}  // namespace

Bytes encoded(const Values& values, Element element) {
  switch (element) {
    case Element::kByte:
      return encoded_as<unsigned char>(values);
    case Element::kHalf:
      return encoded_as<Half>(values);
    case Element::kBFloat16:
      return encoded_as<BFloat16>(values);
    case Element::kFloat:
      return encoded_as<float>(values);
    case Element::kDouble:
      return encoded_as<double>(values);
  }
  return {};
}

Block::Block(std::int64_t bytes, cudaStream_t stream)
    : bytes_(static_cast<std::size_t>(bytes + kBehind)), stream_(stream) {
  cuda::require_cuda(cudaMalloc(&data_, bytes_), "cudaMalloc");
  cuda::require_cuda(cudaMemsetAsync(data_, kPoison, bytes_, stream), "poison");
}

void Block::put(const Bytes& bytes, std::int64_t offset) {
  cuda::require_cuda(
      cudaMemcpyAsync(at(offset), bytes.data(), bytes.size(), cudaMemcpyHostToDevice, stream_),
      "copy to the GPU");
}

Bytes Block::all() const {
  Bytes bytes(bytes_);
  cuda::require_cuda(cudaMemcpyAsync(bytes.data(), data_, bytes_, cudaMemcpyDeviceToHost, stream_),
                     "copy from the GPU");
  cuda::require_cuda(cudaStreamSynchronize(stream_), "waiting for the GPU");
  return bytes;
}

void Tally::expect(const std::string& name, const Block& block, std::int64_t size,
                   const Bytes& bytes, std::int64_t offset) {
  const Bytes all = block.all();
  const bool equal = std::equal(bytes.begin(), bytes.end(), all.begin() + offset);
  const bool clean = std::all_of(all.begin() + size, all.end(),
                                 [](unsigned char byte) { return byte == kPoison; });
  (equal && clean ? passed : failed) += 1;
  if (equal && clean) return;
  std::printf("FAIL rank %d: %s%s\n", rank, name.c_str(), clean ? "" : ": written behind its end");
  std::fflush(stdout);
}

}  // namespace check
