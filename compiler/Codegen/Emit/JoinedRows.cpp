// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Emit/JoinedRows.h"

using namespace mlir;
using namespace mlir::heddle::codegen;

namespace {

class RowJoiner {
public:
  RowJoiner(const RowJoins &joins, Value value, FunctionScalars &scalars)
      : joins(joins), scalars(scalars), builder(scalars.getBuilder()), loc(value.getLoc()), sizes(scalars.sizes(value)),
        lane(sizes.size() - 1), yes(constant(true)), no(constant(false)) {}

  JoinedRows run() {
    for (const Walk &walk : joins.reads)
      states.push_back(startOf(walk));
    JoinedRows rows;
    Value joined = yes;
    for (unsigned dim : joins.dims) {
      std::vector<State> next;
      for (auto [walk, state] : llvm::zip_equal(joins.reads, states)) {
        next.push_back({both(state.walked, isWalked(walk, dim)), both(state.single, isSingle(walk, dim))});
        joined = both(joined, either(next.back().walked, next.back().single));
      }
      for (auto [state, further] : llvm::zip_equal(states, next))
        state = {scalars.select(joined, further.walked, state.walked),
                 scalars.select(joined, further.single, state.single)};
      rows.joined.push_back(joined);
    }
    for (auto [walk, state] : llvm::zip_equal(joins.reads, states))
      if (walk.read && !walk.stretched.empty() && walk.dims.back() == lane && walk.stretched.back())
        rows.choices.push_back({walk.read, static_cast<unsigned>(walk.dims.size() - 1), negated(state.walked)});
    return rows;
  }

private:
  // Of what a row has of a tensor: as many elements as the row, one after the other; or one. Both, where it has one.
  struct State {
    Value walked, single;
  };

  State startOf(const Walk &walk) {
    State state{no, yes};
    for (auto [place, dim] : llvm::enumerate(walk.dims)) {
      if (dim != lane)
        continue;
      bool isLast = place + 1 == walk.dims.size(); // where the condition is replaced
      Value isZero = walk.stretched[place] ? scalars.get(walk.stretched[place]) : no;
      state.single = both(state.single, isLast && walk.stretched[place] ? either(isZero, isUnit(dim)) : isZero);
      if (isLast)
        state.walked = notStretched(walk, place);
    }
    return state;
  }

  // Whether the tensor's steps along `dim` go on where its rows behind it end.
  Value isWalked(const Walk &walk, int64_t dim) {
    std::optional<size_t> place = placeInEnd(walk, dim, lane + 1);
    if (!place)
      return no;
    Value whole = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                                      scalars.size(walk.tensor, *place + 1), sizes[dim + 1]);
    return both(notStretched(walk, *place), whole);
  }

  Value isSingle(const Walk &walk, int64_t dim) {
    Value single = yes;
    for (auto [position, stretched] : llvm::zip_equal(walk.dims, walk.stretched))
      if (position == dim)
        single = both(single, stretched ? either(scalars.get(stretched), isUnit(dim)) : isUnit(dim));
    return single;
  }

  Value notStretched(const Walk &walk, size_t place) {
    Value stretched = walk.stretched[place];
    return stretched ? either(negated(scalars.get(stretched)), isUnit(walk.dims[place])) : yes;
  }

  Value isUnit(int64_t dim) {
    return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, sizes[dim], scalars.constant(1));
  }

  Value constant(bool value) { return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(value)); }
  Value both(Value a, Value b) { return builder.createOrFold<arith::AndIOp>(loc, a, b); }
  Value either(Value a, Value b) { return builder.createOrFold<arith::OrIOp>(loc, a, b); }
  Value negated(Value a) { return builder.createOrFold<arith::XOrIOp>(loc, a, yes); }

  const RowJoins &joins;
  FunctionScalars &scalars;
  OpBuilder &builder;
  Location loc;
  SmallVector<Value> sizes; // of the value
  int64_t lane;
  Value yes, no;
  std::vector<State> states; // of each read, for the row as it is so far
};

} // namespace

JoinedRows mlir::heddle::codegen::joinRows(const RowJoins &joins, Value value, FunctionScalars &scalars) {
  return RowJoiner(joins, value, scalars).run();
}
