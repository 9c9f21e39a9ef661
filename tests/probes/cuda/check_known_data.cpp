// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include "probes/collective/check.h"
#include "probes/collective/cuda_space.h"
#include "probes/collective/host_space.h"
#include "probes/device/cuda/stream.h"

namespace check {

namespace {

using Bytes = std::vector<unsigned char>;

void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  cuda::require_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  cuda::require_cuda(cudaMemcpy(to, from, bytes, kind), "cudaMemcpy");
  cuda::require_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

/// What a call must give, as the processor says it.
Bytes right_results(const KnownData& data) {
  Bytes bytes(static_cast<std::size_t>(data.results() * bytes_of(data.call().element)));
  visit_element(data.call().element, [&]<typename T>(T) {
    for (std::int64_t i = 0; i < data.results(); ++i) {
      const T element = data.result<T>(i);
      std::memcpy(bytes.data() + i * std::int64_t{sizeof(T)}, &element, sizeof(T));
    }
  });
  return bytes;
}

void check_call(Results& results, CudaSpace& space, const KnownData& data) {
  const std::int64_t element = bytes_of(data.call().element);
  Bytes inputs(static_cast<std::size_t>(data.inputs() * element)), made(inputs.size());
  HostSpace().fill(data, inputs.data());
  Buffer<unsigned char> given(space.memory(), {static_cast<std::int64_t>(inputs.size())});
  space.fill(data, given.data());
  copy(made.data(), given.data(), made.size(), cudaMemcpyDeviceToHost);
  results.expect("a GPU makes the data that a processor makes", made == inputs);

  Bytes right = right_results(data);
  Buffer<unsigned char> got(space.memory(), {static_cast<std::int64_t>(right.size())});
  copy(got.data(), right.data(), right.size(), cudaMemcpyHostToDevice);
  results.expect("what is right is not counted", space.count_wrong(data, got.data()) == 0);
  right.front() ^= 1;
  right[right.size() - static_cast<std::size_t>(element)] ^= 2;
  copy(got.data(), right.data(), right.size(), cudaMemcpyHostToDevice);
  results.expect("each wrong element is counted once",
                 space.count_wrong(data, got.data()) == (data.results() > 1 ? 2 : 1));
}

}  // namespace

void check_known_data(Results& results, bool large) {
  constexpr int kRanks = 5, kRank = 3;
  const cuda::Stream stream;
  CudaSpace space(stream.get());
  for (const auto& kind : operation_kinds()) {
    results.begin(std::string("known data of ") + kind.name, "");
    for (const Element element :
         {Element::kByte, Element::kHalf, Element::kBFloat16, Element::kFloat, Element::kDouble})
      for (const std::int64_t count : {std::int64_t{1}, std::int64_t{1001},
                                       large ? std::int64_t{3} << 20 : std::int64_t{3000}}) {
        if (kind.reduces && element == Element::kByte) continue;
        const CollectiveCall call{kind.operation, count, element, Reduction::kSum, kRank, false};
        check_call(results, space, {call, Pattern(kRanks, 7, element), kRank, kRanks});
      }
  }
}

}  // namespace check
