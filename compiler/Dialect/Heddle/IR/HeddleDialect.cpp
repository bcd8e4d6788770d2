// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/OverlapNotes.h"
#include "compiler/Dialect/Heddle/IR/PartNotes.h"

#include "compiler/Analysis/Winograd.h"
#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Flow/IR/FlowAttrs.h"
#include "compiler/Dialect/Heddle/IR/BranchNotes.h"
#include "compiler/Dialect/Heddle/IR/Expect.h"
#include "compiler/Dialect/Heddle/IR/IndexBounds.h"
#include "compiler/Dialect/Heddle/IR/ModelFacts.h"
#include "compiler/Dialect/Heddle/IR/Reasons.h"
#include "compiler/Dialect/Heddle/IR/ShardNotes.h"
#include "compiler/Dialect/Heddle/IR/Shards.h"
#include "compiler/Dialect/Heddle/IR/SplitSyntax.h"
#include "compiler/Dialect/Heddle/IR/State.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::heddle;

#include "compiler/Dialect/Heddle/IR/HeddleDialect.cpp.inc"

void HeddleDialect::initialize() {}

static LogicalResult verifyValueAttribute(Operation *op, Type type, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kNameAttr) {
    if (!isa<StringAttr>(attribute.getValue()))
      return op->emitError() << "heddle.name must be a string, got " << attribute.getValue();
    return success();
  }
  if (name == kDimsAttr) {
    auto names = dyn_cast<ArrayAttr>(attribute.getValue());
    auto shaped = dyn_cast<RankedTensorType>(type);
    if (!names || !shaped || static_cast<int64_t>(names.size()) != shaped.getRank() ||
        !llvm::all_of(names, [](Attribute entry) { return isa<StringAttr>(entry); }))
      return op->emitError() << "heddle.dims must have one string for each dimension of " << type << ", got "
                             << attribute.getValue();
    return success();
  }
  if (name == kElementTypeAttr) {
    auto element = dyn_cast<TypeAttr>(attribute.getValue());
    auto tensor = type ? dyn_cast<RankedTensorType>(type) : RankedTensorType();
    if (!element || !tensor || element.getValue() == tensor.getElementType() ||
        getStorageType(element.getValue()) != tensor.getElementType())
      return op->emitError() << "heddle.element_type names a type that is held as the tensor's elements (ui16 on a "
                                "tensor of i16; f8E4M3FN or i4 on one of i8), got "
                             << attribute.getValue() << " on " << type;
    return success();
  }
  if (name == kStateAttr) {
    if (!isa<FlatSymbolRefAttr>(attribute.getValue()) || !isa<RankedTensorType>(type))
      return op->emitError() << "heddle.state names a flow.global on a tensor, got " << attribute.getValue() << " on "
                             << type;
    return success();
  }
  if (name == kAffinityAttr) {
    if (!isa<device::AffinityAttr, device::OptimalAttr, device::PromiseAttr>(attribute.getValue()))
      return op->emitError() << "heddle.affinity must be a #device.affinity, #device.optimal or #device.promise, got "
                             << attribute.getValue();
    return success();
  }
  if (name == kShardingAttr || name == kShardValueAttr) {
    auto sharding = dyn_cast<flow::ShardingAttr>(attribute.getValue());
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!sharding || !tensor || static_cast<int64_t>(sharding.getAxes().size()) != tensor.getRank())
      return op->emitError() << name << " is a #flow.sharding with axes for each dimension of " << type << ", got "
                             << attribute.getValue();
    return success();
  }
  return op->emitError()
         << "unknown attribute " << attribute.getName()
         << " on an argument or result; known: heddle.name, heddle.dims, heddle.element_type, heddle.affinity, "
            "heddle.sharding, heddle.state, and heddle.donated and heddle.default on an argument";
}

Type mlir::heddle::getStorageType(Type element) {
  if (auto integer = dyn_cast<IntegerType>(element)) {
    bool narrow = integer.getWidth() == 4 || integer.getWidth() == 2;
    return narrow || !integer.isSignless() ? IntegerType::get(element.getContext(), narrow ? 8 : integer.getWidth())
                                           : element;
  }
  bool narrow = isa<Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2Type, Float8E5M2FNUZType, Float8E8M0FNUType,
                    Float4E2M1FNType>(element);
  return narrow ? IntegerType::get(element.getContext(), 8) : element;
}

