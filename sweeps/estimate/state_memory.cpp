// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/state_memory.h"

#include <algorithm>
#include <fmt/format.h>

namespace pippin {

namespace {

/// Bytes of one parameter, each over so many ranks.
struct Bytes {
  double weights, gradients, optimizer;
  double weight_ranks = 1, gradient_ranks = 1, optimizer_ranks = 1;
};

/// Of gradients in 16 bits the optimizer makes fp32 copies, too. Where they are summed in fp32 it
/// takes them as they are.
Bytes of_megatron(const Setup& setup) {
  constexpr double kCopy = 4;
  Bytes bytes{2, setup.gradient_bytes(), setup.wide_weight_bytes + setup.moment_bytes};
  if (setup.copies_gradients()) bytes.optimizer += kCopy;
  if (setup.type == NumberType::kFp32) bytes = {4, 4, 8};
  bytes.optimizer *= 1 - setup.offloaded;
  const double ranks = number(setup.shards());
  if (setup.zero >= 1) bytes.optimizer_ranks = ranks;
  if (setup.zero >= 2) bytes.gradient_ranks = ranks;
  if (setup.zero >= 3) bytes.weight_ranks = ranks;
  return bytes;
}

/// What Adam keeps of a matrix and Muon does not: the second moment.
double spared_bytes(const Setup& setup) { return setup.muon ? setup.moment_bytes / 2 : 0; }

Bytes of_megatron_deepspeed(const Setup& setup) {
  const double moments = setup.moment_bytes, ranks = setup.zero > 0 ? number(setup.dp) : 1;
  if (setup.type == NumberType::kFp16) return {2, 3, 8 + moments, 1, 1, ranks};
  return {2, setup.later_deepspeed ? 6.0 : 8.0, 4 + moments, 1, 1, ranks};
}

Bytes of_zero(const Setup& setup) {
  const double ranks = number(setup.dp * setup.cp), optimizer = setup.offloads_optimizer ? 0 : 12;
  if (setup.zero == 3) return {2, 0, optimizer, ranks, 1, ranks};
  if (setup.zero == 2) return {2, 0, optimizer, 1, 1, ranks};
  return {2, 4, optimizer, 1, 1, setup.zero == 1 ? ranks : 1};
}

Bytes bytes_of_one(const Setup& setup) {
  const double ranks = number(setup.dp * setup.cp);
  switch (setup.framework) {
    case Framework::kDeepSpeedPipeline:
      return {2, 0, 12, 1, 1, setup.zero > 0 ? number(setup.shards()) : 1};
    case Framework::kMegatronDeepSpeed:
      return of_megatron_deepspeed(setup);
    case Framework::kDeepSpeedZero:
      return of_zero(setup);
    case Framework::kFsdp:
      return {4,
              4,
              8,
              setup.zero == 3 ? ranks : 1,
              setup.zero >= 2 ? ranks : 1,
              setup.zero >= 1 ? ranks : 1};
    case Framework::kProbe:
    case Framework::kMegatron2:
    case Framework::kMegatron2023:
    case Framework::kMegatronCore:
      break;
  }
  return of_megatron(setup);
}

}  // namespace

StateMemory state_memory(const Setup& setup, const Parameters& own) {
  const Bytes one = bytes_of_one(setup);
  const double all = number(own.all()), experts = number(own.experts);
  const double products = number(own.products), routed = std::min(experts, products);
  // Fewer ranks hold the same experts than the same of the rest.
  const auto spread = [&](double bytes, double of_experts, double ranks) {
    if (experts == 0) return bytes / ranks;
    const bool is_spread = setup.framework == Framework::kMegatronCore && ranks > 1;
    const double holders = is_spread ? number(setup.expert_shards()) : ranks;
    return (bytes - of_experts) / ranks + of_experts / holders;
  };
  const double more = setup.layer_weight_bytes() - bytes_of(setup.type);
  const double less = spared_bytes(setup);
  StateMemory memory;
  memory.weights = spread(one.weights * all + more * products,
                          one.weights * experts + more * routed, one.weight_ranks);
  memory.gradients = spread(one.gradients * all, one.gradients * experts, one.gradient_ranks);
  memory.optimizer = spread(one.optimizer * all - less * products,
                            one.optimizer * experts - less * routed, one.optimizer_ranks);
  return memory;
}

namespace {

/// The share of a model's parameters that are in layers' products.
double product_share(const Setup& setup) {
  Setup whole = setup;
  whole.tp = whole.pp = whole.cp = whole.ep = whole.expert_tp = whole.chunks = 1;
  whole.first_layers = whole.last_layers = 0;
  whole.layers_before = nullptr;
  whole.mtp_ahead = 0;
  const Parameters all = stage_parameters(whole, 0);
  return number(all.products) / number(all.all());
}

}  // namespace

double checkpoint_bytes(const Setup& setup) {
  constexpr double kWide = 4;
  const double spared = setup.muon ? spared_bytes(setup) * product_share(setup) : 0;
  const double moments = (setup.takes_narrow ? 2 * kWide : setup.moment_bytes) - spared;
  if (setup.type == NumberType::kFp32) return kWide + moments;
  return bytes_of(setup.type) + (setup.keeps_remainders ? kWide / 2 : kWide) + moments;
}

namespace {

/// Where products within layers are in 8 bits.
std::string words_on_narrow_weights(const Setup& setup) {
  constexpr double kBetweenOneAndTwo = 1.5;
  const double all = setup.layer_weight_bytes();
  const double wide = setup.fp8_weights ? 0 : bytes_of(setup.type);
  const bool has_two = all - wide > kBetweenOneAndTwo;
  const std::string_view one = setup.fp8_weights ? "" : "a copy ";
  return fmt::format(" ({:.4g} in layers, {}{}in 8 bits)", all, setup.fp8_weights ? "" : "with ",
                     has_two ? "two copies " : one);
}

}  // namespace

std::string state_words(const Setup& setup) {
  const Bytes one = bytes_of_one(setup);
  const auto part = [](double bytes, double ranks) {
    return ranks > 1 ? fmt::format("{} / {} ranks", bytes, ranks) : fmt::format("{}", bytes);
  };
  const std::string of_muon =
      setup.muon ? fmt::format(" ({} in layers)", one.optimizer - spared_bytes(setup)) : "";
  const std::string of_layers = setup.fp8 == Fp8::kNone ? "" : words_on_narrow_weights(setup);
  std::string words = fmt::format(
      "weights {}{}, gradients {}, optimizer {}{}", part(one.weights, one.weight_ranks), of_layers,
      part(one.gradients, one.gradient_ranks), part(one.optimizer, one.optimizer_ranks), of_muon);
  if (setup.shape.experts > 0 && setup.zero == 1)
    words +=
        ", of experts " + part(one.optimizer - spared_bytes(setup), number(setup.expert_shards()));
  else if (setup.shape.experts > 0 && setup.fsdp && setup.zero > 1)
    words += fmt::format(", of experts over {} ranks", setup.expert_shards());
  return words;
}

}  // namespace pippin
