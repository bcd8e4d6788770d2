// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the test artifact main(x: n x f32) = 4 x, for tests that need a file. usage: make_test_artifact OUT.heddle
#include "TestModules.h"

#include <cstdio>

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  heddle::fb::ModuleT module = heddle::test::quadrupleModule();
  std::vector<std::byte> bytes = heddle::contract::test::build(module, heddle::test::kernelCode());
  std::FILE *file = std::fopen(argv[1], "wb");
  bool ok = file && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return file && std::fclose(file) == 0 && ok ? 0 : 1;
}
