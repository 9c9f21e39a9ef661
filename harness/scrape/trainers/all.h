// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/scrape/trainers/trainer.h"

namespace pippin {

extern constinit const TrainerFormat kColossalai;
extern constinit const TrainerFormat kComposer;
extern constinit const TrainerFormat kDeepspeed;
extern constinit const TrainerFormat kEzpz;
extern constinit const TrainerFormat kFmsFsdp;
extern constinit const TrainerFormat kHuggingface;
extern constinit const TrainerFormat kLightning;
extern constinit const TrainerFormat kLingua;
extern constinit const TrainerFormat kLitgpt;
extern constinit const TrainerFormat kLlmC;
extern constinit const TrainerFormat kLmEngine;
extern constinit const TrainerFormat kMaxText;
extern constinit const TrainerFormat kMegatronProgress;
extern constinit const TrainerFormat kMindformers;
extern constinit const TrainerFormat kMlPerf;
extern constinit const TrainerFormat kModdedNanoGpt;
extern constinit const TrainerFormat kNanochat;
extern constinit const TrainerFormat kNanoGpt;
extern constinit const TrainerFormat kNanotron;
extern constinit const TrainerFormat kNemo;
extern constinit const TrainerFormat kOlmo;
extern constinit const TrainerFormat kOlmoCore;
extern constinit const TrainerFormat kPicotron;
extern constinit const TrainerFormat kTorchtitan;
extern constinit const TrainerFormat kTorchtune;
extern constinit const TrainerFormat kVerl;

}  // namespace pippin
