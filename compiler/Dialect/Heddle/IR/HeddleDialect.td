// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_HEDDLE_DIALECT
#define HEDDLE_HEDDLE_DIALECT

include "mlir/IR/OpBase.td"

def Heddle_Dialect : Dialect {
  let name = "heddle";
  let cppNamespace = "::mlir::heddle";
  let summary = "The attributes that users write.";
  let description = [{
    No ops. Each attribute is registered here with where it may stand; an unknown one is an error.

    | attribute | stands on | meaning |
    |---|---|---|
    | `heddle.name` | argument, result | the name the model's author gave it (string) |
    | `heddle.dims` | argument, result | a name for each dimension, "" for a static one (array of strings) |
    | `heddle.element_type` | argument, result | what its elements are for the caller: `ui8` on a tensor of `i8`, `f8E4M3FN`, `i4` (type) |
    | `heddle.state` | argument, result | it is the value of this `flow.global` when the call begins, or ends (symbol) |
    | `heddle.donated` | argument | a result lies in its memory: the index of it (integer; until `import` also its name, or unit) |
    | `heddle.default` | argument | its value where the caller leaves it out: `dense` elements, of its shape, which is fixed |
    | `heddle.keeps_layout` | linalg op | data tiling leaves its operands and results as they are (unit) |
    | `heddle.split` | linalg op | how many parts its reduction is computed in, or by which strategy (integer, "default", "reproducible") |
    | `heddle.split_note` | op | whether its long reduction was split, and why (string) |
    | `heddle.stream` | linalg op, reshape, pad, concatenation; until `import` also TOSA, StableHLO | the loop that runs over streams (`#flow.stream_axis`; several, from outside in, as an array) |
    | `heddle.streams` | scf.for | its iterations run on streams in turn (`#flow.streams`) |
    | `heddle.placement` | module | what `--place=auto` expects (dictionary) |
    | `heddle.reasons` | module | what pinned nodes of the model, and why arguments are on their devices (dictionary of strings) |
    | `heddle.placed_by` | op | by which rule placement chose its affinity (string) |
    | `heddle.affinity` | argument, result, op | the device it belongs on (`#device.affinity`, `.optimal`; until `devices` also `.promise`) |
  }];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

#endif // HEDDLE_HEDDLE_DIALECT
