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

def Flow_GranuleAttr : Flow_Attr<"Granule", "granule"> {
  let summary = "What parts begin at multiples of: a number times sizes that have names";
  let description = [{ `#flow.granule<64>`, `#flow.granule<2 * "seq">` }];
  let parameters = (ins "int64_t":$factor, ArrayRefParameter<"::mlir::StringAttr">:$names);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isOne() const { return getFactor() == 1 && getNames().empty(); }
  }];
}

def Flow_ShardingAttr : Flow_Attr<"Sharding", "sharding"> {
  let summary = "How the ranks of a mesh share an array: what cuts each dimension, and what is still to be summed";
  let description = [{
    For each dimension the axes of the mesh that cut it, the outermost first; no axes: the dimension is whole on each rank. An axis
    that stands nowhere has copies along it. With axes of n ranks together and G granules of g positions, the part of the
    rank at place s is the positions `[floor(s * G / n) * g, floor((s + 1) * G / n) * g)`; g is 1 without `by`, and
    divides the size. `of` says how many positions the whole has: of an argument whose type does not tell the size of the
    part, this is the rank's own then, and not one that all ranks agree on.

    `partial`: the array is what the ranks along these axes have, combined.

    `#flow.sharding<@m, [["x"], []]>`, `#flow.sharding<@m, [["x", "y"] by 64, []]>`, `#flow.sharding<@m, [["x"] of 66]>`,
    `#flow.sharding<@m, [[] , []], partial sum ["y"]>`.

    In a request (flow.shard) `?` leaves a dimension to the compiler: `[["x"], ?]`, and `["x", ?]` what else cuts it.
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$mesh, ArrayRefParameter<"::mlir::ArrayAttr">:$axes,
                        ArrayRefParameter<"::mlir::heddle::flow::GranuleAttr">:$granules, // of all dimensions, or none
                        ArrayRefParameter<"int64_t">:$open, // dimensions, in ascending order
                        ArrayRefParameter<"::mlir::StringAttr">:$partial, "::mlir::heddle::flow::Reduction":$reduction,
                        ArrayRefParameter<"int64_t">:$wholes); // sizes of the whole, -1: not stated; none at all
  let builders = [
    AttrBuilder<(ins "::mlir::FlatSymbolRefAttr":$mesh, "::llvm::ArrayRef<::mlir::ArrayAttr>":$axes,
                     "::llvm::ArrayRef<GranuleAttr>":$granules, "::llvm::ArrayRef<int64_t>":$open,
                     "::llvm::ArrayRef<::mlir::StringAttr>":$partial, "::mlir::heddle::flow::Reduction":$reduction), [{
      return $_get($_ctxt, mesh, axes, granules, open, partial, reduction, ::llvm::ArrayRef<int64_t>());
    }]>,
    AttrBuilder<(ins "::mlir::FlatSymbolRefAttr":$mesh, "::llvm::ArrayRef<::mlir::ArrayAttr>":$axes), [{
      return $_get($_ctxt, mesh, axes, ::llvm::ArrayRef<GranuleAttr>(), ::llvm::ArrayRef<int64_t>(),
                   ::llvm::ArrayRef<::mlir::StringAttr>(), Reduction::Sum, ::llvm::ArrayRef<int64_t>());
    }]>,
  ];
  let skipDefaultBuilders = 0;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getAxes().size(); }
    // The axes that cut the dimension, the outermost first.
    ::llvm::SmallVector<::mlir::StringAttr> getDimAxes(int64_t dim) const;
    bool isCut(int64_t dim) const { return !getAxes()[dim].empty(); }
    bool isOpen(int64_t dim) const { return ::llvm::is_contained(getOpen(), dim); }
    // One where none is stated.
    GranuleAttr getGranule(int64_t dim) const;
    // How many positions the whole has; -1: that is not stated.
    int64_t getWhole(int64_t dim) const { return getWholes().empty() ? -1 : getWholes()[dim]; }
    // The same with these, of all dimensions.
    ShardingAttr withWholes(::llvm::ArrayRef<int64_t> wholes) const;
    // Whether some dimension is cut along the axis.
    bool isCutBy(::llvm::StringRef axis) const;
    // Whether ranks that differ along the axis have different bytes: it cuts, or what they have is still to be combined.
    bool variesAlong(::llvm::StringRef axis) const;
    // Whether every rank of the mesh has all of the value.
    bool isReplicated() const;
    // Of a value of that rank that each rank of the mesh has whole.
    static ShardingAttr getReplicated(::mlir::FlatSymbolRefAttr mesh, int64_t rank);
    // The same cuts of a value with nothing left to combine, and without wholes.
    ShardingAttr withoutPartial() const;
    // Granules of one are left out.
    static ShardingAttr getNormalized(::mlir::FlatSymbolRefAttr mesh, ::llvm::ArrayRef<::mlir::ArrayAttr> axes,
                                      ::llvm::ArrayRef<GranuleAttr> granules,
                                      ::llvm::ArrayRef<::mlir::StringAttr> partial = {},
                                      Reduction reduction = Reduction::Sum);
  }];
}

#endif // HEDDLE_FLOW_ATTRS
