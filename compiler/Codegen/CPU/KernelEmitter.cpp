// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/KernelEmitter.h"

#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Codegen/CPU/FlattenPixels.h"
#include "compiler/Codegen/CPU/Overwrites.h"
#include "compiler/Codegen/CPU/Strategy.h"
#include "compiler/Codegen/Emit/PadBorder.h"
#include "compiler/Codegen/Emit/PartLoop.h"
#include "compiler/Codegen/Emit/ScalarRows.h"
#include "compiler/Codegen/IR/KernelOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

// Of several nests with tiles, what holds for all of them.
Unrolled whatIsUnrolled(ArrayRef<Nest> nests) {
  Unrolled all = Unrolled::Nothing;
  for (const Nest &nest : nests)
    if (Unrolled one = strategyOf(nest.plan)->unrolled(); one != Unrolled::Nothing)
      all = all == Unrolled::Nothing ? one : std::min(all, one);
  return all == Unrolled::Calls && nests.size() > 1 ? Unrolled::Tiles : all;
}

// The nests of one function and the functions made of them.
class KernelEmitter {
public:
  KernelEmitter(func::FuncOp source, const cpu::CpuFeatures &features) : source(source), features(features) {}

  LogicalResult run(const ContractionOverride &tile, KernelReport &report) {
    if (flow::RowsOp rows = getRows(source)) {
      if (failed(markOverwrites()))
        return failure();
      report.nests += "scalar code, a row each workgroup\n";
      return failed(emitRowsHostFunctions(source, 1)) ? failure() : emitRows(rows);
    }
    if (PartLoop::isPartLoop(source)) {
      auto made = PartLoop::create(source);
      if (failed(made))
        return failure();
      parts = std::move(*made);
    }
    func::FuncOp inner = parts ? parts->getPart() : source;
    auto apart = [&](unsigned result) { return parts->findApart(result); };
    auto planned = planNests(flattenResults(inner, features), getNumTensorArguments(source), features, tile,
                             parts ? FindApart(apart) : FindApart());
    if (failed(planned))
      return failure();
    nests = std::move(*planned);
    if (failed(markOverwrites()))
      return failure();
    staged = llvm::any_of(nests, [](const Nest &nest) { return nest.common().binding < 0; });
    for (const Nest &nest : nests) {
      report.nests += (parts ? "in parts: " : "") + describe(nest) + "\n";
    }
    report.unrolled = whatIsUnrolled(nests);
    if (failed(codegen::emitHostFunction(source, "workgroups",
                                         [&](FunctionScalars &scalars) { return countParts(scalars); })) ||
        failed(codegen::emitHostFunction(source, "scratch",
                                         [&](FunctionScalars &scalars) { return scratchOfParts(scalars); })))
      return failure();
    return emitBody();
  }

private:
  // The pairs that the host program was promised (Target::findOverwrites) hold for what is emitted, or nothing is.
  LogicalResult markOverwrites() {
    for (const flow::Overwrite &pair : flow::getOverwrites(source->getParentOp())) {
      if (!readsBeforeWriting(source, nests, pair))
        return source.emitError() << "is to write binding " << pair.result << " over binding " << pair.operand
                                  << ", which its kernel does not read in time: a bug of the compiler";
      for (Nest &nest : nests)
        if (nest.common().binding == pair.result)
          nest.forEach([](PlanCommon &plan) { plan.overwrites = true; });
    }
    return success();
  }

  // Of the longest part, `make`.
  Value ofLongestPart(FunctionScalars &scalars, llvm::function_ref<Value(FunctionScalars &)> make) {
    FunctionScalars longest = parts->longestScalars(scalars);
    Value value = make(longest);
    scalars.joinFailure(longest);
    return value;
  }

  Value countParts(FunctionScalars &scalars) {
    if (!parts)
      return countAll(scalars);
    Value each = ofLongestPart(scalars, [&](FunctionScalars &longest) { return countAll(longest); });
    return scalars.mul(parts->count(scalars), each);
  }

  Value scratchOfParts(FunctionScalars &scalars) {
    return parts ? ofLongestPart(scalars, [&](FunctionScalars &longest) { return scratchBytes(longest); })
                 : scratchBytes(scalars);
  }

