// SPDX-License-Identifier: Apache-2.0
#include "tests/probes/oracle/optimizer.h"

#include <cmath>

#include "probes/device/arithmetic.h"

namespace pippin::probes::oracle {

template <typename T>
double gradient_norm(std::int64_t count, const T* gradients) {
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i)
    sum += static_cast<double>(gradients[i]) * static_cast<double>(gradients[i]);
  return std::sqrt(sum);
}

template <typename T>
Optimizer<T>::Optimizer(Memory& memory, const std::vector<Parameter>& table,
                        const OptimizerSettings& settings)
    : table_(table),
      settings_(settings),
      moment1_(memory, {parameter_count(table)}),
      moment2_(memory, {parameter_count(table)}) {}

template <typename T>
void Optimizer<T>::step(const T* gradients, T factor, T* values) {
  const auto& s = settings_;
  const auto n = static_cast<double>(++steps_);
  const AdamStep<T> adam{T(s.lr),
                         T(s.beta1),
                         T(s.beta2),
                         T(s.epsilon),
                         T(1 - std::pow(s.beta1, n)),
                         T(1 - std::pow(s.beta2, n))};
  for (const auto& parameter : table_) {
    const T decay = parameter.decays() ? T(s.weight_decay) : T(0);
    const std::int64_t end = parameter.offset + parameter.size();
    for (std::int64_t i = parameter.offset; i < end; ++i)
      adam_update(adam, decay, gradients[i] * factor, values[i], moment1_[i], moment2_[i]);
  }
}

template double gradient_norm(std::int64_t, const float*);
template double gradient_norm(std::int64_t, const double*);
template class Optimizer<float>;
template class Optimizer<double>;

}  // namespace pippin::probes::oracle
