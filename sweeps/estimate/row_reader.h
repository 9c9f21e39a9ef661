// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sweeps/estimate/megatron_given.h"
#include "sweeps/estimate/point_rows.h"
#include "sweeps/estimate/row_arguments.h"

namespace pippin {

/// Builds the setup of a row; what is not given or not known is remembered.
class RowReader {
 public:
  explicit RowReader(const PointRow& row);
  RowSetup read() &&;

 private:
  void refuse(const std::string& why) {
    if (why_.empty()) why_ = why;
  }
  void refuse_memory(const std::string& why) {
    if (why_no_memory_.empty()) why_no_memory_ = why;
  }
  void refuse_time(const std::string& why) {
    if (why_no_time_.empty()) why_no_time_ = why;
  }
  void doubt(const std::string& what) { doubt_ += (doubt_.empty() ? "" : "; ") + what; }
  bool is_named(std::string_view part) const { return row_.says("model", part); }
  bool is_core() const { return setup_.framework == Framework::kMegatronCore; }
  bool is_megatron() const {
    return is_core() || setup_.framework == Framework::kMegatron2023 ||
           setup_.framework == Framework::kMegatron2;
  }
  /// One of those whose speed NVIDIA publishes: they reduce gradients in 16 bits, and overlap
  /// messages with products.
  bool is_recipe() const {
    return is_core() &&
           (row_.says("framework", "NeMo") || row_.says("framework", "Megatron-Bridge"));
  }

  // In row_setup.cpp: what cannot be judged
  void check_parts();
  void refuse_what_is_unknown();
  void refuse_what_is_misspelt(const NamedValues& arguments);

  // In row_model.cpp
  void shape();
  void usual_model_of_framework();
  void vocabulary();

  // In row_layout.cpp
  std::int64_t gpus();
  void layout();
  void batch();
  void expert_tp();
  bool experts_divide(std::int64_t expert_tp) const;
  void check_batch();
  std::int64_t micro_batch() const;
  void uneven_stages();

  // In row_training.cpp
  std::optional<Framework> named_framework() const;  ///< none where its name is not known
  void framework();
  void fsdp();
  std::string recomputation_words() const;
  void recomputation();
  void attention();
  void newer_choices();

  const PointRow& row_;
  RowArguments arguments_;
  MegatronGiven given_;  ///< the same, but for those that are off
  Setup setup_;
  std::string why_, why_no_memory_, why_no_time_, doubt_;
  bool any_micro_batch_ = false;
};

}  // namespace pippin
