// SPDX-License-Identifier: Apache-2.0
#include "reports/presets.h"

#include "core/base/error.h"
#include "core/base/text.h"

namespace pippin {

const std::vector<Preset>& presets() {
  static const std::vector<Preset> kPresets{
      {"max-model-size", "GPUs,Size,DP,PP,PP Chunks,Mic-BS,Glob-BS,*,Speed,TFlops:1",
       "how large a model fits"},
      {"performance", "GPUs,Size,DP,PP,PP Chunks,Mic-BS,Glob-BS,*,Speed,TFlops:1,Notes",
       "Megatron-LM in two dimensions"},
      {"3d", "GPUs,Size,?DS,GPU M:0,DP,PP,GAS,MBS,GBS,*,Speed,TFlops:1,Notes",
       "Megatron and DeepSpeed 3D beside one another, with memory"},
      {"bucket",
       "GPUs,Size,?DS,?bucket,?reduce_bucket_size,DP,PP,GAS,MBS,GBS,*,Speed,TFlops:1,Notes",
       "ZeRO-1 and its bucket size"},
      {"zero", "GPUs,Size,?ScatEmb,?PA_CPU,TP,DP,Mic-BS,Glob-BS,*,Speed,TFlops:1,Notes",
       "DeepSpeed ZeRO with TP"},
      {"offload", "GPUs,Size,?Zero,?Opt Offl,?Par Offl,Mic-BS,Glob-BS,*,Speed,TFlops:1,Notes",
       "ZeRO-3 with offload"},
      {"variance", "GPUs,Size,TP,PP,DP,MBS,GAS,*,allocations,runs,step_time,spread,strip,tflops",
       "how sure a mean is"},
      {"utilisation",
       "GPUs,Size,TP,PP,DP,MBS,GAS,*,step_time,tflops,flops_formula,mfu,hfu,tokens_per_s_per_gpu",
       "what of the peak is reached"}};
  return kPresets;
}

const Preset& preset_named(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& preset : presets()) {
    if (preset.name == name) return preset;
    names.push_back(preset.name);
  }
  bad_input("unknown preset '{}'{} (known: {})", printable(name), did_you_mean(name, names),
            join(names, ", "));
}

}  // namespace pippin
