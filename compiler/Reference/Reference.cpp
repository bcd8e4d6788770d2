// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Reference/Reference.h"

#include "compiler/Dialect/Intent/Transforms/Passes.h"
#include "compiler/Reference/Jit.h"
#include "compiler/Reference/Program.h"
#include "compiler/Reference/Ranks.h"

#include <csetjmp>
#include <cstring>
#include <thread>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::reference;
namespace contract = ::heddle::contract;

namespace {

// What the machine code's calls refer to while a run lasts.
struct Run {
  const Program &program;
  ArrayRef<Tensor> inputs;
  std::vector<Tensor> &results;
  llvm::function_ref<void(const Step &)> observe;
  size_t memoryLeft;
  Ranks &ranks;
  unsigned rank;

  std::vector<void *> blocks; // of the run's intermediate values
  std::unique_ptr<Step> step;
  Tensor received;                           // of the last collective
  SmallVector<::heddle::contract::Cut> cuts; // of the next one
  std::string error;
  std::jmp_buf unwind;

  void allocateStep(unsigned number);
  void finishStep();
};

thread_local Run *current = nullptr;

// The frames between here and run() are machine code without cleanups, and these functions' own hold nothing then.
[[noreturn]] void abandon() { std::longjmp(current->unwind, 1); }

void fail(int64_t message) {
  current->error = current->program.messages[message];
  abandon();
}

void *allocate(size_t bytes) {
  void *block = bytes <= current->memoryLeft ? std::malloc(std::max<size_t>(bytes, 1)) : nullptr;
  if (!block) {
    current->error = "out of memory: an intermediate value needs " + std::to_string(bytes) + " bytes";
    abandon();
  }
  current->memoryLeft -= bytes;
  current->blocks.push_back(block);
  return block;
}

void release(void *) {} // the run frees all at its end

struct Descriptor {
  void *allocated;
  char *aligned;
  int64_t offset;
  int64_t sizesAndStrides[];
};

void describe(Descriptor *into, const Tensor &tensor) {
  size_t rank = tensor.shape.size();
  into->allocated = into->aligned = tensor.data;
  into->offset = 0;
  int64_t stride = 1;
  for (size_t i = rank; i-- > 0; stride *= tensor.shape[i]) {
    into->sizesAndStrides[i] = tensor.shape[i];
    into->sizesAndStrides[rank + i] = stride;
  }
}

void input(Descriptor *into, int64_t number) { describe(into, current->inputs[number]); }

bool isContiguous(const Descriptor *from, size_t rank) {
  int64_t stride = 1;
  for (size_t i = rank; i-- > 0; stride *= from->sizesAndStrides[i])
    if (from->sizesAndStrides[i] != 1 && from->sizesAndStrides[rank + i] != stride)
      return false;
  return true;
}

Tensor copyOf(const Emission &emission, const Descriptor *from) {
  size_t rank = emission.rank;
  const int64_t *sizes = from->sizesAndStrides, *strides = sizes + rank;
  size_t size = contract::byteSize(emission.type);
  Tensor tensor = Tensor::allocate(emission.type, ArrayRef<int64_t>(sizes, rank));
  const char *base = from->aligned + from->offset * static_cast<int64_t>(size);
  if (isContiguous(from, rank)) {
    if (size_t bytes = tensor.byteCount())
      std::memcpy(tensor.data, base, bytes);
    return tensor;
  }
  SmallVector<int64_t> position(rank, 0);
  for (int64_t i = 0, count = tensor.count(); i < count; ++i) {
    int64_t offset = 0;
    for (size_t d = 0; d < rank; ++d)
      offset += position[d] * strides[d];
    std::memcpy(tensor.data + i * size, base + offset * static_cast<int64_t>(size), size);
    for (size_t d = rank; d-- > 0 && ++position[d] == sizes[d];)
      position[d] = 0;
  }
  return tensor;
}

// A parameter's own tensor rather than a copy of it.
Tensor read(const Emission &emission, const Descriptor *from) {
  if (emission.kind == Emission::StepOperand)
    for (const Tensor &parameter : current->program.parameters)
      if (parameter.data == from->aligned && from->offset == 0 && parameter.shape.size() == emission.rank &&
          ArrayRef<int64_t>(from->sizesAndStrides, emission.rank) == ArrayRef<int64_t>(parameter.shape) &&
          isContiguous(from, emission.rank))
        return parameter;
  return copyOf(emission, from);
}

void Run::allocateStep(unsigned number) {
  if (step)
    return;
  const StepInfo &info = program.steps[number];
  step.reset(new Step{info.op, info.location, info.isDispatch, {}, {}, {}});
}

void Run::finishStep() {
  if (observe)
    observe(*step);
  step.reset();
}

void emit(int64_t number, const Descriptor *from) {
  const Emission &emission = current->program.emissions[number];
  if (emission.kind == Emission::Result) {
    current->results[emission.index] = copyOf(emission, from);
    return;
  }
  current->allocateStep(emission.index);
  auto &into = emission.kind == Emission::StepOperand ? current->step->operands : current->step->results;
  into.push_back(read(emission, from));
  if (emission.last)
    current->finishStep();
}

void constant(int64_t number, int64_t value) {
  const Emission &emission = current->program.emissions[number];
  current->allocateStep(emission.index);
  if (emission.kind == Emission::StepResult) {
    Tensor scalar = Tensor::allocate(ElementType::I64, {});
    *scalar.elements<int64_t>().data() = value;
    current->step->results.push_back(scalar);
  } else {
    current->step->constants.push_back(value);
  }
  if (emission.last)
    current->finishStep();
}

int64_t place(int64_t number) { return current->ranks.place(current->rank, current->program.places[number]); }

void cut(int64_t granules, int64_t granule, int64_t first, int64_t parts) {
  current->cuts.push_back({granules, granule, first, parts});
}

// Without objects at its end, as abandon() asks.
bool give(int64_t number, const Descriptor *from) {
  const CollectiveInfo &info = current->program.collectives[number];
  Emission emission{Emission::Result, 0, info.type, info.rank};
  SmallVector<::heddle::contract::Cut> cuts = std::exchange(current->cuts, {});
  current->error = current->ranks.meet(current->rank, number, copyOf(emission, from), cuts, current->received);
  return current->error.empty();
}

void giveOrAbandon(int64_t number, const Descriptor *from) {
  if (!give(number, from))
    abandon();
}

// A buffer of the run, as the program may overwrite what it gets.
void take(Descriptor *into, int64_t) {
  void *block = allocate(current->received.byteCount());
  if (size_t bytes = current->received.byteCount())
    std::memcpy(block, current->received.data, bytes);
  describe(into, current->received);
  into->allocated = into->aligned = static_cast<char *>(block);
}

// On its own, so that no object lives across setjmp.
bool enter(Run &run, void (*entry)()) {
  if (setjmp(run.unwind))
    return false;
  entry();
  return true;
}

} // namespace

