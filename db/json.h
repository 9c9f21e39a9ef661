// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/records/value.h"

namespace pippin::db {

/// 0, 149.02 or "nan", as SQLite's json functions read it: the number, or else the printable text.
std::string json_of(const Value& value);

/// [["num_layers","64"],["seq_length","2048"]]: the names and the texts.
std::string json_pairs_of(const NamedValues& values);

/// Reads that back; empty of an empty text.
NamedValues pairs_in(const std::string& json);

/// The texts of ["a",null]; what is null is left out.
std::vector<std::string> texts_in(const std::string& json);

/// The values of {"num zeros":0,"lm loss":"nan"}.
NamedValues values_in(const std::string& json);

}  // namespace pippin::db
