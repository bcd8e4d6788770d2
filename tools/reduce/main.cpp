// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Mains.h"

int main(int argc, char **argv) { return heddle::tools::reduceMain(argc, argv); }
