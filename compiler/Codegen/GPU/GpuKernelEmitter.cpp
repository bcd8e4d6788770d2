// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/GPU/GpuKernelEmitter.h"

#include "compiler/Codegen/Emit/PadBorder.h"
#include "compiler/Codegen/Emit/PartLoop.h"
#include "compiler/Codegen/Emit/ScalarRows.h"
#include "compiler/Codegen/GPU/GpuStrategy.h"
#include "compiler/Codegen/IR/KernelOps.h"
#include "compiler/Codegen/Plan/BorderPlanner.h"
#include "heddle/contract/SpirvAbi.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;
namespace abi = ::heddle::contract::spirv;

static std::vector<GpuNest> planGpuNests(func::FuncOp source, unsigned firstBinding, const gpu::GpuFeatures &features) {
  std::vector<GpuNest> nests;
  unsigned binding = firstBinding;
  bool isAlone = source.getNumResults() == 1;
  for (Value value : source.getBody().front().getTerminator()->getOperands()) {
    tensor::PadOp pad = matchBorder(value);
    bool hasBorder = pad && analyze(pad.getSource(), {}).hasReductions();
    if (hasBorder)
      nests.push_back({value, binding, {}, GpuBorder{pad}});
    nests.push_back(planGpuNest(hasBorder ? pad.getSource() : value, binding++, features, isAlone));
    if (hasBorder)
      nests.back().inside = pad;
  }
  return nests;
}

namespace {

class GpuKernelEmitter {
public:
  GpuKernelEmitter(func::FuncOp source, const gpu::GpuFeatures &features)
      : source(source), features(features), tensors(getNumTensorArguments(source)) {}

  LogicalResult run(std::string *report) {
    if (flow::RowsOp rows = getRows(source)) {
      if (report)
        *report += "scalar code, a row each invocation\n";
      auto count = [&](FunctionScalars &scalars) {
        return scalars.ceilDiv(scalars.get(rows.getRows()), features.invocations);
      };
      return failed(emitHostFunctions(count)) ? failure() : emitRows(rows);
    }
    if (PartLoop::isPartLoop(source)) {
      auto made = PartLoop::create(source);
      if (failed(made))
        return failure();
      parts = std::move(*made);
    }
    nests = planGpuNests(parts ? parts->getPart() : source, tensors, features);
    if (report)
      for (const GpuNest &nest : nests)
        *report += (parts ? "in parts: " : "") + strategyOf(nest, features)->describe() + "\n";
    if (failed(emitHostFunctions([&](FunctionScalars &scalars) { return countParts(scalars); })))
      return failure();
    return emitBody();
  }

private:
  LogicalResult emitHostFunctions(llvm::function_ref<Value(FunctionScalars &)> count) {
    if (failed(codegen::emitHostFunction(
            source, "workgroups", [&](FunctionScalars &scalars) { return refuseElements(scalars, count(scalars)); })))
      return failure();
    return codegen::emitHostFunction(source, "scratch", [&](FunctionScalars &scalars) { return scalars.constant(0); });
  }

  // kTooManyElements in place of the number of workgroups where a tensor of free size has too many.
  Value refuseElements(FunctionScalars &scalars, Value workgroups) {
    Value most;
    auto count = [&](Value elements) { most = most ? scalars.max(most, elements) : elements; };
    for (BlockArgument tensor : source.getArguments().take_front(tensors))
      if (!cast<RankedTensorType>(tensor.getType()).hasStaticShape())
        count(scalars.product(scalars.sizes(tensor)));
    for (auto [i, tensor] : llvm::enumerate(source.getBody().front().getTerminator()->getOperands())) {
      if (flow::getSpannedType(source, i).hasStaticShape())
        continue;
      SmallVector<Value> sizes = scalars.sizes(tensor);
      if (std::optional<flow::Pitch> pitch = flow::getPitch(source, i)) {
        sizes.resize(pitch->outer);
        sizes.push_back(scalars.pitchOf(*pitch));
      }
      count(scalars.product(sizes));
    }
    if (!most)
      return workgroups;
    OpBuilder &builder = scalars.getBuilder();
    Value limit = scalars.constant(features.elements), refused = scalars.constant(abi::kTooManyElements);
    Value isTooMany = arith::CmpIOp::create(builder, source.getLoc(), arith::CmpIPredicate::sgt, most, limit);
    return arith::SelectOp::create(builder, source.getLoc(), isTooMany, refused, workgroups);
  }

