// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/IR/KernelOps.h"
#include "compiler/Codegen/Link/SharedObject.h"
#include "compiler/Stages/Codegen/Passes.h"
#include "compiler/Stages/Codegen/SharedCode.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/xxhash.h"

#include <map>

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_SHARECODE
#include "compiler/Stages/Codegen/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// Of a mask of the first lanes of a vector: how many they are.
std::optional<int32_t> firstLanes(Attribute value) {
  auto lanes = dyn_cast<DenseIntElementsAttr>(value);
  if (!lanes || lanes.isSplat() || !lanes.getElementType().isInteger(1))
    return std::nullopt;
  SmallVector<bool> bits(lanes.getValues<bool>());
  auto end = llvm::find(bits, false);
  if (std::find(end, bits.end(), true) != bits.end())
    return std::nullopt;
  return static_cast<int32_t>(end - bits.begin());
}

// The bits of a number, or of one that all elements of a vector are: f32, i32, i8, or an i64 of 32 bits. Of a mask of
// first lanes: their number.
std::optional<int32_t> bitsOf(LLVM::ConstantOp op) {
  Attribute value = op.getValue();
  if (std::optional<int32_t> lanes = firstLanes(value))
    return lanes;
  if (auto splat = dyn_cast<SplatElementsAttr>(value))
    value = splat.getSplatValue<Attribute>();
  Type type = getElementTypeOrSelf(op.getType());
  if (auto real = dyn_cast<FloatAttr>(value); real && type.isF32())
    return static_cast<int32_t>(real.getValue().bitcastToAPInt().getZExtValue());
  auto integer = dyn_cast<IntegerAttr>(value);
  if (integer && type.isIntOrIndex() && integer.getValue().getSignificantBits() <= 32 &&
      (type.isInteger(64) || type.isInteger(32) || type.isInteger(8)))
    return static_cast<int32_t>(integer.getValue().getSExtValue());
  return std::nullopt;
}

// Whether the op calculates with its operand, and no better for knowing what it is.
bool onlyCalculates(OpOperand &use, LLVM::ConstantOp constant) {
  Operation *op = use.getOwner();
  if (isa<LLVM::FDivOp>(op)) { // by a power of two: a product
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    auto value = dyn_cast<FloatAttr>(splat ? splat.getSplatValue<Attribute>() : constant.getValue());
    return use.getOperandNumber() == 0 || (value && !value.getValue().getExactInverse(nullptr));
  }
  if (isa<LLVM::MulOp>(op)) // by a power of two: a shift
    return !llvm::isPowerOf2_32(static_cast<uint32_t>(*bitsOf(constant)));
  if (isa<LLVM::InsertElementOp>(op))
    return use.getOperandNumber() == 1;
  if (isa<LLVM::SelectOp, LLVM::CondBrOp>(op))
    return use.getOperandNumber() != 0;
  if (isa<LLVM::StoreOp>(op))
    return use.getOperandNumber() == 0;
  return isa<LLVM::BrOp, LLVM::FAddOp, LLVM::FSubOp, LLVM::FMulOp, LLVM::FMAOp, LLVM::FMulAddOp, LLVM::FCmpOp,
             LLVM::MaxNumOp, LLVM::MinNumOp, LLVM::MaximumOp, LLVM::MinimumOp, LLVM::AddOp, LLVM::SubOp, LLVM::ICmpOp,
             LLVM::SMaxOp, LLVM::SMinOp, LLVM::UMaxOp, LLVM::UMinOp>(op);
}

// Whether the op does the same with a number from memory, if slower.
bool mayBeRead(OpOperand &use) {
  Operation *op = use.getOwner();
  bool isVector = isa<VectorType>(use.get().getType());
  if (isa<LLVM::SDivOp, LLVM::UDivOp, LLVM::SRemOp, LLVM::URemOp>(op)) // no processor divides vectors of integers
    return !isVector || use.getOperandNumber() == 0;
  if (isa<LLVM::InsertElementOp>(op)) // a place in a register is part of an instruction
    return use.getOperandNumber() == 1;
  return !isa<LLVM::AllocaOp, LLVM::ExtractElementOp, LLVM::SwitchOp, LLVM::CallIntrinsicOp, LLVM::ReturnOp>(op);
}

