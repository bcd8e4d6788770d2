// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a compilation is asked for: the flags of `heddle compile`, parsed, in groups of one concern each.
#ifndef HEDDLE_COMPILER_PIPELINES_COMPILEOPTIONS_H
#define HEDDLE_COMPILER_PIPELINES_COMPILEOPTIONS_H

#include "compiler/Stages/Devices/Pipeline.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlir::heddle {

enum class Stage {
  Import,
  Devices,
  Partition,
  Simplify,
  Encode,
  Form,
  Place,
  Resolve,
  Schedule,
  Codegen,
  Package,
};

// When operands of contractions are laid out for the devices.
enum class DataTiling {
  Late,  // the graph says what is laid out for which use, `resolve` how: one program for all devices
  Early, // both at the end of `encode`, before dispatch formation; one executable target only
  Off,   // never
};

struct CompileOptions {
  // The models, and what is said of their names and sizes.
  struct Model {
    std::vector<std::string> others;   // `--with=`: further models in the same artifact
    std::vector<std::string> dims;     // `--dim=`: NAME=SIZE, see Import/Onnx/Model/FixedSizes.h
    std::vector<std::string> expected; // `--expect=`: NAME=SIZE, see ExpectedSizes.h
    bool outputAll = false;            // `--output-all`
  };
  // Values that stay from call to call.
  struct State {
    std::vector<std::string> bound;   // `--state=`, see import-bind-state in compiler/Stages/Import/Passes.td
    std::vector<std::string> donated; // `--donate=`, likewise
  };
  // Which device computes what.
  struct Placement {
    bool byCost = false;  // `--place=auto`
    std::string topology; // `--topology=`: a file, see ReadTopology.h; empty: none
  };
  // One program for many ranks.
  struct Ranks {
    std::vector<std::string> meshSizes; // `--mesh=`, AXIS=SIZE, see ranks-resolve-meshes
    std::string shardFile;              // `--shard-file=`, see Import/Annotations/ShardFile.h; empty: none
    bool chooseShardings = false;       // `--shard=auto`, see ranks-choose-shardings
    int64_t overlapPieces = -2;         // `--strategy=overlap:…`, see ranks-overlap; -2: the load decides
  };
  // Layouts of operands.
  struct Layout {
    DataTiling dataTiling = DataTiling::Late; // `--data-tiling=`, `--strategy=early-data-tiling`
    std::string resolver;   // in place of the devices' own, for tests: compiler/Target/LayoutResolvers.h
    bool sizesOnly = false; // of a trial, whose program is thrown away: parameters are not packed
  };
  // What is computed in parts, or at the same time.
  struct Split {
    std::string strategy = "default";    // `--strategy=split:NAME`; empty: only ops that say so are split
    std::string script;                  // `--split-file=`: see Stages/Split/SplitScript.h; empty: none
    bool overlapBranches = true;         // `--strategy=streams:default`, `streams:off`
    std::optional<int64_t> maxTransient; // `--max-transient=`: bytes; see TransientLimit.h
  };
  // Kernels.
  struct Code {
    unsigned optLevel = 2;            // `-O0` to `-O3`: LLVM's level
    bool strictFloat = false;         // `--strict-float`
    bool roundActivations = false;    // `--round-activations`, see FormModel::rounding
    std::string precision = "f32";    // `--precision=`, see encode-narrow-products
    std::string winograd = "default"; // `--strategy=winograd:…`, see encode-winograd
    std::string kernelCache;          // a folder, see compiler/Codegen/Link/ObjectCache.h; empty: none
    std::string compilerIdentity;     // with it: differs for each build of the compiler and its libraries
  };
  // What is written.
  struct Output {
    Stage compileTo = Stage::Package; // last stage to run
    std::string producer = "heddle";  // what the artifact says that it was made by
    std::string dumpDir;              // one `NN-stage.mlir` after each stage; empty: none
    bool timing = false;              // print a table of pass times to standard error
  };

  Model model;
  State state;
  DevicesOptions devices; // `--target-device=`, `--target-cpu=`, `--default-device=`, `--place-file=`
  Placement placement;
  Ranks ranks;
  Layout layout;
  Split split;
  Code code;
  Output output;
  std::vector<std::string> disabledPasses; // `--disable-pass=`: command-line names of passes to skip
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_PIPELINES_COMPILEOPTIONS_H
