// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/StableHlo/Assembly/Dialects.h"

#include "compiler/Stages/Import/StableHlo/Assembly/OpFormat.h"
#include "compiler/Stages/Import/StableHlo/Assembly/StructuredOps.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

static ParseResult parseOp(OpAsmParser &parser, OperationState &result) {
  StringRef name = result.name.getStringRef();
  if (const StructuredOp *structured = findStructuredOp(name))
    return structured->parse(parser, result);
  if (const OpFormat *format = findFormat(name))
    return parseFormat(*format, parser, result);
  return parser.emitError(parser.getNameLoc()) << "has no short form, or is no op at all; one without is written \""
                                               << name << "\"(%a) : (tensor<4xf32>) -> tensor<4xf32>";
}

static ParseResult refusePortable(OpAsmParser &parser, OperationState &) {
  return parser.emitError(parser.getNameLoc())
         << "is VHLO, the portable form of StableHLO, which is for its own readers; "
            "jaxlib.mlir.dialects.stablehlo.deserialize_portable_artifact makes StableHLO of its bytes";
}

static void printStructured(Operation *op, OpAsmPrinter &printer) {
  findStructuredOp(op->getName().getStringRef())->print(op, printer);
}

static void printTable(Operation *op, OpAsmPrinter &printer) {
  printFormat(*findFormat(op->getName().getStringRef()), op, printer);
}

namespace {

// A dialect whose ops are names, attributes and types text.
class TextDialect : public Dialect {
public:
  TextDialect(StringRef name, MLIRContext *context, TypeID id) : Dialect(name, context, id) {
    allowUnknownOperations();
  }

  Attribute parseAttribute(DialectAsmParser &parser, Type type) const override {
    return OpaqueAttr::get(StringAttr::get(getContext(), getNamespace()), parser.getFullSymbolSpec(),
                           type ? type : NoneType::get(getContext()));
  }

  Type parseType(DialectAsmParser &parser) const override {
    return OpaqueType::get(StringAttr::get(getContext(), getNamespace()), parser.getFullSymbolSpec());
  }

  std::optional<ParseOpHook> getParseOperationHook(StringRef) const override { return ParseOpHook(parseOp); }

  llvm::unique_function<void(Operation *, OpAsmPrinter &)> getOperationPrinter(Operation *op) const override {
    StringRef name = op->getName().getStringRef();
    if (const StructuredOp *structured = findStructuredOp(name)) {
      if (structured->canPrint(op))
        return printStructured;
      return nullptr;
    }
    if (const OpFormat *format = findFormat(name); format && canPrint(*format, op))
      return printTable;
    return nullptr; // the generic form
  }
};

class StableHloDialect : public TextDialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StableHloDialect)
  static constexpr StringLiteral getDialectNamespace() { return "stablehlo"; }
  explicit StableHloDialect(MLIRContext *context)
      : TextDialect(getDialectNamespace(), context, TypeID::get<StableHloDialect>()) {}
};

class ChloDialect : public TextDialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ChloDialect)
  static constexpr StringLiteral getDialectNamespace() { return "chlo"; }
  explicit ChloDialect(MLIRContext *context)
      : TextDialect(getDialectNamespace(), context, TypeID::get<ChloDialect>()) {}
};

class ShardyDialect : public TextDialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ShardyDialect)
  static constexpr StringLiteral getDialectNamespace() { return "sdy"; }
  explicit ShardyDialect(MLIRContext *context)
      : TextDialect(getDialectNamespace(), context, TypeID::get<ShardyDialect>()) {}
};

class VhloDialect : public TextDialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VhloDialect)
  static constexpr StringLiteral getDialectNamespace() { return "vhlo"; }
  explicit VhloDialect(MLIRContext *context)
      : TextDialect(getDialectNamespace(), context, TypeID::get<VhloDialect>()) {}

  std::optional<ParseOpHook> getParseOperationHook(StringRef) const override { return ParseOpHook(refusePortable); }
};

} // namespace

void mlir::heddle::hlo::registerTextDialects(DialectRegistry &registry) {
  registry.insert<StableHloDialect, ChloDialect, ShardyDialect, VhloDialect>();
}
