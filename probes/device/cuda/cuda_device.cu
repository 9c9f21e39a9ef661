// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "probes/device/cuda/attention.h"
#include "probes/device/cuda/cuda_device.h"
#include "probes/device/cuda/cuda_error.h"
#include "probes/device/cuda/elementwise.h"
#include "probes/device/cuda/norms_backward.h"
#include "probes/device/cuda/optimizer.h"
#include "probes/device/cuda/rotary.h"

namespace pippin::probes {

using namespace cuda;

template <typename T>
CudaDevice<T>::CudaDevice(cudaStream_t stream, Products<T>& products, Memory& memory)
    : stream_(stream), products_(products), memory_(memory) {}

template <typename T>
void CudaDevice<T>::prepare(const DeviceNeeds& needs) {
  products_.prepare(stream_, memory_);
  count_multiprocessors();
  scratch_ =
      Buffer<W>(memory_, {std::max({norm_backward_room(needs.rows, needs.width, multiprocessors_),
                                    2 * needs.width, attention_scratch(needs.attention)})});
  squares_ = Buffer<double>(memory_, {kSquareBlocks});
  adam_ = Buffer<AdamFactors>(memory_, {1});
  if (needs.rotates) learn_turns(needs.attention);
}

template <typename T>
void CudaDevice<T>::count_multiprocessors() {
  int gpu = 0;
  require_cuda(cudaGetDevice(&gpu), "cudaGetDevice");
  require_cuda(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, gpu),
               "number of multiprocessors");
}

template <typename T>
void CudaDevice<T>::give_back() {
  products_.give_back();
  scratch_ = {};
  squares_ = {};
  adam_ = {};
  turns_ = {};
}

template <typename T>
void CudaDevice<T>::to_device(std::int64_t bytes, const void* host, void* device) {
  if (!memory_.is_usable()) return;
  knows_adam_ = false;  // it may be the state
  // From memory that is not pinned the bytes have been staged when the call returns, so `host` may
  // change (CUDA Runtime API, "API synchronization behavior"); and up to 64 KiB the call does not
  // wait for what is in the stream (CUDA C++ Programming Guide, "Concurrent Execution between Host
  // and Device").
  constexpr std::int64_t kPiece = 64 * 1024;
  for (std::int64_t i = 0; i < bytes; i += kPiece)
    require_cuda(cudaMemcpyAsync(static_cast<char*>(device) + i, static_cast<const char*>(host) + i,
                                 static_cast<std::size_t>(std::min(kPiece, bytes - i)),
                                 cudaMemcpyHostToDevice, stream_),
                 "copy to the GPU");
}

template <typename T>
void CudaDevice<T>::to_host(std::int64_t bytes, const void* device, void* host) {
  require_cuda(cudaMemcpyAsync(host, device, static_cast<std::size_t>(bytes),
                               cudaMemcpyDeviceToHost, stream_),
               "copy from the GPU");
  require_cuda(cudaStreamSynchronize(stream_), "waiting for the GPU");
}

template <typename T>
void CudaDevice<T>::clear(std::int64_t bytes, void* device) {
  if (!memory_.is_usable()) return;
  require_cuda(cudaMemsetAsync(device, 0, static_cast<std::size_t>(bytes), stream_), "clear");
}

template <typename T>
void CudaDevice<T>::draw(const Drawing& drawing, std::int64_t count, T* x) {
  sweep_elements<kLanes<T>>(stream_, "draw", count, Draw<T>{drawing, x}, x);
}

template <typename T>
void CudaDevice<T>::widen(std::int64_t count, const T* x, W* y) {
  sweep_elements<kLanes<T>>(stream_, "widen", count, Widen<T>{x, y}, x, y);
}

template <typename T>
void CudaDevice<T>::linear(std::int64_t rows, std::int64_t in, std::int64_t out, const T* x,
                           const T* w, const T* bias, T* y) {
  if (products_.linear({rows, in, out}, x, w, bias, y)) return;
  products_.linear({rows, in, out}, x, w, nullptr, y);
  sweep_rows<kLanes<T>>(stream_, "bias", rows, out, AddRows<T>{out, nullptr, bias, y}, bias, y);
}

template <typename T>
void CudaDevice<T>::linear_gelu(std::int64_t rows, std::int64_t in, std::int64_t out, const T* x,
                                const T* w, const T* bias, T* before, T* y) {
  if (products_.linear_gelu({rows, in, out}, x, w, bias, before, y)) return;
  linear(rows, in, out, x, w, bias, before);
  sweep_elements<kLanes<T>>(stream_, "gelu", rows * out, Gelu<T>{before, y}, before, y);
}

