// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle-compile of a package. It is also heddle-check and heddle-reduce, by the name that it is started with, so that
// there is one copy of LLVM.
#include "tools/lib/Mains.h"

#include <string_view>

int main(int argc, char **argv) {
  std::string_view name = argc > 0 ? argv[0] : "";
  if (name.ends_with("heddle-check"))
    return heddle::tools::checkMain(argc, argv);
  if (name.ends_with("heddle-reduce"))
    return heddle::tools::reduceMain(argc, argv);
  return heddle::tools::compileMain(argc, argv);
}
