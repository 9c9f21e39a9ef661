// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "check.h"

namespace check {

namespace {

template <typename T>
void check_squares(Rig<T>& rig) {
  rig.begin("add_squares");
  for (const std::int64_t count : {1, 3, 8, 1001, 70003, rig.large ? 10000019 : 300001})
    for (const int shift : {0, 1, 3}) {
      const Numbers x = rig.template draw<float>(count);
      Array<float> array(x, shift);
      Array<double> squares(Numbers{2}, 0);
      double sum = 2;
      for (const double value : x) sum += value * value;
      rig.device.add_squares(count, array.data(), squares.data());
      rig.results.compare(std::to_string(count), squares.numbers(), {sum}, {1e-12, 0});
    }
}

/// A StepState on the device.
template <typename T>
class State {
 public:
  State(Rig<T>& rig, const StepState& state) : rig_(rig) {
    rig.device.to_device(sizeof state, &state, get());
  }
  StepState* get() { return reinterpret_cast<StepState*>(bytes_.data()); }
  StepState read() {
    StepState state;
    rig_.device.to_host(sizeof state, get(), &state);
    return state;
  }

 private:
  Rig<T>& rig_;
  Array<unsigned char> bytes_{sizeof(StepState)};
};

template <typename T>
void check_scale(Rig<T>& rig) {
  rig.begin("begin_iteration, begin_step");
  LossScaling scaling;
  scaling.initial = 1024;
  scaling.window = 2;
  scaling.hysteresis = 1;
  State<T> state(rig, first_state(scaling));
  const auto step = [&](double gradient) {
    Array<float> array(Numbers{gradient, 2}, 0);
    rig.device.begin_iteration(state.get());
    rig.device.add_squares(2, array.data(), &state.get()->squares);
    rig.device.begin_step(scaling, state.get());
    return state.read();
  };
  rig.results.expect("one step", step(1).steps == 1);
  const StepState doubled = step(1);
  rig.results.expect("the scale doubles after the window",
                     doubled.loss_scale == 1024 && doubled.next_scale == 2048);
  const StepState halved = step(INFINITY);
  rig.results.expect("an overflow is no step", halved.steps == 2);
  rig.results.expect("an overflow halves the scale",
                     halved.loss_scale == 2048 && halved.next_scale == 1024);
  const StepState none = step(std::nan(""));
  rig.results.expect("no number is no step, and halves", none.steps == 2 && none.next_scale == 512);
  rig.results.expect("squares are forgotten", step(1).squares == 5);
}

/// Parameters with their gradients, on the device and in double.
template <typename T>
struct Parameters {
  // Each begins elsewhere, as pieces of flat arrays do.
  Parameters(Rig<T>& rig, std::int64_t count, int shift, int shift_of_values)
      : gradients(rig.template draw<float>(count)),
        masters(rig.template draw<float>(count)),
        moments1(rig.template draw<float>(count)),
        moments2(rig.template draw<float>(count)),
        count_(count) {
    for (double& x : moments2) x = x * x + 0.01;
    moments2 = rounded<float>(moments2);
    gradient_array = std::make_unique<Array<float>>(gradients, shift);
    master_array = std::make_unique<Array<float>>(masters, shift);
    moment1_array = std::make_unique<Array<float>>(moments1, shift);
    moment2_array = std::make_unique<Array<float>>(moments2, shift);
    value_array = std::make_unique<Array<T>>(Numbers(masters.size(), 0), shift_of_values);
  }
  void adam(Rig<T>& rig, const OptimizerSettings& settings, const StepState* state, bool decays) {
    T* values = value_array->data();
    if constexpr (std::is_same_v<T, float>) values = master_array->data();
    rig.device.adam(settings, state, count_, decays, gradient_array->data(), master_array->data(),
                    moment1_array->data(), moment2_array->data(), values);
  }
  void move(const OptimizerSettings& s, const StepState& state, bool decays) {
    const double factor = gradient_factor(state, s.clip_grad);
    const AdamStep<double> step{s.lr,
                                s.beta1,
                                s.beta2,
                                s.epsilon,
                                1 - std::pow(s.beta1, state.steps),
                                1 - std::pow(s.beta2, state.steps)};
    for (std::size_t i = 0; i < masters.size(); ++i)
      adam_update(step, decays ? s.weight_decay : 0, gradients[i] * factor, masters[i], moments1[i],
                  moments2[i]);
  }
  void compare(Rig<T>& rig, const std::string& what) {
    rig.results.compare(what + " masters", master_array->numbers(), masters, {2e-6, 2e-6});
    rig.results.compare(what + " moments", moment1_array->numbers(), moments1, {1e-6, 1e-7});
    rig.results.compare(what + " squares", moment2_array->numbers(), moments2, {1e-6, 1e-9});
  }
  Numbers gradients, masters, moments1, moments2;
  std::unique_ptr<Array<float>> gradient_array, master_array, moment1_array, moment2_array;
  std::unique_ptr<Array<T>> value_array;

 private:
  std::int64_t count_;
};

template <typename T>
void check_adam(Rig<T>& rig) {
  rig.begin("adam");
  OptimizerSettings settings;
  settings.lr = 0.01;
  LossScaling scaling;
  for (const std::int64_t count : {1, 5, 1000, 4099, rig.large ? 4000037 : 70001})
    for (const int shift : {0, 1, 2})
      for (const bool decays : {false, true}) {
        Parameters<T> p(rig, count, shift, count % 2 == 0 ? shift : 4 * shift);
        StepState host = first_state(scaling);
        host.squares = 1e4;
        host.loss_scale = 16;
        host.steps = 6;  // the seventh
        State<T> state(rig, host);
        rig.device.begin_step(scaling, state.get());
        p.adam(rig, settings, state.get(), decays);
        p.move(settings, state.read(), decays);
        const std::string what = std::to_string(count) + " from " + std::to_string(shift);
        p.compare(rig, what);
        if (!std::is_same_v<T, float>)
          rig.results.compare(what + " values", p.value_array->numbers(),
                              rounded<T>(p.master_array->numbers()), {0, 0});
      }
  // Another step, which overflowed.
  Parameters<T> p(rig, 1000, 0, 0);
  StepState host = first_state(scaling);
  host.squares = INFINITY;
  State<T> state(rig, host);
  rig.device.begin_step(scaling, state.get());
  p.adam(rig, settings, state.get(), true);
  p.compare(rig, "nothing moves after an overflow:");
}

}  // namespace

template <typename T>
void check_optimizer(Rig<T>& rig) {
  check_squares(rig);
  check_scale(rig);
  check_adam(rig);
}

template void check_optimizer(Rig<BFloat16>&);
template void check_optimizer(Rig<Half>&);
template void check_optimizer(Rig<float>&);

}  // namespace check