// A place of a program that holds a number.
struct Number {
  OpOperand *use;
  LLVM::ConstantOp constant;
};

// A program's code as words, in which two programs that may share theirs are equal. Attributes and types are unique
// within a context, so their addresses stand for them.
class Description {
public:
  // With `sizes` also addresses, sizes and whatever else may be read may differ.
  Description(kernel::ProgramOp program, bool sizes) : sizes(sizes) {
    add(program.getTarget().getAsOpaquePointer());
    add(static_cast<uint64_t>(sizes));
    add(static_cast<uint64_t>(program->hasAttr(codegen::kColdAttr)));
    if (Attribute features = program->getAttr("kernel.features"))
      add(features.getAsOpaquePointer());
    for (Operation &op : program.getBody().front())
      if (isa<LLVM::LLVMDialect>(op.getDialect()))
        add(&op);
  }

  SmallVector<Number> numbers; // that may differ

  // Equal for equal words; for others by an accident of 128 bits.
  std::pair<uint64_t, uint64_t> hash() const {
    llvm::XXH128_hash_t hash =
        llvm::xxh3_128bits(ArrayRef(reinterpret_cast<const uint8_t *>(words.data()), words.size() * sizeof(uint64_t)));
    return {hash.low64, hash.high64};
  }

private:
  void add(const void *pointer) { words.push_back(reinterpret_cast<uintptr_t>(pointer)); }
  void add(uint64_t word) { words.push_back(word); }
  void add(Value value) { add(static_cast<uint64_t>(values.try_emplace(value, values.size()).first->second)); }

  // A constant counts where it is used: of two sizes that are equal in one program only, each is a number.
  void add(OpOperand &use) {
    auto constant = use.get().getDefiningOp<LLVM::ConstantOp>();
    if (!constant)
      return add(use.get());
    add(constant.getType().getAsOpaquePointer());
    if (mayDiffer(use, constant))
      numbers.push_back({&use, constant});
    else
      add(constant.getValue().getAsOpaquePointer());
  }

  bool mayDiffer(OpOperand &use, LLVM::ConstantOp constant) const {
    if (!bitsOf(constant))
      return false;
    Type type = getElementTypeOrSelf(constant.getType());
    return sizes ? mayBeRead(use) : !type.isInteger(64) && !type.isInteger(1) && onlyCalculates(use, constant);
  }

  void add(Operation *op) {
    if (isa<LLVM::ConstantOp>(op))
      return;
    add(op->getName().getAsOpaquePointer());
    add(op->getAttrDictionary().getAsOpaquePointer());
    for (auto count : {op->getNumOperands(), op->getNumResults(), op->getNumSuccessors(), op->getNumRegions()})
      add(static_cast<uint64_t>(count));
    for (OpOperand &operand : op->getOpOperands())
      add(operand);
    for (Value result : op->getResults()) {
      add(result.getType().getAsOpaquePointer());
      add(result);
    }
    for (Block *successor : op->getSuccessors())
      add(static_cast<uint64_t>(blocks.try_emplace(successor, blocks.size()).first->second));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        add(block);
  }

  void add(Block &block) {
    add(static_cast<uint64_t>(blocks.try_emplace(&block, blocks.size()).first->second));
    add(static_cast<uint64_t>(block.getNumArguments()));
    for (BlockArgument argument : block.getArguments()) {
      add(argument.getType().getAsOpaquePointer());
      add(argument);
    }
    add(static_cast<uint64_t>(llvm::count_if(block, [](Operation &op) { return !isa<LLVM::ConstantOp>(op); })));
    for (Operation &op : block)
      add(&op);
  }

