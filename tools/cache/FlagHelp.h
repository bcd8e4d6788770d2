// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words of --help for flags that several programs have: what a model is compiled for.
#ifndef HEDDLE_TOOLS_CACHE_FLAGHELP_H
#define HEDDLE_TOOLS_CACHE_FLAGHELP_H

namespace heddle::tools {

inline constexpr const char *kTargetCpuHelp = "a processor, [ARCHITECTURE:]CPU[+FEATURE]…, where CPU is host, generic "
                                              "or a name LLVM knows; several, with commas or by "
                                              "repeating the flag, share one artifact (host)";

inline constexpr const char *kTargetDeviceHelp =
    "a device of the artifact: [NAME=]DEVICE[,DEVICE]…[*COUNT], the first that exists at run time, COUNT times; "
    "repeated "
    "in order. DEVICE is an alias such as local, vulkan[0] or local{cpu=x86-64-v3}, or an attribute #device.… (local)";

inline constexpr const char *kStateHelp =
    "keep OUTPUT on the device and give it to INPUT in the next call: both leave the signature; a star on both sides "
    "for several, as past.*=present.*";

inline constexpr const char *kDonateHelp =
    "calls may overwrite INPUT, and OUTPUT (the first of its type) lies in its memory";

inline constexpr const char *kDataTilingHelp = "on or off: operands of contractions laid out for the device (on)";

inline constexpr const char *kStrategyHelp =
    "early-data-tiling: lay operands out before dispatches are formed, for one executable target; split:off: "
    "long reductions with few results in one piece; streams:off: all work of a device on one queue; "
    "overlap:off: collectives whole, overlap:N: in N pieces beside the products that need them, overlap:around: from "
    "each rank as it is";

inline constexpr const char *kMaxTransientHelp =
    "compute in parts what needs more transient memory than SIZE bytes (512MiB, 2GB, …) on a device";

inline constexpr const char *kReproducibleHelp =
    "long reductions in as many parts as their sizes tell, not the device: the same bits on any number of cores";

inline constexpr const char *kStrictFloatHelp =
    "no sum or product of floats in parts: what heddle.split asks for is an error, what would be split stays whole";

inline constexpr const char *kPlaceHelp =
    "auto: give what no pin places the device where the program takes the least time";

inline constexpr const char *kShardHelp =
    "auto: the ranks of the mesh (of --mesh where the program has none) share the work where a cost model says it pays";
inline constexpr const char *kDimHelp =
    "fix a size that the model leaves free, by its name, or by input and dimension (input.0); repeated";

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_CACHE_FLAGHELP_H