  Value countAll(FunctionScalars &scalars) {
    if (staged)
      return scalars.constant(1);
    Value total = scalars.constant(0);
    for (const Nest &nest : nests)
      total = scalars.add(total, countGroups(nest, scalars));
    return total;
  }

  // Workgroups of one nest, each of so many of its blocks as make one worth a core.
  Value countGroups(const Nest &nest, FunctionScalars &scalars) {
    auto groups = [&](const Strategy &one) {
      Value blocks = one.workgroups(scalars), grain = one.grain(scalars);
      if (getConstant(grain) == 1)
        return blocks;
      return scalars.divide(scalars.sub(scalars.add(blocks, grain), scalars.constant(1)), grain);
    };
    std::unique_ptr<Strategy> whole = strategyOf(nest.plan);
    return whole->sharesGrid() ? groups(*whole) : ofRowClass(nest, scalars, groups);
  }

  // Of the row class that the call takes.
  static Value countScratch(const Nest &nest, FunctionScalars &scalars) {
    std::unique_ptr<Strategy> whole = strategyOf(nest.plan);
    if (whole->sharesGrid())
      return whole->scratch(scalars);
    return ofRowClass(nest, scalars, [&](const Strategy &one) { return one.scratch(scalars); });
  }

  static Value stagedBytes(const PlanCommon &nest, FunctionScalars &scalars) {
    int64_t element = storageBytes(cast<RankedTensorType>(nest.value.getType()).getElementType());
    Value bytes = scalars.mul(scalars.product(scalars.sizes(nest.value)), scalars.constant(element));
    return scalars.mul(scalars.ceilDiv(bytes, 64), scalars.constant(64));
  }

  // Staged values keep their memory; what nests use on their way they use one after the other.
  Value scratchBytes(FunctionScalars &scalars) {
    Value kept = scalars.constant(0), shared = scalars.constant(0);
    for (const Nest &nest : nests) {
      shared = scalars.max(shared, countScratch(nest, scalars));
      if (nest.common().binding < 0)
        kept = scalars.add(kept, stagedBytes(nest.common(), scalars));
    }
    return scalars.add(kept, shared);
  }

  // Starts the new function; scalars come before the range of workgroups, `emit`ted code after it.
  LogicalResult emitFunction(llvm::function_ref<LogicalResult(FunctionScalars &, kernel::RangeOp, OpBuilder &)> emit) {
    Location loc = source.getLoc();
    OpBuilder builder(source);
    auto func = func::FuncOp::create(builder, loc, "kernel_loops", builder.getFunctionType({}, {}));
    builder.setInsertionPointToStart(func.addEntryBlock());
    auto range = kernel::RangeOp::create(builder, loc, builder.getIndexType(), builder.getIndexType());
    auto terminator = func::ReturnOp::create(builder, loc);
    builder.setInsertionPoint(range);
    FunctionScalars scalars(source, builder, [&](OpBuilder &b, unsigned i) -> Value {
      return kernel::ConstantOp::create(b, loc, b.getIndexType(), b.getI64IntegerAttr(i));
    });
    OpBuilder body(terminator);
    return emit(scalars, range, body);
  }

  LogicalResult emitRows(flow::RowsOp rows) {
    return emitFunction([&](FunctionScalars &scalars, kernel::RangeOp range, OpBuilder &body) {
      auto loop = scf::ForOp::create(body, source.getLoc(), range.getBegin(), range.getEnd(), scalars.constant(1));
      OpBuilder inner = OpBuilder::atBlockTerminator(loop.getBody());
      return emitRow(rows, inner, scalars, loop.getInductionVar());
    });
  }

  LogicalResult emitBody() {
    return emitFunction([&](FunctionScalars &scalars, kernel::RangeOp range, OpBuilder &body) {
      return parts ? emitParts(scalars, range, body) : emitNestsOf(scalars, range, body);
    });
  }

  void prepare(ElementEmitter &emitter) {
    emitter.hasFma = features.fma;
    emitter.permutedLanes = features.permutedLanes;
  }

