// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words of --help for flags that several programs have: what a model is compiled for.
#ifndef HEDDLE_TOOLS_CACHE_FLAGHELP_H
#define HEDDLE_TOOLS_CACHE_FLAGHELP_H

namespace heddle::tools {

inline constexpr const char *kTargetCpuHelp =
    "compile for a processor: [ARCHITECTURE:]CPU[+FEATURE]…, where CPU is host, generic or a name that LLVM knows; "
    "several processors, with commas or by repeating the flag, share one artifact (host)";

inline constexpr const char *kTargetDeviceHelp =
    "declare a device: [NAME=]DEVICE[,DEVICE]…[*COUNT]; it is the first DEVICE that exists at run time, and COUNT "
    "declares several. DEVICE is an alias such as local, vulkan[0] or local{cpu=x86-64-v3}, or an attribute #device.…; "
    "repeat the flag in order (local)";

inline constexpr const char *kStateHelp = "keep OUTPUT on the device and give it to INPUT in the next call; both leave "
                                          "the signature. A star on both sides names several, as in past.*=present.*";

inline constexpr const char *kDonateHelp =
    "let calls overwrite INPUT and write OUTPUT to its memory (the first output of its type where none is named)";

inline constexpr const char *kDataTilingHelp = "lay out operands of contractions for the device (on)";

inline constexpr const char *kStrategyHelp =
    "early-data-tiling: lay out operands before dispatches are formed, for one executable target; split:off: leave "
    "long reductions with few results whole; streams:off: leave all work of a device on one queue; overlap:off: leave "
    "collectives whole; overlap:N: cut them into N pieces beside the products that need them; overlap:around: compute "
    "with each rank's part as it arrives; overlap:compile: choose by the target's link; else the load chooses, which "
    "measures the links between ranks; winograd:off: compute 3x3 convolutions as they are; winograd:2, winograd:4: by "
    "tiles of that size";

inline constexpr const char *kSplitFileHelp =
    "a script of MLIR's transform dialect that says which reductions are computed in how many parts";

inline constexpr const char *kMaxTransientHelp =
    "compute in parts what would need more transient memory than SIZE on a device (bytes, 512MiB, 2GB, …)";

inline constexpr const char *kReproducibleHelp =
    "choose the parts of long reductions by sizes alone, not by the device: the same bits on any number of cores";

inline constexpr const char *kStrictFloatHelp =
    "compute no sum or product of floats in parts; where an op asks for parts by heddle.split, it is an error";

inline constexpr const char *kPrecisionHelp =
    "compute products of f32 with weights in this type and add them up in f32 (f32); f16: keep only the weights so";

inline constexpr const char *kRoundActivationsHelp =
    "compute products with quantised weights in integers: the other operand is rounded to 8 bits by block, as where "
    "a model allows it (accuracy_level 4)";

inline constexpr const char *kPlaceHelp = "auto: place work that has no pin so that the program takes the least time";

inline constexpr const char *kShardHelp = "auto: share work among the ranks of the mesh (that of --mesh where the "
                                          "program has none) where a cost model says that it pays";
inline constexpr const char *kDimHelp =
    "fix a size that the model leaves free, by its name or by input and dimension (input.0); may be repeated";

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_CACHE_FLAGHELP_H
