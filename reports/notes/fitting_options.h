// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/notes/row_facts.h"

namespace pippin {

/// Usual values of what TFLOPS follow from and nothing says, by which the figures that a table
/// states come out: "--set seq=1024 --set formula=params --set recompute=full in 5 of 5 rows". A
/// hint for a person, never a ground to compute. Empty where none fits most rows better than all
/// others, or there are not two rows to tell.
std::string fitting_options(const TableFacts& facts, const MarkdownTable& table);

}  // namespace pippin
