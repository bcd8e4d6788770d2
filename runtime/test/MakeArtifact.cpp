// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a test artifact, for tests that need a file: main(x: n x f32) = 4 x, on one stream or on two of its device, or
// the program of BufferModule.h, or one of ranks that die (RankPrograms.h) with a collective in place.
//   usage: make_test_artifact OUT.heddle [buffers | streams | all_reduce | permute | broadcast]
#include "BufferModule.h"
#include "RankPrograms.h"
#include "TurnsModule.h"

#include <cstdio>

using namespace heddle::test;

int main(int argc, char **argv) {
  std::string_view kind = argc == 3 ? argv[2] : "";
  using Collective = heddle::contract::CollectiveKind;
  bool isKnown =
      kind == "buffers" || kind == "streams" || kind == "all_reduce" || kind == "permute" || kind == "broadcast";
  if (argc < 2 || argc > 3 || (argc == 3 && !isKnown))
    return 2;
  heddle::fb::ModuleT module = kind == "buffers"      ? bufferModule()
                               : kind == "streams"    ? turnsModule(2)
                               : kind == "all_reduce" ? failingModule(true, Collective::AllReduce)
                               : kind == "permute"    ? failingModule(true, Collective::Permute)
                               : kind == "broadcast"  ? failingModule(true, Collective::Broadcast)
                                                      : quadrupleModule();
  std::vector<std::byte> bytes =
      kind == "buffers" ? buildForAll(module) : heddle::contract::test::build(module, kernelCode());
  std::FILE *file = std::fopen(argv[1], "wb");
  bool ok = file && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return file && std::fclose(file) == 0 && ok ? 0 : 1;
}
