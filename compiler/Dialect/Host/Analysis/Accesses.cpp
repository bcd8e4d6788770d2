// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Analysis/Accesses.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::heddle::host;

SmallVector<Access> mlir::heddle::host::accessesOf(Operation *op, const Assumptions &assumptions) {
  SmallVector<Access> all;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](DispatchOp dispatch) {
        for (auto [i, buffer] : llvm::enumerate(dispatch.getBindings()))
          all.push_back({buffer, regionOf(buffer, assumptions), dispatch.reads(i), dispatch.writes(i)});
      })
      .Case([&](CopyOp copy) {
        all.push_back({copy.getSource(),
                       regionOf(copy.getSource(), copy.getSourceOffset(), copy.getSize(), assumptions), true, false});
        all.push_back({copy.getTarget(),
                       regionOf(copy.getTarget(), copy.getTargetOffset(), copy.getSize(), assumptions), false, true});
      })
      .Case([&](FillOp fill) {
        all.push_back(
            {fill.getTarget(), regionOf(fill.getTarget(), fill.getOffset(), fill.getSize(), assumptions), false, true});
      })
      .Case([&](ReadOp read) {
        BufferRegion region = regionOf(read.getSource(), assumptions);
        unsigned bits = read.getType().isIndex() ? 64 : read.getType().getIntOrFloatBitWidth();
        region.offset = region.offset + Polynomial::of(read.getOffset());
        region.size = Polynomial((bits + 7) / 8);
        all.push_back({read.getSource(), region, true, false});
      })
      .Case([&](FreeOp free) {
        BufferRegion region{{}, regionOf(free.getBuffer(), assumptions).root, {}, {}, {}};
        all.push_back({free.getBuffer(), region, false, true});
      });
  return all;
}

SmallVector<bool> mlir::heddle::host::writtenArguments(FuncOp func) {
  SmallVector<Value> open;
  func.walk([&](Operation *op) {
    for (const Access &access : accessesOf(op))
      if (access.writes && !isa<FreeOp>(op))
        open.push_back(access.region.root);
  });
  SmallVector<bool> written(func.getArgumentsAttr().size());
  for (llvm::DenseSet<Value> seen; !open.empty();) {
    Value next = regionOf(open.pop_back_val()).root;
    if (!seen.insert(next).second)
      continue;
    if (func.describe(next))
      written[cast<BlockArgument>(next).getArgNumber() - 1] = true;
    llvm::append_range(open, sourcesOf(next, Assumptions()));
  }
  return written;
}

std::string mlir::heddle::host::describe(Operation *op) {
  std::string text = "'" + op->getName().getStringRef().str() + "'";
  if (auto dispatch = dyn_cast<DispatchOp>(op))
    text += " of @" + dispatch.getExecutable().str();
  return text;
}

LogicalResult mlir::heddle::host::reportViolation(Operation *op, const Twine &message, const Assumptions &assumptions,
                                                  Operation *other) {
  InFlightDiagnostic diagnostic = op->emitOpError() << message << assumptions.describe();
  if (other)
    diagnostic.attachNote(other->getLoc()) << "the other op";
  return diagnostic;
}
