// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Einsum: diagonals, sums over what one operand has alone, then products of two operands from left to right.
#include "compiler/Stages/Import/Onnx/Forms/Products.h"
#include "compiler/Stages/Import/Onnx/Forms/Reductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;
using namespace mlir::heddle::importer;

namespace {

// A letter, or for dimensions of an ellipsis -1 (the last), -2 …
using Label = int;
using Labels = SmallVector<Label>;

struct Term {
  Tensor tensor;
  Labels labels;
};

class EinsumLowering {
public:
  explicit EinsumLowering(NodeContext &node) : node(node), emitter(node.emitter) {}
  LogicalResult run();

private:
  LogicalResult readEquation();
  LogicalResult readTerm(StringRef text, int64_t rank, Labels &labels);
  LogicalResult bindSizes(Term &term);
  Term diagonal(Term term);
  Term sumUnused(Term term, ArrayRef<Term> others);
  Term multiply(Term lhs, Term rhs, ArrayRef<Term> others);
  Term contract(Term &lhs, Term &rhs, const Labels &batch, const Labels &summed);
  Term reorder(Term term, ArrayRef<Label> order);
  SizeList sizesOf(ArrayRef<Label> labels);
  bool isNeeded(Label label, ArrayRef<Term> others) const;

  NodeContext &node;
  Emitter &emitter;
  std::vector<Term> terms;
  Labels output;
  std::map<Label, OpFoldResult> sizes;
};

} // namespace

static Labels without(ArrayRef<Label> from, ArrayRef<Label> labels) {
  return llvm::to_vector(llvm::make_filter_range(from, [&](Label l) { return !llvm::is_contained(labels, l); }));
}

static Labels concatenated(ArrayRef<Label> a, ArrayRef<Label> b, ArrayRef<Label> c = {}) {
  Labels all(a);
  llvm::append_range(all, b);
  llvm::append_range(all, c);
  return all;
}

// `rank` less than 0: of the result, whose ellipsis has as many dimensions as the operands' longest.
LogicalResult EinsumLowering::readTerm(StringRef text, int64_t rank, Labels &labels) {
  auto [before, after] = text.split("...");
  bool hasEllipsis = before.size() != text.size();
  for (StringRef part : {before, after})
    if (!llvm::all_of(part, llvm::isAlpha))
      return node.refuse("the equation has '" + text + "', which must be letters with at most one ellipsis");
  int64_t letters = before.size() + after.size();
  int64_t wide = 0;
  if (rank < 0)
    for (const Term &term : terms)
      wide = std::max<int64_t>(wide, llvm::count_if(term.labels, [](Label l) { return l < 0; }));
  else if (rank < letters || (rank > letters && !hasEllipsis))
    return node.refuse("'" + text + "' does not fit an operand of rank " + Twine(rank));
  else
    wide = rank - letters;
  llvm::append_range(labels, before);
  for (int64_t d = hasEllipsis ? wide : 0; d > 0; --d)
    labels.push_back(static_cast<Label>(-d));
  llvm::append_range(labels, after);
  return success();
}

LogicalResult EinsumLowering::readEquation() {
  std::string equation = node.getString("equation", "");
  llvm::erase_if(equation, llvm::isSpace);
  auto [left, right] = StringRef(equation).split("->");
  SmallVector<StringRef> parts;
  left.split(parts, ',');
  if (parts.size() != node.numInputs())
    return node.refuse("the equation '" + equation + "' has " + Twine(parts.size()) + " operands, the node has " +
                       Twine(node.numInputs()));
  for (auto [i, part] : llvm::enumerate(parts)) {
    Term term{*node.input(i), {}};
    if (failed(readTerm(part, term.tensor.rank(), term.labels)) || failed(bindSizes(term)))
      return failure();
    terms.push_back(std::move(term));
  }
  if (equation.find("->") == std::string::npos) {
    // The ellipsis, then the letters that stand once, in order.
    std::map<Label, int64_t> counts;
    for (const Term &term : terms)
      for (Label label : term.labels)
        ++counts[label];
    for (auto [label, count] : counts)
      if (label < 0 || count == 1)
        output.push_back(label);
    return success();
  }
  if (failed(readTerm(right, -1, output)))
    return failure();
  for (auto [i, label] : llvm::enumerate(output))
    if (!sizes.contains(label) || llvm::is_contained(ArrayRef<Label>(output).drop_front(i + 1), label))
      return node.refuse("'" + right + "' names a dimension twice, or one that no operand has");
  return success();
}

