// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a test artifact, for tests that need a file: main(x: n x f32) = 4 x, or the program of BufferModule.h.
//   usage: make_test_artifact OUT.heddle [buffers]
#include "BufferModule.h"

#include <cstdio>

int main(int argc, char **argv) {
  bool buffers = argc == 3 && std::string_view(argv[2]) == "buffers";
  if (argc != 2 && !buffers)
    return 2;
  heddle::fb::ModuleT module = buffers ? heddle::test::bufferModule() : heddle::test::quadrupleModule();
  std::vector<std::byte> bytes =
      buffers ? heddle::test::buildForAll(module) : heddle::contract::test::build(module, heddle::test::kernelCode());
  std::FILE *file = std::fopen(argv[1], "wb");
  bool ok = file && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return file && std::fclose(file) == 0 && ok ? 0 : 1;
}
