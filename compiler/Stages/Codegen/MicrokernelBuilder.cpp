// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Codegen/MicrokernelBuilder.h"

#include "compiler/Codegen/Plan/Configure.h"
#include "compiler/Stages/Codegen/LlvmLowering.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

static int64_t bytesOf(Type element) { return element.getIntOrFloatBitWidth() / 8; }

LLVM::LLVMFuncOp mlir::heddle::codegen::createMicrokernel(OpBuilder &builder, Location loc,
                                                          const MicrokernelForm &form) {
  auto function = LLVM::LLVMFuncOp::create(builder, loc, form.name(), form.type());
  function.setVisibility_(LLVM::Visibility::Hidden);
  function.setDsoLocal(true);
  function.setNoUnwind(true);
  return function;
}

MicrokernelBuilder::MicrokernelBuilder(ModuleOp module, const MicrokernelForm &form, LLVM::LLVMFuncOp epilogue)
    : form(form), epilogue(epilogue), loc(module.getLoc()), builder(module.getBodyRegion()),
      pointer(LLVM::LLVMPointerType::get(module.getContext())), i64(builder.getI64Type()) {}

Value MicrokernelBuilder::constant(int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(value));
}

Value MicrokernelBuilder::address(Value base, Value bytes) {
  return LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), base, ArrayRef<LLVM::GEPArg>{bytes});
}

Value MicrokernelBuilder::address(Value base, int64_t bytes) {
  return bytes == 0 ? base
                    : LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), base,
                                          LLVM::GEPArg(static_cast<int32_t>(bytes)));
}

Value MicrokernelBuilder::widen(Value value) {
  if (getElementTypeOrSelf(value.getType()) == form.sum)
    return value;
  auto vector = dyn_cast<VectorType>(value.getType());
  Type type = vector ? Type(VectorType::get(vector.getShape(), form.sum)) : form.sum;
  return LLVM::FPExtOp::create(builder, loc, type, value);
}

Block *MicrokernelBuilder::addBlock(TypeRange types) {
  OpBuilder::InsertionGuard guard(builder);
  Region *region = builder.getInsertionBlock()->getParent();
  return builder.createBlock(region, region->end(), types, SmallVector<Location>(types.size(), loc));
}

// A loop over [begin, end) that hands its values on.
SmallVector<Value> MicrokernelBuilder::loop(Value begin, Value end, Value step, ArrayRef<Value> carried,
                                            function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  SmallVector<Value> initial{begin};
  llvm::append_range(initial, carried);
  Block *head = addBlock(TypeRange(ValueRange(initial))), *inside = addBlock({}), *after = addBlock({});
  LLVM::BrOp::create(builder, loc, initial, head);
  builder.setInsertionPointToEnd(head);
  Value index = head->getArgument(0);
  ValueRange values = head->getArguments().drop_front();
  Value goesOn = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::slt, index, end);
  LLVM::CondBrOp::create(builder, loc, goesOn, inside, after);
  builder.setInsertionPointToEnd(inside);
  SmallVector<Value> next = body(index, values);
  next.insert(next.begin(), add(index, step));
  LLVM::BrOp::create(builder, loc, next, head);
  builder.setInsertionPointToEnd(after);
  return llvm::to_vector(values);
}

