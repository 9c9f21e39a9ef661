// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/records/sweep.h"
#include "sweeps/probe_answers.h"

namespace pippin::test {

/// Loads `text` as the file sweep.yaml of a directory of its own.
Sweep sweep_of(const std::string& text, const AskProbe& ask = {});

/// The message of the Error that `text` leads to, from its "sweep.yaml:LINE: …" on; a text that
/// begins with "no error" where there is none, and "exit N: …" where it is not bad input.
std::string error_of(const std::string& text, const AskProbe& ask = {});

}  // namespace pippin::test