template <typename T>
void CudaDevice<T>::linear_swiglu(std::int64_t rows, std::int64_t in, std::int64_t width,
                                  const T* x, const T* w, T* before, T* y) {
  linear(rows, in, 2 * width, x, w, nullptr, before);
  sweep_rows<kLanes<T>>(stream_, "swiglu", rows, width, Swiglu<T>{width, before, y}, before, y);
}

template <typename T>
void CudaDevice<T>::linear_to_input(std::int64_t rows, std::int64_t in, std::int64_t out,
                                    const T* dy, const T* w, T* dx) {
  products_.to_input({rows, in, out}, dy, w, dx);
}

template <typename T>
void CudaDevice<T>::linear_to_gelu(std::int64_t rows, std::int64_t in, std::int64_t out,
                                   const T* dy, const T* w, const T* before, T* dbefore) {
  if (products_.to_gelu({rows, in, out}, dy, w, before, dbefore)) return;
  products_.to_input({rows, in, out}, dy, w, dbefore);
  sweep_elements<kLanes<T>>(stream_, "gelu_backward", rows * in, GeluBackward<T>{before, dbefore},
                            before, dbefore);
}

template <typename T>
void CudaDevice<T>::linear_to_weight(std::int64_t rows, std::int64_t in, std::int64_t out,
                                     const T* x, const T* dy, W* dw, W* dbias) {
  products_.to_weight({rows, in, out}, x, dy, dw);
  if (dbias) add_rows(rows, out, dy, dbias);
}

template <typename T>
void CudaDevice<T>::add_rows(std::int64_t rows, std::int64_t width, const T* x, W* sums) {
  start_add_rows(stream_, rows, width, x, sums, scratch_.data(), scratch_.size());
}

template <typename T>
void CudaDevice<T>::swiglu_backward(std::int64_t rows, std::int64_t width, const T* x, const T* dy,
                                    T* dx) {
  sweep_rows<kLanes<T>>(stream_, "swiglu_backward", rows, width,
                        SwigluBackward<T>{width, x, dy, dx}, x, dy, dx);
}

template <typename T>
void CudaDevice<T>::add_residual(std::int64_t rows, std::int64_t width, const T* x, const T* bias,
                                 T* y) {
  const AddRows<T> work{width, x, bias, y};
  if (bias)
    sweep_rows<kLanes<T>>(stream_, "add_residual", rows, width, work, x, bias, y);
  else
    sweep_elements<kLanes<T>>(stream_, "add_residual", rows * width, work, x, y);
}

template <typename T>
void CudaDevice<T>::norm(std::int64_t rows, std::int64_t width, const T* x, const T* gain,
                         const T* bias, NormState<T> state, T* y) {
  if (bias)
    start_norm<T, true>(stream_, rows, width, x, gain, bias, state, y);
  else
    start_norm<T, false>(stream_, rows, width, x, gain, bias, state, y);
}

template <typename T>
void CudaDevice<T>::norm_backward(std::int64_t rows, std::int64_t width, const T* x, const T* gain,
                                  NormState<T> state, const T* dy, T* dx, W* dgain, W* dbias) {
  W* scratch = scratch_.data();
  if (dbias)
    start_norm_backward<T, true>(stream_, rows, width, x, gain, state, dy, dx, dgain, dbias,
                                 multiprocessors_, scratch, scratch_.size());
  else
    start_norm_backward<T, false>(stream_, rows, width, x, gain, state, dy, dx, dgain, dbias,
                                  multiprocessors_, scratch, scratch_.size());
}

template <typename T>
void CudaDevice<T>::learn_turns(const AttentionShape& s) {
  const std::vector<W> table = rotary_table(s);
  turns_ = Buffer<W>(memory_, {static_cast<std::int64_t>(table.size())});
  to_device(static_cast<std::int64_t>(table.size() * sizeof(W)), table.data(), turns_.data());
}

template <typename T>
void CudaDevice<T>::rotate(const AttentionShape& shape, int turns, T* qkv) {
  start_rotate(stream_, shape, turns, turns_.data(), qkv);
}

template <typename T>
std::int64_t CudaDevice<T>::attention_kept(const AttentionShape& shape) const {
  return cuda::attention_kept(shape);
}

template <typename T>
void CudaDevice<T>::attention(const AttentionShape& shape, const T* qkv, W* kept, T* context) {
  start_attention(stream_, shape, qkv, kept, context);
}

template <typename T>
void CudaDevice<T>::attention_backward(const AttentionShape& shape, const T* qkv, const W* kept,
                                       const T* context, const T* dcontext, T* dqkv) {
  start_attention_backward(stream_, shape, qkv, kept, context, dcontext, scratch_.data(), dqkv);
}

template class CudaDevice<BFloat16>;
template class CudaDevice<Half>;
template class CudaDevice<float>;

}  // namespace pippin::probes
