// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/records/value.h"

namespace pippin {

/// Whether a program, "pretrain_t5.py", trains something else than GPT.
bool is_other_model(std::string_view program);

/// Whether an argument that is given changes memory in a way that no estimate knows.
bool is_unknown_to_memory(std::string_view name, const Value& value);

/// Whether one changes what is computed, or how fast, in such a way.
bool is_unknown_to_time(std::string_view name, const Value& value);

/// Whether one says how far tokens see: attention keeps the same tensors then, in less time.
bool is_window(std::string_view name);

/// Whether one says how ranks of CP talk, which is nothing where there is one.
bool is_of_context(std::string_view name);

}  // namespace pippin
