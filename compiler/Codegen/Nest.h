// One result of a kernel and how its elements are computed.
#ifndef HEDDLE_COMPILER_CODEGEN_NEST_H
#define HEDDLE_COMPILER_CODEGEN_NEST_H

#include "compiler/Codegen/ElementEmitter.h"
#include "compiler/Target/CPU/CpuFeatures.h"

namespace mlir::heddle::codegen {

struct Nest {
  Value value;     // of the source function; what the binding receives
  int64_t binding; // where it goes
  unsigned laneDim = 0;
  int64_t width = 1;
  bool masks = false;
};

Nest makeNest(Value result, int64_t binding, const cpu::CpuFeatures &features);
std::string describe(const Nest &nest);

Value countWorkgroups(const Nest &nest, FunctionScalars &scalars);
Value countScratch(const Nest &nest, FunctionScalars &scalars);
void emitWorkgroup(const Nest &nest, ElementEmitter &emitter, Value workgroup, const Buffer &output);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_NEST_H