// Dimensions of one label have one size, or are 1 and broadcast.
LogicalResult EinsumLowering::bindSizes(Term &term) {
  for (auto [d, label] : llvm::enumerate(term.labels)) {
    OpFoldResult size = term.tensor.sizes[d];
    auto [entry, isNew] = sizes.try_emplace(label, size);
    if (isNew || term.tensor.isStaticSize(d, 1))
      continue;
    if (getConstantIntValue(entry->second) == 1) {
      entry->second = size;
      continue;
    }
    if (emitter.sizes.different(entry->second, size))
      return node.refuse("dimension " + Twine(d) + " of an operand has another size than its label elsewhere");
    emitter.checkEqual(entry->second, size, "Einsum: dimensions of one label must have one size");
  }
  return success();
}

SizeList EinsumLowering::sizesOf(ArrayRef<Label> labels) {
  return llvm::map_to_vector(labels, [&](Label label) { return sizes.at(label); });
}

bool EinsumLowering::isNeeded(Label label, ArrayRef<Term> others) const {
  return llvm::is_contained(output, label) ||
         llvm::any_of(others, [&](const Term &term) { return llvm::is_contained(term.labels, label); });
}

// One dimension for each label, without those of size 1 that broadcast.
Term EinsumLowering::diagonal(Term term) {
  Labels kept, unique;
  SizeList shape;
  for (auto [d, label] : llvm::enumerate(term.labels))
    if (!term.tensor.isStaticSize(d, 1) || getConstantIntValue(sizes.at(label)) == 1) {
      kept.push_back(label);
      shape.push_back(term.tensor.sizes[d]);
      if (!llvm::is_contained(unique, label))
        unique.push_back(label);
    }
  Tensor dropped = emitter.reshape(term.tensor, shape);
  if (unique.size() == kept.size())
    return {dropped, kept};
  Value source = emitter.value(dropped);
  Tensor made = emitter.generate(sizesOf(unique), dropped.elementType, {},
                                 [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                                   SmallVector<Value> at;
                                   for (Label label : kept)
                                     at.push_back(v[llvm::find(unique, label) - unique.begin()]);
                                   return tensor::ExtractOp::create(b, loc, source, at);
                                 });
  return {made, unique};
}

Term EinsumLowering::sumUnused(Term term, ArrayRef<Term> others) {
  SmallVector<int64_t> axes;
  Labels kept;
  for (auto [d, label] : llvm::enumerate(term.labels))
    if (isNeeded(label, others))
      kept.push_back(label);
    else
      axes.push_back(d);
  if (axes.empty())
    return term;
  return {reduceSum(emitter, term.tensor, axes), kept};
}

Term EinsumLowering::reorder(Term term, ArrayRef<Label> order) {
  SmallVector<int64_t> permutation;
  for (Label label : order)
    permutation.push_back(llvm::find(term.labels, label) - term.labels.begin());
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return term;
  return {emitter.transpose(term.tensor, permutation), Labels(order)};
}

// [batch…, m…, k…] x [batch…, k…, n…], each group as one dimension.
Term EinsumLowering::contract(Term &lhs, Term &rhs, const Labels &batch, const Labels &summed) {
  Labels rows = without(without(lhs.labels, batch), summed), columns = without(without(rhs.labels, batch), summed);
  Term left = reorder(lhs, concatenated(batch, rows, summed)),
       right = reorder(rhs, concatenated(batch, summed, columns));
  Labels labels = concatenated(batch, rows, columns);
  auto product = [&](ArrayRef<Label> group) { return emitter.sizes.product(sizesOf(group)); };
  SizeList count;
  if (!batch.empty())
    count.push_back(product(batch));
  auto shape = [&](const Labels &first, const Labels &second) {
    SizeList all = count;
    all.append({product(first), product(second)});
    return all;
  };
  Tensor a = emitter.reshape(left.tensor, shape(rows, summed)),
         b = emitter.reshape(right.tensor, shape(summed, columns));
  FailureOr<Tensor> result = multiplyAnyRank(node, a, b); // matrices of equal batch and inner sizes: cannot fail
  return {emitter.reshape(*result, sizesOf(labels)), labels};
}