void MicrokernelBuilder::readArguments(Block *entry) {
  auto arguments = entry->getArguments().drop_front();
  auto take = [&] {
    Value first = arguments.front();
    arguments = arguments.drop_front();
    return first;
  };
  auto takePlace = [&]() -> Place {
    Value at = take();
    return {at, take()};
  };
  moving.push_back(takePlace());
  Place panels = takePlace();
  for (int64_t vector = 0; vector < form.vectors; ++vector) {
    int64_t column = vector * form.width;
    if (column > 0 && column % form.panel == 0)
      panels.address = address(panels.address, panels.stride);
    columns.push_back(address(panels.address, column % form.panel * form.group() * bytesOf(form.column)));
  }
  for (int64_t i = 0; i < form.loops; ++i)
    steps.push_back(take());
  for (int64_t i = 0; i + 1 < form.loops; ++i)
    strides.push_back(take());
  moving.push_back(takePlace());
  if (form.isMasked) {
    auto type = VectorType::get({form.width}, builder.getI32Type());
    Value lanes = LLVM::TruncOp::create(builder, loc, builder.getI32Type(), take());
    Value none = LLVM::PoisonOp::create(builder, loc, type);
    Value one = LLVM::InsertElementOp::create(builder, loc, none, lanes, constant(0));
    Value all = LLVM::ShuffleVectorOp::create(builder, loc, one, none, SmallVector<int32_t>(form.width, 0));
    SmallVector<int32_t> numbers = llvm::to_vector(llvm::seq<int32_t>(0, static_cast<int32_t>(form.width)));
    Value lane = LLVM::ConstantOp::create(builder, loc, type, builder.getI32VectorAttr(numbers));
    mask = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::slt, lane, all);
  }
  for (size_t i = 0; i < form.operands.size(); ++i)
    moving.push_back(takePlace());
  if (form.asksNext) {
    next = take();
    nextStride = take();
  }
  if (form.hasFirst)
    first = take();
}

// A full tile while there are two; of less than that, but more than one, half: so neither is a short one. Of known rows
// full tiles and what is left.
Value MicrokernelBuilder::countRows(Value left) {
  auto compare = [&](LLVM::ICmpPredicate predicate, int64_t rows) -> Value {
    return LLVM::ICmpOp::create(builder, loc, predicate, left, constant(rows));
  };
  auto select = [&](Value condition, Value a, Value b) -> Value {
    return LLVM::SelectOp::create(builder, loc, condition, a, b);
  };
  if (form.rest != MicrokernelForm::kAnyRest)
    return select(compare(LLVM::ICmpPredicate::sge, form.rows), constant(form.rows), left);
  Value half = LLVM::LShrOp::create(builder, loc, add(left, constant(1)), constant(1));
  Value few = select(compare(LLVM::ICmpPredicate::sgt, form.rows), half, left);
  return select(compare(LLVM::ICmpPredicate::sge, 2 * form.rows), constant(form.rows), few);
}

void MicrokernelBuilder::build() {
  Block *entry = createMicrokernel(builder, loc, form).addEntryBlock(builder);
  builder.setInsertionPointToEnd(entry);
  readArguments(entry);
  SmallVector<Value> initial{entry->getArgument(0)};
  for (const Place &place : moving)
    initial.push_back(place.address);
  if (form.asksNext)
    initial.push_back(next);
  Block *head = addBlock(TypeRange(ValueRange(initial))), *tile = addBlock({}), *end = addBlock({});
  LLVM::BrOp::create(builder, loc, initial, head);
  builder.setInsertionPointToEnd(head);
  Value left = head->getArgument(Left);
  Value isSome = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::sgt, left, constant(0));
  LLVM::CondBrOp::create(builder, loc, isSome, tile, end);
  builder.setInsertionPointToEnd(end);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  builder.setInsertionPointToEnd(tile);
  Value count = countRows(left);
  SmallVector<int64_t> numbers{form.rows}; // full tiles first: most are
  if (form.rest == MicrokernelForm::kAnyRest)
    llvm::append_range(numbers, llvm::seq<int64_t>(1, form.rows));
  else if (form.rest > 0)
    numbers.push_back(form.rest);
  for (int64_t rows : numbers) {
    Block *others = rows == numbers.back() ? nullptr : addBlock({});
    if (others) {
      Block *these = addBlock({});
      Value isSo = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, count, constant(rows));
      LLVM::CondBrOp::create(builder, loc, isSo, these, others);
      builder.setInsertionPointToEnd(these);
    }
    LLVM::BrOp::create(builder, loc, emitTile(rows, head->getArguments()), head);
    if (others)
      builder.setInsertionPointToEnd(others);
  }
}

