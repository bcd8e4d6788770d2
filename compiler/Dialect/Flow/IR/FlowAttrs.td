// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_FLOW_ATTRS
#define HEDDLE_FLOW_ATTRS

include "compiler/Dialect/Flow/IR/FlowDialect.td"
include "mlir/IR/AttrTypeBase.td"

class Flow_Attr<string name, string mnemonicName> : AttrDef<Flow_Dialect, name> { let mnemonic = mnemonicName; }

def Flow_StreamAxisAttr : Flow_Attr<"StreamAxis", "stream_axis"> {
  let summary = "A mark (`heddle.stream`): this loop of the op runs in parts, on streams of the device in turn";
  let description = [{
    `axis` is a loop of a linalg op; `result N` the loop of dimension N of its result; `reduced N` its N-th reduced loop,
    whose parts are merged. On an op of TOSA or StableHLO `axis` is a dimension of its result.

    `#flow.stream_axis<0, 4>`, `#flow.stream_axis<result 1, ?>` (as many streams as the device has),
    `#flow.stream_axis<reduced 0, 2, parts = 7>` (7 iterations, else one for each position of the loop),
    `#flow.stream_axis<0, 4, granule = 16>` (parts begin at multiples of 16; by default one for each 16),
    `#flow.stream_axis<0, 4, granule = 2 * "seq">` (multiples of twice the size that is named so),
    `#flow.stream_axis<0, 4, ordered>` (an iteration comes after the one before, also across streams).
  }];
  let parameters = (ins "::mlir::heddle::flow::AxisKind":$kind, "int64_t":$axis, "int64_t":$streams,
                        "int64_t":$parts, "int64_t":$granule,
                        ArrayRefParameter<"::mlir::StringAttr">:$granuleSizes, "bool":$ordered);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    // In place of a number of streams: as many as the device has, and of parts: one for each granule of the loop.
    static constexpr int64_t kAll = 0;
    StreamsAttr getStreamsOfLoop() const;
  }];
}

def Flow_StreamsAttr : Flow_Attr<"Streams", "streams"> {
  let summary = "On an scf.for (`heddle.streams`): its iterations run on so many streams of the device in turn";
  let description = [{
    Iteration i runs on stream i mod N. Each tensor that the loop carries is changed by one tensor.insert_slice and read by
    nothing else; slices of different iterations do not overlap.

    `#flow.streams<4>`, `#flow.streams<?>` (as many as the device has), `#flow.streams<4, ordered>`.
  }];
  let parameters = (ins "int64_t":$count, "bool":$ordered);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    // A count that the device tells when the program is bound.
    static constexpr int64_t kAll = 0;
  }];
}

def Flow_ShardingAttr : Flow_Attr<"Sharding", "sharding"> {
  let summary = "How an argument or result of an entry point (`heddle.sharding`) is one part of a whole array";
  let description = [{
    For each dimension the axes of the mesh that cut it, the outermost first; no axes: the dimension is whole on each rank. An axis
    that stands nowhere has copies along it. The type in the function is that of the part.

    `#flow.sharding<@m, [["x"], []]>`
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$mesh, OptionalArrayRefParameter<"::mlir::ArrayAttr">:$axes);
  let assemblyFormat = "`<` $mesh `,` `[` (`]`) : ($axes^ `]`)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    // Whether some dimension is cut along the axis.
    bool isCutBy(::llvm::StringRef axis) const;
  }];
}

#endif // HEDDLE_FLOW_ATTRS