RankedTensorType mlir::heddle::getBoundaryType(RankedTensorType type, DictionaryAttr attributes) {
  auto element = attributes ? attributes.getAs<TypeAttr>(kElementTypeAttr) : TypeAttr();
  return element ? RankedTensorType::get(type.getShape(), element.getValue()) : type;
}

// What estimates of sizes and work stand on.
static LogicalResult verifyEstimate(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == kExpectAttr) {
    auto sizes = dyn_cast<DictionaryAttr>(attribute.getValue());
    auto isSize = [](NamedAttribute entry) { return isa<IntegerAttr>(entry.getValue()); };
    if (!isa<ModuleOp>(op) || !sizes || !llvm::all_of(sizes, isSize))
      return op->emitError() << "heddle.expect stands on the module and is a dictionary of sizes, got "
                             << attribute.getValue();
    return success();
  }
  auto work = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
  if (op->getName().getStringRef() != "flow.executable" || !work || work.size() != 2)
    return op->emitError() << "heddle.work stands on a flow.executable and is two numbers, got "
                           << attribute.getValue();
  return success();
}

// Marks of loops over streams. Which loop an axis names, and whether it can be cut, is the business of their pass.
static LogicalResult verifyStreams(Operation *op, NamedAttribute attribute) {
  StringRef name = op->getName().getStringRef(), dialect = op->getName().getDialectNamespace();
  if (attribute.getName() == kStreamsAttr) {
    if (name != "scf.for" || !isa<flow::StreamsAttr>(attribute.getValue()))
      return op->emitError() << "heddle.streams stands on an scf.for and is a #flow.streams, got "
                             << attribute.getValue();
    return success();
  }
  bool stands =
      llvm::is_contained({"linalg", "tosa", "stablehlo", "chlo"}, dialect) ||
      llvm::is_contained({"tensor.expand_shape", "tensor.collapse_shape", "tensor.pad", "tensor.concat"}, name);
  auto axes = dyn_cast<ArrayAttr>(attribute.getValue());
  bool fits = axes ? !axes.empty() && llvm::all_of(axes, llvm::IsaPred<flow::StreamAxisAttr>)
                   : isa<flow::StreamAxisAttr>(attribute.getValue());
  if (!stands)
    return op->emitError()
           << "heddle.stream stands on a linalg, TOSA or StableHLO op, a reshape, pad or concatenation; " << name
           << " cannot be streamed";
  if (!fits)
    return op->emitError() << "heddle.stream is a #flow.stream_axis, or an array of them, got " << attribute.getValue();
  return success();
}

// What propagation decided for an op of several regions. Whether the shardings fit the values is for ranks-partition.
static LogicalResult verifyCarried(Operation *op, NamedAttribute attribute) {
  auto list = dyn_cast<ArrayAttr>(attribute.getValue());
  bool isOut = attribute.getName() == kShardCarriedAttr;
  unsigned count = isOut ? op->getNumResults() : op->getNumOperands();
  bool stands = isOut ? op->getName().getDialectNamespace() == "scf" : op->getName().getStringRef() == "scf.while";
  if (!stands || !list || list.size() != count || !llvm::all_of(list, llvm::IsaPred<flow::ShardingAttr, UnitAttr>))
    return op->emitError() << attribute.getName() << " stands on "
                           << (isOut ? "an scf op and has a #flow.sharding or a unit for each of its results"
                                     : "an scf.while and has a #flow.sharding or a unit for each of its operands")
                           << ", got " << attribute.getValue();
  return success();
}

static bool isOfShards(StringRef name) {
  return name == kShardLoopsAttr || name == kShardPrioritiesAttr || name == kShardDirectionAttr ||
         name == kShardPartialAttr || name == kShardWholeAttr || name == kWholeProgramAttr;
}