struct Reference::Impl {
  Program program;
  ReferenceOptions options;
  std::unique_ptr<Jit> jit;
  void (*entry)() = nullptr;

  std::string run(Ranks &ranks, unsigned rank, ArrayRef<Tensor> inputs, std::vector<Tensor> &results,
                  llvm::function_ref<void(const Step &)> observe);
};

Reference::Reference(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Reference::~Reference() = default;

const Signature &Reference::signature() const { return impl->program.signature; }

static void *resolve(const Program &program, StringRef symbol) {
  symbol.consume_front("_mlir_ciface_");
  unsigned number;
  if (symbol.starts_with(kInput))
    return reinterpret_cast<void *>(&input);
  if (symbol.starts_with(kEmit))
    return reinterpret_cast<void *>(&emit);
  if (symbol == kPlace)
    return reinterpret_cast<void *>(&place);
  if (symbol == kCut)
    return reinterpret_cast<void *>(&cut);
  if (symbol.starts_with(kGive))
    return reinterpret_cast<void *>(&giveOrAbandon);
  if (symbol.starts_with(kTake))
    return reinterpret_cast<void *>(&take);
  if (symbol == kConstant)
    return reinterpret_cast<void *>(&constant);
  if (symbol == kFail)
    return reinterpret_cast<void *>(&fail);
  if (symbol == "malloc")
    return reinterpret_cast<void *>(&allocate);
  if (symbol == "free")
    return reinterpret_cast<void *>(&release);
  if (symbol.consume_front(kParameter) && !symbol.getAsInteger(10, number))
    return program.parameters[number].data;
  return nullptr;
}

FailureOr<std::unique_ptr<Reference>> Reference::create(ModuleOp module, const ReferenceOptions &options) {
  loadReferenceDialects(module.getContext());
  OwningOpRef<ModuleOp> clone(module.clone());
  auto impl = std::make_unique<Impl>();
  impl->options = options;
  intent::decomposeAttention(*clone, {});
  intent::decomposeLists(*clone, {});
  if (failed(lowerFlow(*clone, options, impl->program)) || failed(lowerToLoops(*clone, impl->program)))
    return failure();
  FailureOr<std::unique_ptr<Jit>> jit =
      Jit::create(*clone, [&](StringRef symbol) { return resolve(impl->program, symbol); }, options.optimize);
  if (failed(jit))
    return failure();
  impl->jit = std::move(*jit);
  FailureOr<void *> entry = impl->jit->lookup(kEntry);
  if (failed(entry))
    return module.emitError() << "the reference's machine code lacks its entry point";
  impl->entry = reinterpret_cast<void (*)()>(*entry);
  return std::unique_ptr<Reference>(new Reference(std::move(impl)));
}

std::string Reference::run(ArrayRef<Tensor> inputs, std::vector<Tensor> &results,
                           llvm::function_ref<void(const Step &)> observe) {
  if (std::string text = misfit(impl->program.signature, inputs); !text.empty())
    return text;
  if (signature().ranks != 1)
    return "the program runs on " + std::to_string(signature().ranks) + " ranks, not on one";
  Ranks alone(impl->program, 1);
  return impl->run(alone, 0, inputs, results, observe);
}

std::string Reference::Impl::run(Ranks &ranks, unsigned rank, ArrayRef<Tensor> inputs, std::vector<Tensor> &results,
                                 llvm::function_ref<void(const Step &)> observe) {
  results.assign(program.signature.results.size(), Tensor());
  Run run{program, inputs, results, observe, options.memoryLimit, ranks, rank, {}, {}, {}, {}, {}};
  Run *outer = std::exchange(current, &run);
  enter(run, entry);
  current = outer;
  llvm::for_each(run.blocks, std::free);
  ranks.leave(rank, run.error);
  return run.error;
}

std::string Reference::runRanks(ArrayRef<std::vector<Tensor>> inputs, std::vector<std::vector<Tensor>> &results,
                                llvm::function_ref<void(unsigned, const Step &)> observe) {
  if (inputs.size() != signature().ranks)
    return "the program runs on " + std::to_string(signature().ranks) + " ranks, got inputs of " +
           std::to_string(inputs.size());
  for (auto [rank, own] : llvm::enumerate(inputs))
    if (std::string text = misfit(impl->program.signature, own); !text.empty())
      return "rank " + std::to_string(rank) + ": " + text;
  results.assign(inputs.size(), {});
  Ranks meeting(impl->program, inputs.size());
  std::vector<std::thread> threads;
  for (unsigned rank = 0; rank < inputs.size(); ++rank)
    threads.emplace_back([&, rank] {
      auto own = [&](const Step &step) { observe(rank, step); };
      (void)impl->run(meeting, rank, inputs[rank], results[rank],
                      observe ? llvm::function_ref<void(const Step &)>(own) : llvm::function_ref<void(const Step &)>());
    });
  llvm::for_each(threads, [](std::thread &thread) { thread.join(); });
  return meeting.getError();
}
