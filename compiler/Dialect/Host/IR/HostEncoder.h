// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What host ops write their instructions with (contract/Instructions.def). Implemented by `package`, which knows
// registers and the artifact's tables.
//
//   LogicalResult FillOp::encode(HostEncoder &encoder) {
//     return encoder.write(Opcode::Fill, {encoder.of(getStream()), …, HostEncoder::word(getPatternBytes())});
//   }
#ifndef HEDDLE_COMPILER_DIALECT_HOST_IR_HOSTENCODER_H
#define HEDDLE_COMPILER_DIALECT_HOST_IR_HOSTENCODER_H

#include "compiler/Dialect/Host/IR/HostOps.h"

namespace mlir::heddle::host {

class HostEncoder {
public:
  using Opcode = ::heddle::contract::Opcode;
  // One operand of an instruction; what it is stands in the instruction's operand string.
  struct Operand {
    enum class Kind { Word, Label, List, Constant } kind;
    int64_t value = 0;
    SmallVector<uint32_t> list = {};
  };
  static Operand word(uint32_t value) { return {Operand::Kind::Word, value}; }

  virtual ~HostEncoder() = default;

  // Appends an instruction. One that is too long is reported when the function ends.
  virtual void emit(Opcode opcode, ArrayRef<Operand> operands) = 0;
  // The same, as the end of an op's encode().
  LogicalResult write(Opcode opcode, ArrayRef<Operand> operands) { return emit(opcode, operands), success(); }

  // The register of a value; a list of those of several.
  virtual Operand of(Value value) = 0;
  virtual Operand of(ValueRange values) = 0;
  // The register of a number, and one that an instruction of scalar operands writes: sizes that no value has.
  virtual Operand constant(int64_t value) = 0;
  virtual Operand compute(Opcode opcode, ArrayRef<Operand> operands) = 0;

  // Indices into the artifact's tables, entered at first sight.
  virtual Operand device(FlatSymbolRefAttr name) = 0;
  virtual Operand parameter(FlatSymbolRefAttr name) = 0;
  virtual Operand plan(PlanOp op) = 0;
  virtual Operand bound(StringRef name, bool isBuffer) = 0;
  virtual Operand layout(Attribute layout) = 0;
  virtual Operand message(StringRef text) = 0;
  virtual Operand mesh(FlatSymbolRefAttr name) = 0;
  virtual Operand collective(CollectiveOp op) = 0;
  // Fails with a diagnostic where another dispatch uses the executable in another way.
  virtual FailureOr<Operand> executable(DispatchOp op) = 0;

  // That the next instruction views runs of `bytes` bytes, `stride` apart, and not what lies between.
  virtual void noteRuns(Operand bytes, Operand stride) = 0;

  // Whether a device is that of the call's stream.
  virtual bool isDefault(FlatSymbolRefAttr device) = 0;
};

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_IR_HOSTENCODER_H