// What the next tile begins with.
SmallVector<Value> MicrokernelBuilder::emitTile(int64_t rows, ValueRange state) {
  rowStarts.assign({state[Rows]});
  for (int64_t row = 1; row < rows; ++row)
    rowStarts.push_back(address(rowStarts.back(), moving[0].stride));
  asks = form.asksNext && rows == form.rows;
  SmallVector<Value> carried{constant(0)}; // where columns are, what is asked for next, sums
  if (asks)
    carried.push_back(state.back());
  size_t firstSum = carried.size();
  for (int64_t i = 0; i < rows * form.vectors; ++i)
    carried.push_back(i < form.vectors ? firstSums(i) : carried[firstSum + i % form.vectors]);
  SmallVector<Value> made = emitLoops(0, constant(0), carried);
  emitStores(rows, state, ArrayRef(made).drop_front(firstSum));
  SmallVector<Value> after{LLVM::SubOp::create(builder, loc, state[Left], constant(rows))};
  for (auto [i, place] : llvm::enumerate(moving)) {
    Value skipped = LLVM::MulOp::create(builder, loc, place.stride, constant(rows));
    after.push_back(address(state[Rows + i], skipped));
  }
  if (form.asksNext)
    after.push_back(asks ? made[1] : state.back());
  return after;
}

// What the sums of a vector of columns begin with.
Value MicrokernelBuilder::firstSums(int64_t vector) {
  if (form.hasFirst)
    return load(address(first, vector * form.width * bytesOf(form.sum)), form.sum, /*isMasked=*/false);
  auto type = VectorType::get({form.width}, form.sum);
  return LLVM::ConstantOp::create(builder, loc, type, builder.getZeroAttr(type));
}

SmallVector<Value> MicrokernelBuilder::emitLoops(size_t level, Value rowOffset, SmallVector<Value> carried) {
  if (level + 1 < steps.size())
    return loop(constant(0), steps[level], constant(1), carried, [&](Value index, ValueRange values) {
      Value skipped = LLVM::MulOp::create(builder, loc, index, strides[level]);
      return emitLoops(level + 1, add(rowOffset, skipped), llvm::to_vector(values));
    });
  Value step = constant(form.group() * bytesOf(form.row));
  Value length = LLVM::MulOp::create(builder, loc, steps.back(), step);
  return loop(rowOffset, add(rowOffset, length), step, carried,
              [&](Value offset, ValueRange values) { return emitStep(offset, values); });
}

SmallVector<Value> MicrokernelBuilder::emitStep(Value rowOffset, ValueRange carried) {
  constexpr int64_t kLineBytes = 64;
  int64_t columnBytes = form.group() * bytesOf(form.column);
  int64_t vectorBytes = form.width * columnBytes, stepBytes = form.panel * columnBytes;
  SmallVector<Value> loaded;
  for (auto [vector, base] : llvm::enumerate(columns)) {
    Value at = address(base, carried[0]);
    if (static_cast<int64_t>(vector) * vectorBytes % kLineBytes == 0)
      LLVM::Prefetch::create(builder, loc, address(at, kPanelPrefetchDistance * stepBytes), /*rw=*/0, /*hint=*/3,
                             /*cache=*/1);
    auto type = VectorType::get({form.width * form.group()}, form.column);
    Value column = LLVM::LoadOp::create(builder, loc, type, at, static_cast<unsigned>(bytesOf(form.column)));
    loaded.push_back(form.group() > 1 ? column : widen(column));
  }
  SmallVector<Value> after{add(carried[0], constant(stepBytes))};
  if (asks) {
    LLVM::Prefetch::create(builder, loc, carried[1], /*rw=*/0, /*hint=*/2, /*cache=*/1);
    after.push_back(address(carried[1], nextStride));
  }
  size_t sum = after.size();
  for (Value base : rowStarts) {
    Value row = spreadRow(address(base, rowOffset));
    for (Value column : loaded)
      after.push_back(emitProduct(carried[sum++], row, column));
  }
  return after;
}

