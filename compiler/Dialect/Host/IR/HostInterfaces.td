// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_HOST_INTERFACES
#define HEDDLE_HOST_INTERFACES

include "mlir/IR/OpBase.td"

def Host_OpInterface : OpInterface<"HostOpInterface"> {
  let cppNamespace = "::mlir::heddle::host";
  let description = [{
    The row of an op in the table of host ops: all that analyses, interpreters and `package` know of it. What a row does
    not state is the default: no access, no order, no memory, known at compile time. The rows stand in HostTable.cpp.
  }];
  let methods = [
    InterfaceMethod<"The instruction it becomes; of several, the plain one.",
      "::heddle::contract::Opcode", "getOpcode", (ins), "", "return ConcreteOp::kOpcode;">,
    InterfaceMethod<"What it does to buffers, in the order of its operands.",
      "::llvm::SmallVector<::mlir::heddle::host::HostAccess>", "getAccesses", (ins), "", "return {};">,
    InterfaceMethod<"The stream it is issued on: its first operand, if that is a stream. Null: the host does it at once.",
      "::mlir::Value", "getQueue", (ins), "",
      "return ::mlir::heddle::host::firstStream($_op.getOperation());">,
    InterfaceMethod<"What comes after what from here on, one after the other.",
      "::llvm::SmallVector<::mlir::heddle::host::HostOrder>", "getOrders", (ins), "", "return {};">,
    InterfaceMethod<"What memory its result is.",
      "::mlir::heddle::host::StorageKind", "getStorageKind", (ins), "",
      "return ::mlir::heddle::host::StorageKind::None;">,
    InterfaceMethod<"When its result is known, whatever it is computed from.",
      "::mlir::heddle::host::BindingTime", "getBindingTime", (ins), "",
      "return ::mlir::heddle::host::BindingTime::Compile;">,
    InterfaceMethod<[{
      Appends its instructions. Default: one of its opcode, whose operands are the results and then the operands, in
      order. Failure: a diagnostic that says why an artifact cannot hold it.
    }], "::llvm::LogicalResult", "encode", (ins "::mlir::heddle::host::HostEncoder &":$encoder), "",
      "return ::mlir::heddle::host::encodePlain($_op.getOperation(), ConcreteOp::kOpcode, encoder);">,
    InterfaceMethod<"Runs it on a machine. Failure: what the machine's fail() said.",
      "::llvm::LogicalResult", "step", (ins "::mlir::heddle::host::HostMachine &":$machine)>
  ];
}

#endif // HEDDLE_HOST_INTERFACES