  Value countParts(FunctionScalars &scalars) {
    if (!parts)
      return countAll(scalars);
    FunctionScalars longest = parts->longestScalars(scalars);
    Value each = countAll(longest);
    scalars.joinFailure(longest);
    return scalars.mul(parts->count(scalars), each);
  }

  Value countAll(FunctionScalars &scalars) {
    Value total = scalars.constant(0);
    for (const GpuNest &nest : nests)
      total = scalars.add(total, strategyOf(nest, features)->workgroups(scalars));
    return total;
  }

  using EmitCode = llvm::function_ref<LogicalResult(FunctionScalars &, Value, Value, OpBuilder &)>;

  // Starts the new function; scalars come before the numbers of workgroup and invocation, `emit`ted code after them.
  LogicalResult emitFunction(EmitCode emit) {
    Location loc = source.getLoc();
    OpBuilder builder(source);
    auto func = func::FuncOp::create(builder, loc, "kernel_invocation", builder.getFunctionType({}, {}));
    func->setAttr(kBindingsAttr, builder.getI64IntegerAttr(tensors + source.getNumResults()));
    func->setAttr(kConstantsAttr, builder.getI64IntegerAttr(source.getNumArguments() - tensors));
    if (gpu::needsAddresses(source, features))
      func->setAttr(kAddressesAttr, builder.getUnitAttr());
    else if (gpu::mayNeedAddresses(source, features))
      func->setAttr(kMayNeedAddressesAttr, builder.getUnitAttr());
    builder.setInsertionPointToStart(func.addEntryBlock());
    auto workgroup = kernel::WorkgroupOp::create(builder, loc, builder.getIndexType());
    auto invocation = kernel::InvocationOp::create(builder, loc, builder.getIndexType());
    auto terminator = func::ReturnOp::create(builder, loc);
    builder.setInsertionPoint(workgroup);
    FunctionScalars scalars(source, builder, [&](OpBuilder &b, unsigned i) -> Value {
      return kernel::ConstantOp::create(b, loc, b.getIndexType(), b.getI64IntegerAttr(i));
    });
    OpBuilder body(terminator);
    return emit(scalars, workgroup, invocation, body);
  }

  LogicalResult emitRows(flow::RowsOp rows) {
    return emitFunction([&](FunctionScalars &scalars, Value workgroup, Value invocation, OpBuilder &body) {
      Location loc = source.getLoc();
      Value first = arith::MulIOp::create(body, loc, workgroup, scalars.constant(features.invocations));
      Value row = arith::AddIOp::create(body, loc, first, invocation);
      Value exists = arith::CmpIOp::create(body, loc, arith::CmpIPredicate::ult, row, scalars.get(rows.getRows()));
      auto branch = scf::IfOp::create(body, loc, exists, /*withElseRegion=*/false);
      OpBuilder inner = branch.getThenBodyBuilder();
      return emitRow(rows, inner, scalars, row);
    });
  }

  LogicalResult emitBody() {
    return emitFunction([&](FunctionScalars &scalars, Value workgroup, Value invocation, OpBuilder &body) {
      return parts ? emitParts(scalars, workgroup, invocation, body)
                   : emitNestsOf(scalars, workgroup, invocation, body);
    });
  }

  // Workgroup w is workgroup w mod G of part w / G, where G is how many the longest part has.
  LogicalResult emitParts(FunctionScalars &scalars, Value workgroup, Value invocation, OpBuilder &body) {
    Location loc = source.getLoc();
    FunctionScalars longest = parts->longestScalars(scalars);
    Value each = countAll(longest);
    Value part = arith::DivUIOp::create(body, loc, workgroup, each);
    Value mine = arith::RemUIOp::create(body, loc, workgroup, each);
    // Scalars of the part come before what is computed.
    ElementEmitter whole(body, loc, scalars);
    auto memoryOf = [&](BlockArgument argument) {
      return makeBinding(whole, argument, argument.getArgNumber(), false);
    };
    FunctionScalars own = parts->scalarsOf(scalars, OpBuilder(mine.getDefiningOp()), part, memoryOf);
    ElementEmitter emitter(body, loc, own);
    func::FuncOp inner = parts->getPart();
    for (BlockArgument argument : source.getArguments().take_front(tensors))
      emitter.bind(inner.getArgument(argument.getArgNumber()), memoryOf(argument));
    for (const PartLoop::Slice &slice : parts->getSlices())
      emitter.bind(slice.argument, parts->sliceOf(slice, memoryOf(slice.source), own));
    wholeOf = [&](unsigned result) {
      Value tensor = source.getBody().front().getTerminator()->getOperand(result);
      return makeBinding(whole, tensor, tensors + result, true, flow::getPitch(source, result));
    };
    auto emitPart = [&] {
      if (parts->hasEqualGrids())
        return emitNests(emitter, longest, mine, invocation);
      // All of the part's workgroups, however many the longest has.
      emitter.strided(mine, countAll(own), each, [&](Value one) {
        emitNests(emitter, own, one, invocation);
        kernel::BarrierOp::create(body, loc); // before the next one writes shared memory
      });
    };
    Value fits = parts->fits(own);
    fits ? emitter.when(fits, emitPart) : emitPart();
    return failure(emitter.failed() || longest.failed() || scalars.failed());
  }

