// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What stands in front of the compiler: a hit starts no compiler at all.
#ifndef HEDDLE_TOOLS_CACHE_FRONT_H
#define HEDDLE_TOOLS_CACHE_FRONT_H

namespace heddle::tools {

inline constexpr int kNotCached = 3; // exit status with --cache-only

// `heddle compile` with a cache: copies what is in there to the output and repeats the messages, else becomes
// heddle-compile, which keeps what it makes. `argv[0]` is the name of the verb. Throws UsageError; Failure where the
// compiler cannot be started.
int compileFromCache(int argc, char **argv);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_CACHE_FRONT_H