  // Workgroup w is workgroup w mod G of part w / G, where G is how many the longest part has.
  LogicalResult emitParts(FunctionScalars &scalars, kernel::RangeOp range, OpBuilder &body) {
    Location loc = source.getLoc();
    FunctionScalars longest = parts->longestScalars(scalars);
    Value each = countAll(longest);
    auto loop = scf::ForOp::create(body, loc, range.getBegin(), range.getEnd(), scalars.constant(1));
    OpBuilder inside = OpBuilder::atBlockTerminator(loop.getBody());
    Value number = arith::DivUIOp::create(inside, loc, loop.getInductionVar(), each);
    Value workgroup = arith::RemUIOp::create(inside, loc, loop.getInductionVar(), each);
    Value after = arith::AddIOp::create(inside, loc, workgroup, scalars.constant(1));
    // Scalars of the part come before what is computed.
    ElementEmitter whole(inside, loc, scalars);
    auto memoryOf = [&](BlockArgument argument) {
      return makeBinding(whole, argument, argument.getArgNumber(), false);
    };
    FunctionScalars own = parts->scalarsOf(scalars, OpBuilder(workgroup.getDefiningOp()), number, memoryOf);
    ElementEmitter emitter(inside, loc, own);
    prepare(emitter);
    func::FuncOp inner = parts->getPart();
    for (BlockArgument argument : source.getArguments().take_front(getNumTensorArguments(source)))
      emitter.bind(inner.getArgument(argument.getArgNumber()), memoryOf(argument));
    for (const PartLoop::Slice &slice : parts->getSlices())
      emitter.bind(slice.argument, parts->sliceOf(slice, memoryOf(slice.source), own));
    wholeOf = [&](unsigned result) {
      Value tensor = source.getBody().front().getTerminator()->getOperand(result);
      return makeBinding(whole, tensor, getNumTensorArguments(source) + result, true, flow::getPitch(source, result));
    };
    auto emitPart = [&] {
      if (parts->hasEqualGrids())
        return emitNests(emitter, longest, workgroup, after);
      // All of the part's workgroups, however many the longest has.
      emitter.strided(workgroup, countAll(own), each, [&](Value mine) {
        emitNests(emitter, own, mine, arith::AddIOp::create(inside, loc, mine, own.constant(1)));
      });
    };
    Value fits = parts->fits(own);
    fits ? emitter.when(fits, emitPart) : emitPart();
    return failure(emitter.failed() || longest.failed() || scalars.failed());
  }

  LogicalResult emitNestsOf(FunctionScalars &scalars, kernel::RangeOp range, OpBuilder &body) {
    Location loc = source.getLoc();
    ElementEmitter emitter(body, loc, scalars);
    prepare(emitter);
    for (BlockArgument argument : source.getArguments().take_front(getNumTensorArguments(source)))
      emitter.bind(argument, makeBinding(emitter, argument, argument.getArgNumber(), false));
    emitNests(emitter, scalars, range.getBegin(), range.getEnd());
    return failure(emitter.failed());
  }

  // Workgroups from `first` to `last`, of those that the scalars `counted` count. One that computes all computes what
  // is there: parts differ in what they stage.
  void emitNests(ElementEmitter &emitter, FunctionScalars &counted, Value first, Value last) {
    FunctionScalars &scalars = emitter.scalars, &grid = staged ? scalars : counted;
    OpBuilder &builder = emitter.lanes.builder;
    Location loc = source.getLoc();
    Value scratch = scalars.constant(0);
    for (const Nest &nest : nests)
      if (nest.common().binding < 0)
        scratch = scalars.add(scratch, stagedBytes(nest.common(), scalars));
    Value base = scalars.constant(0), kept = scalars.constant(0);
    bool isOne = false; // one workgroup computes what follows
    for (const Nest &nest : nests) {
      Value next = scalars.add(base, countGroups(nest, grid));
      bool isStaged = nest.common().binding < 0;
      Buffer output = isStaged ? makeStaged(emitter, nest.common().value, kept) : makeOutput(emitter, nest);
      emitRowClasses(nest, emitter, grid, [&](const Strategy &one) {
        Value begin = scalars.constant(0), end = one.workgroups(grid);
        if (!staged) {
          Value blocks = end;
          begin = arith::SubIOp::create(builder, loc, arith::MaxSIOp::create(builder, loc, first, base), base);
          end = arith::SubIOp::create(builder, loc, arith::MinSIOp::create(builder, loc, last, next), base);
          if (Value grain = one.grain(grid); getConstant(grain) != 1) {
            begin = arith::MulIOp::create(builder, loc, begin, grain);
            end = arith::MinSIOp::create(builder, loc, arith::MulIOp::create(builder, loc, end, grain), blocks);
          }
        }
        emitRange(one, emitter, begin, end, output, scratch);
      });
      isOne |= isStaged;
      // Of several results, later ones read earlier ones.
      if (!isStaged && isOne && !nest.inside && nest.common().apart.none())
        emitter.bind(nest.common().value, output);
      if (isStaged) {
        emitter.bind(nest.common().value, output);
        kept = scalars.add(kept, stagedBytes(nest.common(), scalars));
      }
      base = next;
    }
    if (emitter.streamed)
      kernel::FenceOp::create(builder, loc);
  }