Term EinsumLowering::multiply(Term lhs, Term rhs, ArrayRef<Term> others) {
  Labels batch, summed;
  for (Label label : lhs.labels)
    if (llvm::is_contained(rhs.labels, label))
      (isNeeded(label, others) ? batch : summed).push_back(label);
  bool isMatrix = lhs.labels.size() > batch.size() + summed.size() || rhs.labels.size() > batch.size() + summed.size();
  if (!summed.empty() && isMatrix)
    return contract(lhs, rhs, batch, summed);
  if (!summed.empty()) {
    Term other = reorder(rhs, lhs.labels);
    SmallVector<int64_t> axes;
    for (Label label : summed)
      axes.push_back(llvm::find(lhs.labels, label) - lhs.labels.begin());
    llvm::sort(axes);
    Type type = lhs.tensor.elementType;
    Tensor sum = emitter.reduce({&lhs.tensor, &other.tensor}, axes, type, makeAttribute(type, 0),
                                [&](OpBuilder &b, Location loc, ValueRange v, Value sum) {
                                  Scalar s{b, loc, type};
                                  return s.add(sum, s.mul(v[0], v[1]));
                                });
    return {sum, without(lhs.labels, summed)};
  }
  // An outer or elementwise product: the right operand's dimensions stand in the order of the result.
  Labels labels = concatenated(lhs.labels, without(rhs.labels, lhs.labels));
  Labels order = llvm::to_vector(
      llvm::make_filter_range(labels, [&](Label label) { return llvm::is_contained(rhs.labels, label); }));
  Term right = reorder(rhs, order);
  auto aligned = [&](Term &term) {
    SizeList shape;
    for (Label label : labels)
      shape.push_back(llvm::is_contained(term.labels, label) ? sizes.at(label) : emitter.sizes.constant(1));
    return emitter.reshape(term.tensor, shape);
  };
  Tensor a = aligned(lhs), b = aligned(right);
  return {map(emitter, {&a, &b}, sizesOf(labels), [](Scalar &s, ValueRange v) { return s.mul(v[0], v[1]); }), labels};
}

LogicalResult EinsumLowering::run() {
  if (node.numInputs() == 0 || failed(requireSameType(node, node.numInputs())) || failed(readEquation()))
    return node.refuse("needs an equation and operands of one element type");
  for (Term &term : terms)
    term = diagonal(std::move(term));
  for (size_t i = 0; i < terms.size(); ++i) {
    std::vector<Term> others(terms);
    others.erase(others.begin() + i);
    terms[i] = sumUnused(terms[i], others);
  }
  Term result = terms.front();
  for (size_t i = 1; i < terms.size(); ++i)
    result = multiply(result, terms[i], ArrayRef<Term>(terms).drop_front(i + 1));
  // What only broadcast dimensions of size 1 had.
  SizeList shape = sizesOf(output), present;
  Labels order = llvm::to_vector(
      llvm::make_filter_range(output, [&](Label label) { return llvm::is_contained(result.labels, label); }));
  result = reorder(result, order);
  for (Label label : output)
    present.push_back(llvm::is_contained(order, label) ? sizes.at(label) : emitter.sizes.constant(1));
  Tensor full = emitter.reshape(result.tensor, present);
  node.setOutput(0, emitter.broadcast(full, shape));
  return success();
}

void mlir::heddle::importer::registerEinsum(LoweringTable &table) {
  table.add("Einsum", 12, [](NodeContext &node) { return EinsumLowering(node).run(); });
}