// What stage `partition` is told of an op, or of a function (Heddle/IR/Shards.h).
static LogicalResult verifyShards(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kShardLoopsAttr) {
    if (!isa<flow::ShardingAttr>(attribute.getValue()))
      return op->emitError() << "heddle.shard_loops is a #flow.sharding of the op's factors, got "
                             << attribute.getValue();
    return success();
  }
  if (name == kShardPrioritiesAttr) {
    auto priorities = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
    auto shard = dyn_cast_if_present<RankedTensorType>(op->getNumResults() == 1 ? op->getResult(0).getType() : Type());
    if (op->getName().getStringRef() != "flow.shard" || !priorities || priorities.size() != shard.getRank())
      return op->emitError()
             << "heddle.shard_priorities stands on a flow.shard and has a number for each dimension, got "
             << attribute.getValue();
    return success();
  }
  if (name == kShardPartialAttr) {
    auto operands = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
    auto isOperand = [&](int64_t number) { return number >= 0 && number < op->getNumOperands(); };
    if (!operands || !op->hasAttr(kShardLoopsAttr) || !llvm::all_of(operands.asArrayRef(), isOperand))
      return op->emitError()
             << "heddle.shard_partial stands beside heddle.shard_loops and has numbers of operands, got "
             << attribute.getValue();
    return success();
  }
  if (name == kShardWholeAttr) {
    if (!isa<DenseI64ArrayAttr>(attribute.getValue()) || !op->hasAttr(kShardLoopsAttr))
      return op->emitError() << "heddle.shard_whole stands beside heddle.shard_loops and has numbers of operands, got "
                             << attribute.getValue();
    return success();
  }
  if (name == kShardDirectionAttr) {
    auto direction = dyn_cast<StringAttr>(attribute.getValue());
    if (op->getName().getStringRef() != "flow.shard" || !direction ||
        !llvm::is_contained({"forward", "backward", "none"}, direction.getValue()))
      return op->emitError() << "heddle.shard_direction stands on a flow.shard and is \"forward\", \"backward\" or "
                                "\"none\", got "
                             << attribute.getValue();
    return success();
  }
  if (!isa<FunctionOpInterface>(op) || !isa<UnitAttr>(attribute.getValue()))
    return op->emitError() << "heddle.whole_program stands on a function and has no value";
  return success();
}

static LogicalResult verifyModelFacts(Operation *op, NamedAttribute attribute) {
  auto isText = [](NamedAttribute fact) { return isa<StringAttr>(fact.getValue()); };
  auto isMetadata = [&](NamedAttribute fact) {
    auto metadata = dyn_cast<DictionaryAttr>(fact.getValue());
    return metadata && fact.getName() == kMetadataKey && llvm::all_of(metadata, isText);
  };
  auto facts = dyn_cast<DictionaryAttr>(attribute.getValue());
  if (!isa<ModuleOp>(op) || !facts ||
      !llvm::all_of(facts, [&](NamedAttribute fact) { return isText(fact) || isMetadata(fact); }))
    return op->emitError() << "heddle.model stands on the module and is a dictionary of strings, and of such a one "
                              "called metadata, got "
                           << attribute.getValue();
  return success();
}

static LogicalResult verifyWinograd(Operation *op, NamedAttribute attribute) {
  auto role = dyn_cast<StringAttr>(attribute.getValue());
  if (isa<linalg::GenericOp>(op) && role && winograd::isRole(role.getValue()))
    return success();
  return op->emitError() << attribute.getName()
                         << " stands on a linalg.generic and is \"input\", \"product\" or \"output\", got "
                         << attribute.getValue();
}

static LogicalResult verifySplit(Operation *op, NamedAttribute attribute) {
  if (!op->getName().getStringRef().starts_with("linalg."))
    return op->emitError() << "heddle.split stands on a linalg op, got " << op->getName();
  if (std::string reason = explainInvalidSplit(attribute.getValue()); !reason.empty())
    return op->emitError() << "heddle.split " << reason;
  return success();
}

