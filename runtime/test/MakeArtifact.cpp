// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a test artifact, for tests that need a file: main(x: n x f32) = 4 x, on one stream or on two of its device, or
// the program of BufferModule.h.
//   usage: make_test_artifact OUT.heddle [buffers | streams]
#include "BufferModule.h"
#include "TurnsModule.h"

#include <cstdio>

using namespace heddle::test;

int main(int argc, char **argv) {
  std::string_view kind = argc == 3 ? argv[2] : "";
  if (argc < 2 || argc > 3 || (argc == 3 && kind != "buffers" && kind != "streams"))
    return 2;
  heddle::fb::ModuleT module = kind == "buffers"   ? bufferModule()
                               : kind == "streams" ? turnsModule(2)
                                                   : quadrupleModule();
  std::vector<std::byte> bytes =
      kind == "buffers" ? buildForAll(module) : heddle::contract::test::build(module, kernelCode());
  std::FILE *file = std::fopen(argv[1], "wb");
  bool ok = file && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return file && std::fclose(file) == 0 && ok ? 0 : 1;
}
