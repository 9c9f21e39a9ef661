#pragma once

#include <string>

#include "core/records/value.h"

namespace pippin::db {

/// {"num zeros":0,"TFLOPs":149.02}, as SQLite's json functions read it.
std::string json_of(const NamedValues& values);

}  // namespace pippin::db