LogicalResult HeddleDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kAffinityAttr)
    return verifyValueAttribute(op, Type(), attribute);
  if (name == kPlacementAttr || name == kReasonsAttr) {
    if (!isa<ModuleOp>(op) || !isa<DictionaryAttr>(attribute.getValue()))
      return op->emitError() << name << " stands on the module and is a dictionary, got " << attribute.getValue();
    return success();
  }
  if (name == kModelAttr)
    return verifyModelFacts(op, attribute);
  if (name == kExpectAttr || name == kWorkAttr)
    return verifyEstimate(op, attribute);
  if (name == kBranchesAttr || name == kOverlapsAttr || name == kPartsAttr || name == kShardingsAttr) {
    auto lines = dyn_cast<ArrayAttr>(attribute.getValue());
    if (!isa<ModuleOp>(op) || !lines || !llvm::all_of(lines, llvm::IsaPred<StringAttr>))
      return op->emitError() << name << " stands on the module and is a list of strings, got " << attribute.getValue();
    return success();
  }
  if (name == kPlacedByAttr || name == kSplitNoteAttr) {
    if (!isa<StringAttr>(attribute.getValue()))
      return op->emitError() << name << " must be a string, got " << attribute.getValue();
    return success();
  }
  if (name == kKeepsShapesAttr) {
    if (op->getName().getStringRef() != "scf.for" || !isa<UnitAttr>(attribute.getValue()))
      return op->emitError() << "heddle.keeps_shapes stands on an scf.for and has no value";
    return success();
  }
  if (name == kKeepsLayoutAttr || name == kSplitScoresAttr) {
    if (!isa<UnitAttr>(attribute.getValue()) || !op->getName().getStringRef().starts_with("linalg."))
      return op->emitError() << name << " stands on a linalg op and has no value";
    return success();
  }
  if (name == winograd::kRoleAttr)
    return verifyWinograd(op, attribute);
  if (name == kSplitAttr)
    return verifySplit(op, attribute);
  if (name == kStreamAttr || name == kStreamsAttr)
    return verifyStreams(op, attribute);
  if (isOfShards(name))
    return verifyShards(op, attribute);
  if (name == kShardCarriedAttr || name == kShardCarriedInAttr)
    return verifyCarried(op, attribute);
  return op->emitError()
         << "unknown attribute " << attribute.getName()
         << " on an op; known: heddle.affinity, heddle.branches, heddle.expect, heddle.keeps_layout, "
            "heddle.keeps_shapes, heddle.model, heddle.overlaps, heddle.parts, heddle.placed_by, "
            "heddle.placement, heddle.reasons, heddle.shard_carried, heddle.shard_carried_in, "
            "heddle.shard_direction, heddle.shard_loops, heddle.shard_partial, "
            "heddle.shard_priorities, heddle.shardings, heddle.split, heddle.split_note, "
            "heddle.split_scores, heddle.stream, heddle.streams, heddle.whole_program, heddle.winograd, "
            "heddle.work";
}

LogicalResult HeddleDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argument,
                                                      NamedAttribute attribute) {
  if (attribute.getName() == kDonatedAttr) {
    if (!isa<UnitAttr, StringAttr, IntegerAttr>(attribute.getValue()))
      return op->emitError() << "heddle.donated has no value, or is the name or the index of a result, got "
                             << attribute.getValue();
    return success();
  }
  if (attribute.getName() == kIndexBoundAttr) { // the importer's own
    if (!isa<IntegerAttr>(attribute.getValue()))
      return op->emitError() << "heddle.index_bound is an integer, got " << attribute.getValue();
    return success();
  }
  Type type = cast<FunctionOpInterface>(op).getArgumentTypes()[argument];
  if (attribute.getName() == kDefaultAttr) {
    auto value = dyn_cast<DenseElementsAttr>(attribute.getValue());
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!value || !tensor || value.getType().getShape() != tensor.getShape() ||
        !value.getElementType().isIntOrFloat() ||
        getStorageType(value.getElementType()) != getStorageType(tensor.getElementType()))
      return op->emitError() << "heddle.default is dense elements of the argument's type, " << type << ", got "
                             << attribute.getValue();
    return success();
  }
  return verifyValueAttribute(op, type, attribute);
}

LogicalResult HeddleDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned result,
                                                         NamedAttribute attribute) {
  return verifyValueAttribute(op, cast<FunctionOpInterface>(op).getResultTypes()[result], attribute);
}