  bool sizes;
  SmallVector<uint64_t, 0> words;
  DenseMap<Value, uint64_t> values;
  DenseMap<Block *, uint64_t> blocks;
};

struct Sharer {
  kernel::ProgramOp program;
  SmallVector<Number> numbers;
};

// The table of the program that stands for the others, with its own numbers.
LLVM::GlobalOp makeTable(kernel::ProgramOp program, ArrayRef<int32_t> words) {
  OpBuilder builder = OpBuilder::atBlockBegin(&program.getBody().front());
  auto type = LLVM::LLVMArrayType::get(builder.getI32Type(), words.size());
  // Weak, so that nobody takes what it holds for known; hidden, so that it is reached without a table of the loader's.
  auto table = LLVM::GlobalOp::create(builder, program.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Weak,
                                      codegen::kNumbersSymbol, builder.getI32TensorAttr(words), /*alignment=*/64);
  table.setVisibility_(LLVM::Visibility::Hidden);
  table.setDsoLocal(true);
  return table;
}

Value splat(OpBuilder &builder, Location loc, Value number, VectorType type) {
  Value none = LLVM::PoisonOp::create(builder, loc, type);
  Value zero = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), builder.getI64IntegerAttr(0));
  number = LLVM::InsertElementOp::create(builder, loc, none, number, zero);
  SmallVector<int32_t> all(type.getNumElements(), 0);
  return LLVM::ShuffleVectorOp::create(builder, loc, number, none, all);
}

// The mask of the first `count` (i32) lanes. Lanes of numbers as wide as 512 bits have room for compare fastest.
Value maskOf(OpBuilder &builder, Location loc, Value count, VectorType mask) {
  int64_t lanes = mask.getNumElements();
  Type number = builder.getIntegerType(lanes <= 16 ? 32 : lanes <= 32 ? 16 : 8);
  auto type = VectorType::get(lanes, number);
  if (!number.isInteger(32))
    count = LLVM::TruncOp::create(builder, loc, number, count);
  SmallVector<Attribute> steps;
  for (int64_t lane = 0; lane < lanes; ++lane)
    steps.push_back(builder.getIntegerAttr(number, lane));
  Value lane = LLVM::ConstantOp::create(builder, loc, type, DenseElementsAttr::get(type, steps));
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult, lane, splat(builder, loc, count, type));
}

// What stands at `place` of the table, read where the function begins.
Value readFromTable(LLVM::GlobalOp table, LLVM::LLVMFuncOp function, Type type, size_t place) {
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  Location loc = function.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type element = getElementTypeOrSelf(type), word = element.isInteger() ? builder.getI32Type() : element;
  Value address = LLVM::AddressOfOp::create(builder, loc, table);
  address = LLVM::GEPOp::create(builder, loc, pointer, builder.getI32Type(), address,
                                LLVM::GEPArg(static_cast<int32_t>(place)));
  Value number = LLVM::LoadOp::create(builder, loc, word, address, /*alignment=*/4, /*isVolatile=*/false,
                                      /*isNonTemporal=*/false, /*isInvariant=*/true);
  if (element.isInteger(1))
    return maskOf(builder, loc, number, cast<VectorType>(type));
  if (element.isInteger(8))
    number = LLVM::TruncOp::create(builder, loc, element, number);
  if (element.isInteger(64))
    number = LLVM::SExtOp::create(builder, loc, element, number);
  auto vector = dyn_cast<VectorType>(type);
  return vector ? splat(builder, loc, number, vector) : number;
}

// What the programs have at the number's places, one for each of them.
std::vector<int32_t> columnOf(ArrayRef<Sharer> sharers, size_t number) {
  std::vector<int32_t> column;
  for (const Sharer &sharer : sharers)
    column.push_back(*bitsOf(sharer.numbers[number].constant));
  return column;
}

