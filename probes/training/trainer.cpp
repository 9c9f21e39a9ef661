// SPDX-License-Identifier: Apache-2.0
#include "probes/training/trainer.h"

#include <algorithm>

namespace pippin::probes {

template <typename T>
Trainer<T>::Trainer(Device<T>& device, const Setup& setup, const OptimizerSettings& optimizer,
                    const LossScaling& scaling, Groups& groups)
    : setup_(setup),
      device_(device),
      groups_(groups),
      table_(shard_table(setup, groups.place)),
      values_(device.memory(), {table_.size}),
      gradients_(device.memory(), {table_.size}),
      state_(device.memory(), {1}),
      stage_(device, setup, table_, groups, values_.data(), gradients_.data(), state_.data()),
      update_(device, table_, setup, optimizer, scaling, groups, values_.data(), gradients_.data(),
              state_.data()),
      language_(setup),
      tokens_(static_cast<std::size_t>(setup.mbs * setup.seq)),
      targets_(tokens_.size()) {}

template <typename T>
void Trainer<T>::begin() {
  for (const auto& shard : table_.shards)
    device_.draw(drawing_of(shard, setup_, groups_.place), shard.size(),
                 values_.data() + shard.offset);
  update_.begin();
}

template <typename T>
StepResult Trainer<T>::step(std::int64_t iteration) {
  {
    const During during(groups_.profile, Activity::kOptimizer);
    device_.clear(table_.size * std::int64_t{sizeof(Wide<T>)}, gradients_.data());
    device_.begin_iteration(state_.data());
  }
  const std::int64_t gas = setup_.gas;
  const std::int64_t warmup = std::min(setup_.pp - groups_.place.pp - 1, gas);
  for (std::int64_t m = 0; m < warmup; ++m) {
    receive_forward(m);
    forward(iteration, m);
    send_forward();
  }
  if (warmup < gas) receive_forward(warmup);
  for (std::int64_t m = 0; m < gas - warmup; ++m) {
    forward(iteration, warmup + m);
    send_forward_receive_backward();
    backward(m);
    if (warmup + m + 1 < gas)
      send_backward_receive_forward(warmup + m + 1);
    else
      send_backward();
  }
  for (std::int64_t m = gas - warmup; m < gas; ++m) {
    receive_backward();
    backward(m);
    send_backward();
  }
  const During during(groups_.profile, Activity::kOptimizer);
  update_.finish();
  StepResult result;
  result.outcome = update_.step();
  if (stage_.last() && groups_.place.tp == 0)
    result.loss_share = stage_.take_loss() / static_cast<double>(setup_.gbs() * setup_.seq);
  return result;
}

template <typename T>
void Trainer<T>::forward(std::int64_t iteration, std::int64_t micro_batch) {
  if (stage_.first() || stage_.last()) {
    const During during(groups_.profile, Activity::kBatch);
    // Data-parallel ranks take turns, a micro-batch each, as Megatron's sampler deals them.
    const std::int64_t sample = (micro_batch * setup_.dp + groups_.place.dp) * setup_.mbs;
    for (std::int64_t i = 0; i < setup_.mbs; ++i)
      language_.read(iteration, sample + i, tokens_.data() + i * setup_.seq,
                     targets_.data() + i * setup_.seq);
    stage_.set_tokens(slot_of(micro_batch), tokens_.data(), targets_.data());
  }
  stage_.forward(slot_of(micro_batch),
                 Wide<T>(1.0 / static_cast<double>(setup_.gbs() * setup_.seq)));
}

template <typename T>
void Trainer<T>::backward(std::int64_t micro_batch) {
  const bool complete = micro_batch == setup_.gas - 1;
  stage_.backward(slot_of(micro_batch), [&](std::int64_t offset) {
    if (!complete) return;
    update_.complete_from(offset);
    update_.poll();
  });
}

template <typename T>
Channel::Started Trainer<T>::start_send(bool forward) {
  if (forward ? stage_.last() : stage_.first()) return {};
  const int stage = groups_.pp.rank();
  return groups_.pp.template start_send<T>(stage_.flow_size(),
                                           forward ? stage_.output() : stage_.flow(),
                                           forward ? stage + 1 : stage - 1);
}

template <typename T>
Channel::Started Trainer<T>::start_receive_forward(std::int64_t micro_batch) {
  if (stage_.first()) return {};
  return groups_.pp.template start_receive<T>(
      stage_.flow_size(), stage_.input(slot_of(micro_batch)), groups_.pp.rank() - 1);
}

template <typename T>
Channel::Started Trainer<T>::start_receive_backward() {
  if (stage_.last()) return {};
  return groups_.pp.template start_receive<T>(stage_.flow_size(), stage_.flow(),
                                              groups_.pp.rank() + 1);
}

template <typename T>
void Trainer<T>::receive_forward(std::int64_t micro_batch) {
  auto received = start_receive_forward(micro_batch);
  groups_.pp.wait(received);
}

template <typename T>
void Trainer<T>::send_forward() {
  auto sent = start_send(true);
  groups_.pp.wait(sent);
}

template <typename T>
void Trainer<T>::receive_backward() {
  auto received = start_receive_backward();
  groups_.pp.wait(received);
}

template <typename T>
void Trainer<T>::send_backward() {
  auto sent = start_send(false);
  groups_.pp.wait(sent);
}

template <typename T>
void Trainer<T>::send_forward_receive_backward() {
  auto received = start_receive_backward();
  auto sent = start_send(true);
  groups_.pp.wait(sent);
  groups_.pp.wait(received);
}

template <typename T>
void Trainer<T>::send_backward_receive_forward(std::int64_t micro_batch) {
  auto received = start_receive_forward(micro_batch);
  auto sent = start_send(false);
  groups_.pp.wait(sent);
  groups_.pp.wait(received);
}

template class Trainer<Half>;
template class Trainer<BFloat16>;
template class Trainer<float>;
template class Trainer<double>;

}  // namespace pippin::probes
