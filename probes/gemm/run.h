// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "probes/comm/nodes.h"
#include "probes/comm/session.h"
#include "probes/common/json_log.h"
#include "probes/device/device.h"
#include "probes/gemm/settings.h"

namespace pippin::probes {

/// Makes the settings' products on every rank's device and prints what they reached. Every rank of
/// `world` must call it. `clock`: the device's. `library`: what the products are made by.
template <typename T>
void run_products(Communicator& world, const Nodes& nodes, const GemmSettings& settings,
                  Device<T>& device, Clock& clock, const std::string& library, TwoLogs& logs);

/// On this machine's processor.
void run_products_on_processor(Communicator& world, const GemmSettings& settings, TwoLogs& logs);

/// On the GPU of this rank's local number. Errors: Error (no device) where there is none, and in a
/// program that was built without CUDA.
void run_products_on_gpu(Communicator& world, const GemmSettings& settings, TwoLogs& logs);

}  // namespace pippin::probes