void share(ArrayRef<Sharer> sharers) {
  // Numbers that are alike in each program are one.
  std::map<std::vector<int32_t>, size_t> places;
  std::vector<const std::vector<int32_t> *> columns;
  SmallVector<std::pair<size_t, size_t>> differ; // number, place
  for (size_t i = 0; i < sharers.front().numbers.size(); ++i) {
    std::vector<int32_t> column = columnOf(sharers, i);
    if (llvm::all_equal(column))
      continue;
    auto [entry, isNew] = places.try_emplace(std::move(column), places.size());
    if (isNew)
      columns.push_back(&entry->first);
    differ.emplace_back(i, entry->second);
  }
  kernel::ProgramOp owner = sharers.front().program;
  Builder builder(owner.getContext());
  SmallVector<Attribute> lists;
  for (size_t sharer = 0; sharer < sharers.size(); ++sharer)
    lists.push_back(builder.getDenseI32ArrayAttr(
        llvm::map_to_vector(columns, [&](const std::vector<int32_t> *column) { return (*column)[sharer]; })));
  if (!differ.empty()) {
    LLVM::GlobalOp table = makeTable(owner, cast<DenseI32ArrayAttr>(lists.front()).asArrayRef());
    DenseMap<std::tuple<Operation *, Type, size_t>, Value> reads;
    for (auto [i, place] : differ) {
      OpOperand *use = sharers.front().numbers[i].use;
      auto function = use->getOwner()->getParentOfType<LLVM::LLVMFuncOp>();
      Type type = use->get().getType();
      Value &value = reads[{function.getOperation(), type, place}];
      if (!value)
        value = readFromTable(table, function, type, place);
      use->set(value);
    }
  }
  owner->setAttr(codegen::kNumbersAttr, builder.getArrayAttr(lists));
  for (kernel::ProgramOp program : llvm::map_range(sharers.drop_front(), [](const Sharer &s) { return s.program; })) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(program.getBody().front())))
      if (isa<LLVM::LLVMDialect>(op.getDialect()))
        op.erase();
    program->setAttr(codegen::kCodeOfAttr, FlatSymbolRefAttr::get(owner.getSymNameAttr()));
  }
}

// Code that takes LLVM a quarter of a second costs more than what it loses by sizes in registers; where tiles are
// computed by microkernels, what is left loses nothing, as it has loops over blocks alone.
bool sharesSizes(kernel::ProgramOp program) {
  constexpr unsigned kLarge = 4000; // operations
  if (auto unrolled = program->getAttrOfType<IntegerAttr>(codegen::kUnrolledAttr);
      unrolled && unrolled.getInt() == static_cast<int64_t>(codegen::Unrolled::Calls))
    return true;
  unsigned count = 0;
  program.walk([&](Operation *op) { count += isa<LLVM::LLVMDialect>(op->getDialect()); });
  return count >= kLarge;
}

struct ShareCode : mlir::heddle::impl::ShareCodeBase<ShareCode> {
  using ShareCodeBase::ShareCodeBase;

  void runOnOperation() override {
    std::map<std::pair<uint64_t, uint64_t>, SmallVector<Sharer>> groups;
    for (auto program : getOperation().getOps<kernel::ProgramOp>()) {
      auto kernel = program.lookupSymbol<LLVM::LLVMFuncOp>("kernel");
      if (!kernel || program.getObjectAttr() || program.lookupSymbol(codegen::kNumbersSymbol))
        continue;
      Description description(program, program->hasAttr(codegen::kColdAttr) || sharesSizes(program));
      groups[description.hash()].push_back({program, description.numbers});
    }
    for (auto &[hash, sharers] : groups)
      if (sharers.size() >= leastOf(sharers.front().program))
        share(sharers);
  }

  size_t leastOf(kernel::ProgramOp program) {
    if (program->hasAttr(codegen::kColdAttr))
      return 2;
    return std::max(2u, sharesSizes(program) ? std::min(3u, least.getValue()) : least.getValue());
  }
};

} // namespace
