// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a name of an ONNX graph may stand for beside a tensor that a program can hold.
//
// Sequences and optional values are lists that the importer keeps: the program that it writes has their elements only.
// An optional value with an element is that element. Tensors of strings and of complex numbers are known by name, so
// that a model may have them as long as nothing reads them.
//
//   std::vector<Part> parts = sequence.aggregate->parts;
//   parts.push_back({Part::Kind::Element, tensor});
//   node.setOutput(0, makeSequence(emitter, elementType, std::move(parts)));
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_AGGREGATE_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_AGGREGATE_H

#include "compiler/Stages/Import/Emit/Aggregate.h"
#include "compiler/Stages/Import/Emit/Emitter.h"
#include "compiler/Stages/Import/Onnx/Model/Model.h"

namespace mlir::heddle::importer {

Tensor makeSequence(Emitter &emitter, Type elementType, std::vector<Part> parts);
Tensor makeNothing(Emitter &emitter);
Tensor makeForeign(Emitter &emitter, StringRef elementType);
bool isSequence(const Tensor &tensor);
bool isNothing(const Tensor &tensor);

// Whether a loop that is not finished has appended to it: nothing can be read from it.
bool isUnfinished(const Tensor &sequence);
// The number of elements. The sequence must be finished.
OpFoldResult countElements(Emitter &emitter, const Tensor &sequence);
// The elements as rows of one tensor, [count, …]; nothing if they are not known to have one shape, or there are none.
std::optional<Tensor> stackElements(Emitter &emitter, ArrayRef<Part> parts);
// The parts with an entry for each element, where their number is fixed and small; else nothing.
std::optional<std::vector<Part>> listElements(Emitter &emitter, ArrayRef<Part> parts);
// What the rows of a part are as elements: the tensor with dimension 0 at `axis`.
Tensor moveAxis(Emitter &emitter, Tensor &tensor, int64_t from, int64_t to);
// The sequence with all that it may need made here, before a region: its elements' values, and them as rows.
Tensor loadSequence(Emitter &emitter, const Tensor &sequence);

// Why a node cannot take an operand that is no tensor; "" if it can. `operands`: null where one is absent. `isValid`:
// ONNX has such operators, only not here.
std::string findMisplaced(const Node &node, ArrayRef<Tensor *> operands, bool &isValid);
// "a sequence", "an optional value without an element" or "a tensor of type string".
std::string describeAggregate(const Tensor &tensor);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_AGGREGATE_H
