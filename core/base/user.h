// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace pippin {

/// The user that this process belongs to: the name, or the number of one without a name.
std::string own_user();

/// The permissions that a new file of this process does not get: its umask.
unsigned own_umask();

}  // namespace pippin