  // Twice where only the call knows whether what is read at computed places has elements
  // (findElements).
  static void emitRange(const Strategy &strategy, ElementEmitter &emitter, Value begin, Value end, const Buffer &output,
                        Value scratch) {
    auto emit = [&] {
      strategy.begin(emitter);
      emitter.loop(begin, end, 1, {}, [&](Value number, ValueRange) -> SmallVector<Value> {
        strategy.emit(emitter, {number, begin, output, scratch});
        return {};
      });
      strategy.end(emitter);
    };
    auto withElements = [&] {
      emitter.allHaveElements = true;
      emit();
      emitter.allHaveElements = false;
    };
    emitter.either(findElements(emitter), withElements, emit);
  }

  Buffer makeStaged(ElementEmitter &emitter, Value tensor, Value offset) {
    OpBuilder &builder = emitter.lanes.builder;
    Type element = emitter.memoryType(cast<RankedTensorType>(tensor.getType()).getElementType());
    auto type = MemRefType::get({ShapedType::kDynamic}, element);
    return emitter.makeBuffer(kernel::ScratchOp::create(builder, source.getLoc(), type, offset), tensor);
  }

  Buffer makeOutput(ElementEmitter &emitter, const Nest &nest) {
    const PlanCommon &plan = nest.common();
    if (parts) {
      unsigned result = plan.binding - getNumTensorArguments(source);
      Buffer place = parts->placeOf(result, wholeOf(result), emitter.scalars);
      tensor::PadOp pad = nest.inside;
      return pad ? insideOf(emitter, pad, place) : place;
    }
    std::optional<flow::Pitch> pitch = flow::getPitch(source, plan.binding - getNumTensorArguments(source));
    if (tensor::PadOp pad = nest.inside)
      return insideOf(emitter, pad, makeBinding(emitter, pad.getResult(), plan.binding, true, pitch));
    return makeBinding(emitter, plan.value, plan.binding, true, pitch);
  }

  Buffer makeBinding(ElementEmitter &emitter, Value tensor, int64_t index, bool written,
                     const std::optional<flow::Pitch> &pitch = {}) {
    OpBuilder &builder = emitter.scalars.getEntry();
    Type element = emitter.memoryType(cast<RankedTensorType>(tensor.getType()).getElementType());
    auto type = MemRefType::get({ShapedType::kDynamic}, element);
    Value memory = kernel::BindingOp::create(builder, source.getLoc(), type, index, written);
    return emitter.makeBuffer(memory, tensor, pitch);
  }

  func::FuncOp source;
  const cpu::CpuFeatures &features;
  std::unique_ptr<PartLoop> parts;                // of a kernel that computes parts
  std::function<Buffer(unsigned result)> wholeOf; // memory of a result, of which the part is a slice
  std::vector<Nest> nests;
  bool staged = false; // some nest reads another one's memory: one workgroup computes all
};

} // namespace

LogicalResult mlir::heddle::codegen::emitKernel(func::FuncOp source, const cpu::CpuFeatures &features,
                                                const ContractionOverride &tile, KernelReport &report) {
  return KernelEmitter(source, features).run(tile, report);
}
