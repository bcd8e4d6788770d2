// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over a body that is imported into them: what Loop and Scan share.
//
// What an iteration hands to the next one is carried as it is best known: small integer tensors as index values (a
// counter, a shape), others as tensors, of whose sizes those that change are carried, too. Which ones change, the body
// tells: it is imported under the assumption that none does, and again with what turned out otherwise, until nothing
// does. Each import that is given up leaves no op behind.
//
// Where the number of iterations is a size and nothing ends the loop early, it is an scf.for, and rows of scan outputs
// are written into one tensor, in place. Else it is an scf.while whose condition is read on the host after each
// iteration, and scan outputs are concatenated row by row, at a price that is quadratic in their number.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_GRAPH_LOOPIMPORTER_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_GRAPH_LOOPIMPORTER_H

#include "compiler/Stages/Import/Emit/Emitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <functional>
#include <vector>

namespace mlir::heddle::importer {

// The loop before it is imported.
struct LoopPlan {
  // Emits the body where the emitter stands. `inputs`: of a Loop the iteration and true, then what is carried, then the
  // rows of `scanned`. `results`: of a Loop the condition, then what is carried, then rows of scan outputs. False: it
  // cannot be imported, because of `reason` if that is set.
  using Body = std::function<bool(SmallVector<Tensor> inputs, SmallVector<Tensor> &results, std::string &reason)>;

  Body body;
  bool isLoop = true;              // the body takes the iteration and gives a condition
  OpFoldResult trips;              // at most; null: no bound
  std::optional<Tensor> condition; // one boolean; absent: true
  SmallVector<Tensor> carried;     // initial values
  SmallVector<std::string> names;  // of what is carried, for messages
  SmallVector<Tensor> scanned;     // their rows, one for each iteration
  SmallVector<bool> scannedBackward;
  SmallVector<bool> outputsBackward;    // an entry for each scan output
  SmallVector<std::string> outputNames; // of sequences whose elements they are, for messages; "" or absent: of none
  // An entry for each value that the node carries: those that no iteration changes. The importer does not see them;
  // whoever runs it puts them between its outputs. Empty: none.
  std::vector<std::optional<Tensor>> unchanged;
};

struct Graph;

// Whether an output of the body is an input of it as it is, by way of Identity and loops that hand it on.
bool handsOn(const Graph &graph, StringRef output, StringRef input);

class LoopImporter {
public:
  LoopImporter(Emitter &emitter, LoopPlan plan) : emitter(emitter), loc(emitter.loc), plan(std::move(plan)) {}

  // Emits the loop; gives what is carried, then the scan outputs, [iterations, row…]. Nothing if the body failed, or if
  // `reason` says why it cannot be a loop.
  std::optional<SmallVector<Tensor>> run();
  const std::string &reason() const { return why; }

private:
  // How one tensor is carried.
  struct Carried {
    Tensor initial;
    bool asContents = false;
    SmallVector<bool> varies;      // of each dimension, if not asContents
    SmallVector<bool> nonNegative; // of each element, if asContents
  };
  // An scf.for or scf.while under construction.
  struct Attempt {
    Operation *op = nullptr;
    Emitter::State outside;
    Value iteration;
    SmallVector<Tensor> inputs, results;
    SmallVector<Value> buffers; // of scan outputs, as the body gets them
    Value room;                 // rows that they have, in a loop whose trips data tell
  };
  enum class Step { Done, Again, Failed };

  void begin();
  Step attempt(SmallVector<Tensor> &outputs);
  Step check(Attempt &attempt);
  Step checkCarried(Carried &carried, const Tensor &given, Tensor &result, StringRef name);
  Step checkScanOutput(size_t i, Attempt &attempt, SizeTables &inner);
  Step checkCondition(Attempt &attempt);
  Step fail(const Twine &reason);
  std::string describeOutput(size_t i) const;

  // Values that cross the loop's border.
  RankedTensorType typeOf(const Carried &carried) const;
  void flatten(Carried &carried, Tensor tensor, SmallVectorImpl<Value> &values);
  Tensor unflatten(const Carried &carried, ValueRange &values);
  SmallVector<Value> initialValues();
  Tensor scannedRow(size_t i, Value iteration);
  SizeList bufferSizes(size_t i, OpFoldResult count);

  void openFor(Attempt &attempt);
  void openWhile(Attempt &attempt);
  void fillInputs(Attempt &attempt, ValueRange carried);
  void closeFor(Attempt &attempt, SmallVector<Tensor> &outputs);
  void closeWhile(Attempt &attempt, SmallVector<Tensor> &outputs);
  void finish(ValueRange results, OpFoldResult count, OpFoldResult room, SmallVector<Tensor> &outputs);
  void appendRows(Attempt &attempt, SmallVectorImpl<Value> &values);
  Value grown(size_t i, Attempt &attempt, Value isFull);
  Value written(size_t i, Attempt &attempt, OpFoldResult at);

  Emitter &emitter;
  Location loc; // the node's: the body moves the emitter's on
  LoopPlan plan;
  std::vector<Carried> carried;
  std::vector<std::optional<Tensor>> rows; // of scan outputs, once the body told
  bool knowsTrips = false;
  std::string why;
};

// Whether it is one boolean, or is where the call's sizes say so.
bool mayBeCondition(const Tensor &tensor);
// One boolean as an i1: read on the host, or from sizes. A call in which it is not one fails.
Value readCondition(Emitter &emitter, Tensor &condition);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_GRAPH_LOOPIMPORTER_H