// The element of a row, or its group of bytes, in all lanes.
Value MicrokernelBuilder::spreadRow(Value at) {
  bool isGroup = form.group() > 1;
  Type element = isGroup ? Type(builder.getI32Type()) : form.row;
  Value loaded = LLVM::LoadOp::create(builder, loc, element, at, static_cast<unsigned>(bytesOf(form.row)));
  if (!isGroup)
    loaded = widen(loaded);
  Value none = LLVM::PoisonOp::create(builder, loc, VectorType::get({form.width}, loaded.getType()));
  Value lane = LLVM::InsertElementOp::create(builder, loc, none, loaded, constant(0));
  Value lanes = LLVM::ShuffleVectorOp::create(builder, loc, lane, none, SmallVector<int32_t>(form.width, 0));
  auto bytes = VectorType::get({form.width * form.group()}, form.row);
  return isGroup ? LLVM::BitcastOp::create(builder, loc, bytes, lanes).getResult() : lanes;
}

Value MicrokernelBuilder::emitProduct(Value sum, Value row, Value column) {
  if (form.group() > 1) {
    auto dot = kernel::DotOp::create(builder, loc, sum.getType(), sum, form.rowSigned ? column : row,
                                     form.rowSigned ? row : column);
    Value made = lowerDot(builder, dot);
    dot.erase();
    return made;
  }
  auto contract = LLVM::FastmathFlagsAttr::get(builder.getContext(), LLVM::FastmathFlags::contract);
  Value product = LLVM::FMulOp::create(builder, loc, sum.getType(), row, column, contract);
  return LLVM::FAddOp::create(builder, loc, sum.getType(), sum, product, contract);
}

void MicrokernelBuilder::emitStores(int64_t rows, ValueRange state, ArrayRef<Value> sums) {
  SmallVector<Value> places = llvm::to_vector(state.drop_front(Result).take_front(moving.size() - 1));
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t vector = 0; vector < form.vectors; ++vector) {
      bool isMasked = form.isMasked && vector + 1 == form.vectors;
      auto at = [&](Value base, Type element) { return address(base, vector * form.width * bytesOf(element)); };
      SmallVector<Value> values{sums[row * form.vectors + vector]};
      for (auto [base, element] : llvm::zip_equal(ArrayRef(places).drop_front(), form.operands))
        values.push_back(load(at(base, element), element, isMasked));
      Value made = epilogue ? LLVM::CallOp::create(builder, loc, epilogue, values).getResult() : values.front();
      store(made, at(places.front(), form.result), isMasked);
    }
    for (auto [i, place] : llvm::enumerate(places))
      place = address(place, moving[i + 1].stride);
  }
}

Value MicrokernelBuilder::load(Value at, Type element, bool isMasked) {
  auto type = VectorType::get({form.width}, element);
  auto align = static_cast<unsigned>(bytesOf(element));
  if (!isMasked)
    return LLVM::LoadOp::create(builder, loc, type, at, align);
  Value zero = LLVM::ConstantOp::create(builder, loc, type, builder.getZeroAttr(type));
  return LLVM::MaskedLoadOp::create(builder, loc, type, at, mask, zero, builder.getI32IntegerAttr(align));
}

void MicrokernelBuilder::store(Value value, Value at, bool isMasked) {
  auto align = static_cast<unsigned>(bytesOf(form.result));
  if (isMasked)
    LLVM::MaskedStoreOp::create(builder, loc, value, at, mask, builder.getI32IntegerAttr(align));
  else
    LLVM::StoreOp::create(builder, loc, value, at, align);
}

OwningOpRef<ModuleOp> mlir::heddle::codegen::buildMicrokernel(kernel::ProgramOp program, const MicrokernelForm &form) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(program.getLoc());
  LLVM::LLVMFuncOp epilogue;
  if (form.epilogue) {
    OpBuilder builder(module->getBodyRegion());
    auto copy = builder.clone(*program.lookupSymbol<LLVM::LLVMFuncOp>(form.epilogue.getValue()));
    epilogue = cast<LLVM::LLVMFuncOp>(copy);
    epilogue.setLinkage(LLVM::Linkage::Internal);
    epilogue.setAlwaysInline(true);
  }
  MicrokernelBuilder(*module, form, epilogue).build();
  return module;
}
