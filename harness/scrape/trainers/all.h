// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/scrape/trainers/trainer.h"

namespace pippin {

extern constinit const Trainer kColossalai;
extern constinit const Trainer kComposer;
extern constinit const Trainer kDeepspeed;
extern constinit const Trainer kEzpz;
extern constinit const Trainer kFmsFsdp;
extern constinit const Trainer kHuggingface;
extern constinit const Trainer kLightning;
extern constinit const Trainer kLingua;
extern constinit const Trainer kLitgpt;
extern constinit const Trainer kLlmC;
extern constinit const Trainer kLmEngine;
extern constinit const Trainer kMaxText;
extern constinit const Trainer kMegatronProgress;
extern constinit const Trainer kMindformers;
extern constinit const Trainer kMlPerf;
extern constinit const Trainer kModdedNanoGpt;
extern constinit const Trainer kNanochat;
extern constinit const Trainer kNanoGpt;
extern constinit const Trainer kNanotron;
extern constinit const Trainer kNemo;
extern constinit const Trainer kOlmo;
extern constinit const Trainer kOlmoCore;
extern constinit const Trainer kPicotron;
extern constinit const Trainer kTorchtitan;
extern constinit const Trainer kTorchtune;
extern constinit const Trainer kVerl;

}  // namespace pippin
