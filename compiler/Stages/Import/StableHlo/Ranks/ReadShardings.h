// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Annotations of a StableHLO program, as Shardy and GSPMD write them, as shardings over its meshes.
//
//   #sdy.sharding<@mesh, [{"x", ?}, {}]>             sdy.sharding, and as a string xla.sdy.sharding
//   #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>      of several results
//   "{devices=[2,1]<=[2]}"                           mhlo.sharding (GspmdText.h)
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_RANKS_READSHARDINGS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_RANKS_READSHARDINGS_H

#include "compiler/Dialect/Flow/IR/FlowAttrs.h"
#include "compiler/Stages/Import/StableHlo/Ranks/GspmdText.h"
#include "compiler/Stages/Import/StableHlo/Ranks/Ranks.h"

namespace mlir::heddle::hlo {

// What a dictionary of attributes says of shardings: sdy.sharding, the same in mhlo.frontend_attributes, or
// mhlo.sharding. Null: nothing.
Attribute findAnnotation(DictionaryAttr attributes);

// The annotations of each of several values, of which a sharding_per_value or a tuple tells; else it alone.
SmallVector<Attribute> splitAnnotation(Attribute annotation);

// One sharding for each value, of which `ranks` are the dimensions (empty: as many values and dimensions as it says).
// Nothing if the attribute cannot be read, or is not a sharding of such values.
std::optional<ShardingTexts> readAnnotation(Attribute attribute, ArrayRef<int64_t> valueRanks, const Ranks &ranks);

// Puts axes of the device.mesh in place of those declared, without those of one rank. Failure: a diagnostic of
// `report`, which begins one.
LogicalResult checkSharding(ShardingText &sharding, int64_t rank, const Ranks &ranks,
                            llvm::function_ref<InFlightDiagnostic()> report);

// Reads and checks the sharding of one value.
FailureOr<ShardingText> checkSharding(Attribute attribute, int64_t rank, const Ranks &ranks,
                                      llvm::function_ref<InFlightDiagnostic()> report);

// Of a checked one. A dimension is open only where no axis is kept from it, since a request can say no more.
flow::ShardingAttr makeSharding(MLIRContext *context, const ShardingText &sharding);

} // namespace mlir::heddle::hlo

#endif // HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_RANKS_READSHARDINGS_H
