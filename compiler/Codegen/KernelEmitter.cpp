#include "compiler/Codegen/KernelEmitter.h"

#include "compiler/Codegen/Configure.h"
#include "compiler/Codegen/IR/KernelOps.h"
#include "compiler/Codegen/Nest.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

// The nests of one function and the functions made of them.
class KernelEmitter {
public:
  KernelEmitter(func::FuncOp source, const cpu::CpuFeatures &features) : source(source), features(features) {}

  LogicalResult run(std::string *report) {
    for (auto [position, value] : llvm::enumerate(source.getBody().front().getTerminator()->getOperands()))
      nests.push_back(makeNest(value, getNumTensorArguments(source) + position, features));
    if (report)
      for (const Nest &nest : nests)
        *report += describe(nest) + "\n";
    if (failed(emitHostFunction("workgroups", [&](FunctionScalars &scalars) { return countAll(scalars); })) ||
        failed(emitHostFunction("scratch", [&](FunctionScalars &scalars) { return scratchBytes(scalars); })))
      return failure();
    return emitBody();
  }

private:
  Value countAll(FunctionScalars &scalars) {
    Value total = scalars.constant(0);
    for (const Nest &nest : nests)
      total = scalars.add(total, countWorkgroups(nest, scalars));
    return total;
  }

  // Nests of a kernel use scratch one after the other.
  Value scratchBytes(FunctionScalars &scalars) {
    Value bytes = scalars.constant(0);
    for (const Nest &nest : nests)
      bytes = scalars.max(bytes, countScratch(nest, scalars));
    return bytes;
  }

  LogicalResult emitHostFunction(StringRef name, function_ref<Value(FunctionScalars &)> make) {
    OpBuilder builder(source);
    unsigned tensors = getNumTensorArguments(source);
    SmallVector<Type> inputs(source.getArgumentTypes().drop_front(tensors));
    auto type = builder.getFunctionType(inputs, builder.getIndexType());
    auto func = func::FuncOp::create(builder, source.getLoc(), name, type);
    Block *block = func.addEntryBlock();
    builder.setInsertionPointToStart(block);
    auto terminator = func::ReturnOp::create(builder, source.getLoc());
    builder.setInsertionPoint(terminator);
    FunctionScalars scalars(source, builder, [&](OpBuilder &, unsigned i) { return block->getArgument(i); });
    Value value = make(scalars);
    if (!value)
      return failure();
    terminator->setOperands(value);
    return success();
  }

  LogicalResult emitBody() {
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
    ElementEmitter emitter(body, loc, scalars);
    for (BlockArgument argument : source.getArguments().take_front(getNumTensorArguments(source)))
      emitter.bind(argument, makeBinding(emitter, argument, argument.getArgNumber(), false));
    Value base = scalars.constant(0);
    for (const Nest &nest : nests) {
      Value next = scalars.add(base, countWorkgroups(nest, scalars));
      Value begin = arith::MaxSIOp::create(body, loc, range.getBegin(), base);
      Value end = arith::MinSIOp::create(body, loc, range.getEnd(), next);
      Buffer output = makeBinding(emitter, nest.value, nest.binding, true);
      emitter.loop(begin, end, 1, {}, [&](Value workgroup, ValueRange) -> SmallVector<Value> {
        emitWorkgroup(nest, emitter, arith::SubIOp::create(body, loc, workgroup, base), output);
        return {};
      });
      base = next;
    }
    return failure(emitter.failed());
  }

  Buffer makeBinding(ElementEmitter &emitter, Value tensor, int64_t index, bool written) {
    OpBuilder &builder = emitter.scalars.getBuilder();
    Type element = emitter.memoryType(cast<RankedTensorType>(tensor.getType()).getElementType());
    auto type = MemRefType::get({ShapedType::kDynamic}, element);
    Value memory = kernel::BindingOp::create(builder, source.getLoc(), type, index, written);
    return emitter.makeBuffer(memory, tensor);
  }

  func::FuncOp source;
  const cpu::CpuFeatures &features;
  SmallVector<Nest> nests;
};

} // namespace

LogicalResult mlir::heddle::codegen::emitKernel(func::FuncOp source, const cpu::CpuFeatures &features,
                                                std::string *report) {
  return KernelEmitter(source, features).run(report);
}