  LogicalResult emitNestsOf(FunctionScalars &scalars, Value workgroup, Value invocation, OpBuilder &body) {
    ElementEmitter emitter(body, source.getLoc(), scalars);
    for (BlockArgument argument : source.getArguments().take_front(tensors))
      emitter.bind(argument, makeBinding(emitter, argument, argument.getArgNumber(), false));
    emitNests(emitter, scalars, workgroup, invocation);
    return failure(emitter.failed());
  }

  // The nests' workgroups follow one another; which one it is, all invocations of a workgroup agree on.
  void emitNests(ElementEmitter &emitter, FunctionScalars &grid, Value workgroup, Value invocation) {
    OpBuilder &builder = emitter.lanes.builder;
    FunctionScalars &scalars = emitter.scalars;
    Value base = scalars.constant(0);
    for (const GpuNest &nest : nests) {
      tensor::PadOp pad = nest.inside;
      unsigned result = nest.binding - tensors;
      Buffer output = parts ? parts->placeOf(result, wholeOf(result), scalars)
                            : makeBinding(emitter, pad ? pad.getResult() : nest.value, nest.binding, true,
                                          flow::getPitch(source, result));
      if (pad)
        output = insideOf(emitter, pad, output);
      // As unsigned numbers: those before the base are above every count.
      Value number = builder.createOrFold<arith::SubIOp>(source.getLoc(), workgroup, base);
      std::unique_ptr<GpuStrategy> strategy = strategyOf(nest, features);
      Value count = strategy->workgroups(grid);
      Value mine = builder.createOrFold<arith::CmpIOp>(source.getLoc(), arith::CmpIPredicate::ult, number, count);
      emitter.when(mine, [&] { strategy->emit(emitter, {number, invocation, output}); });
      base = scalars.add(base, count);
    }
  }

  Buffer makeBinding(ElementEmitter &emitter, Value tensor, int64_t index, bool written,
                     const std::optional<flow::Pitch> &pitch = {}) {
    Type element = emitter.memoryType(cast<RankedTensorType>(tensor.getType()).getElementType());
    auto type = MemRefType::get({ShapedType::kDynamic}, element);
    return emitter.makeBuffer(
        kernel::BindingOp::create(emitter.scalars.getEntry(), source.getLoc(), type, index, written), tensor, pitch);
  }

  func::FuncOp source;
  const gpu::GpuFeatures &features;
  unsigned tensors;
  std::unique_ptr<PartLoop> parts;                // of a kernel that computes parts
  std::function<Buffer(unsigned result)> wholeOf; // memory of a result, of which the part is a slice
  std::vector<GpuNest> nests;
};

} // namespace

void mlir::heddle::codegen::setLaunch(Operation *program, int64_t invocations, int64_t sharedBytes) {
  program->setDiscardableAttr(kLaunchAttr,
                              DenseI64ArrayAttr::get(program->getContext(), {invocations, 1, 1, sharedBytes}));
}

LogicalResult mlir::heddle::codegen::emitGpuKernel(func::FuncOp source, const gpu::GpuFeatures &features,
                                                   std::string *report) {
  return GpuKernelEmitter(source, features).run(report);
}

bool mlir::heddle::codegen::usesBlocks(func::FuncOp source, const gpu::GpuFeatures &features) {
  return !getRows(source) &&
         llvm::any_of(planGpuNests(source, getNumTensorArguments(source), features),
                      [](const GpuNest &nest) { return std::holds_alternative<GpuPanels>(nest.plan); });
}
