// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/check/Kernels.h"

#include "compiler/Dialect/Flow/IR/Pitch.h"
#include "compiler/Dialect/Host/Interpreter/Fold.h"

#include "heddle/contract/KernelAbi.h"
#include "runtime/drivers/local/CpuFeatures.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::check;

static constexpr unsigned kSeconds = 60; // a naive reference has already done the same work

FailureOr<int64_t> check::evaluate(func::FuncOp function, ArrayRef<int64_t> arguments) {
  llvm::DenseMap<Value, Attribute> values;
  for (auto [argument, value] : llvm::zip_equal(function.getArguments(), arguments))
    values[argument] = IntegerAttr::get(IndexType::get(function.getContext()), value);
  for (Operation &op : function.getBody().front().without_terminator()) {
    auto operands = llvm::map_to_vector(op.getOperands(), [&](Value value) { return values.lookup(value); });
    FailureOr<SmallVector<Attribute>> folded = host::fold(&op, operands);
    if (failed(folded))
      return failure();
    for (auto [result, value] : llvm::zip(op.getResults(), *folded))
      values[result] = value;
  }
  return cast<IntegerAttr>(values.lookup(function.getBody().front().getTerminator()->getOperand(0))).getInt();
}

std::string Kernel::load(flow::VariantOp variant, std::unique_ptr<Kernel> &kernel) {
  (void)::heddle::local::hostFeatures(); // asks the system for tile registers, which kernels may use
  FailureOr<Tensor> object = reference::tensorOf(variant.getObject());
  if (failed(object))
    return "the variant's object is not plain bytes";
  int file = memfd_create("heddle-check", MFD_CLOEXEC);
  if (file < 0)
    return std::string("memfd_create: ") + std::strerror(errno);
  size_t bytes = object->byteCount();
  bool written = write(file, object->data, bytes) == static_cast<ssize_t>(bytes);
  std::string path = "/proc/self/fd/" + std::to_string(file);
  std::unique_ptr<Kernel> made(new Kernel(variant));
  // dlopen() knows objects by their path: the number must not serve another one while this is loaded.
  made->file = file;
  made->library = written ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!made->library)
    return std::string("the variant's object does not load: ") + (written ? dlerror() : "cannot copy it");
  made->entry = dlsym(made->library, variant.getSymbol().str().c_str());
  if (!made->entry)
    return "the variant's object has no symbol " + variant.getSymbol().str();
  kernel = std::move(made);
  return "";
}

Kernel::~Kernel() {
  if (library)
    dlclose(library);
  if (file >= 0)
    close(file);
}

namespace {

// Memory shared with a child, its last byte in front of a page nobody may touch.
class Guarded {
public:
  explicit Guarded(size_t bytes) : bytes(bytes) {
    size_t page = sysconf(_SC_PAGESIZE);
    size_t room = llvm::alignTo(bytes, page);
    mapped = room + page;
    void *base = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
      llvm::report_bad_alloc_error("heddle check: guarded memory");
    start = static_cast<char *>(base);
    mprotect(start + room, page, PROT_NONE);
    data = start + room - bytes;
  }
  Guarded(Guarded &&other)
      : start(std::exchange(other.start, nullptr)), data(other.data), mapped(other.mapped), bytes(other.bytes) {}
  ~Guarded() {
    if (start)
      munmap(start, mapped);
  }

  char *start, *data;
  size_t mapped, bytes;
};

// Where a child crashed: in memory that it shares with its parent.
struct Crash {
  bool known;
  void *address;
};

Crash *crash = nullptr; // of this process, once it is a child

void noteCrash(int, siginfo_t *info, void *) {
  *crash = {true, info->si_addr};
  _exit(255);
}

void catchCrashes(const Guarded &note) {
  crash = reinterpret_cast<Crash *>(note.data);
  struct sigaction action{};
  action.sa_sigaction = noteCrash;
  action.sa_flags = SA_SIGINFO | SA_RESETHAND;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
}

int callInChild(HeddleKernel entry, const HeddleKernelState &state, int64_t workgroups, size_t scratchBytes,
                const Guarded &note) {
  pid_t child = fork();
  if (child == 0) {
    alarm(kSeconds);
    catchCrashes(note);
    void *scratch = std::aligned_alloc(64, llvm::alignTo(std::max<size_t>(scratchBytes, 64), 64));
    int64_t half = workgroups / 2;
    int status = scratch ? 0 : 255;
    if (status == 0 && half > 0)
      status = entry(&state, 0, half, scratch);
    if (status == 0 && workgroups > half)
      status = entry(&state, half, workgroups, scratch);
    _exit(status);
  }
  int status = -1;
  if (child > 0)
    waitpid(child, &status, 0);
  return status;
}

std::string describeCrash(void *address, ArrayRef<Guarded> bindings) {
  for (auto [i, binding] : llvm::enumerate(bindings))
    if (ptrdiff_t distance = static_cast<char *>(address) - binding.data;
        address >= binding.start && address < binding.start + binding.mapped)
      return "touches byte " + std::to_string(distance) + " of its binding " + std::to_string(i) + ", which has " +
             std::to_string(binding.bytes);
  return address ? "touches memory that is not its own" : "crashes: a misaligned access or a wild address";
}

std::string describeStatus(int status, const Guarded &note, ArrayRef<Guarded> bindings) {
  if (auto *found = reinterpret_cast<Crash *>(note.data); found->known)
    return describeCrash(found->address, bindings);
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGALRM ? "runs for more than " + std::to_string(kSeconds) + " s"
                                       : std::string("crashes: ") + strsignal(WTERMSIG(status));
  if (!WIFEXITED(status))
    return "could not be started";
  if (WEXITSTATUS(status) == HEDDLE_KERNEL_INDEX_OUT_OF_RANGE)
    return "reports an index out of range";
  return WEXITSTATUS(status) == 0 ? "" : "returns status " + std::to_string(WEXITSTATUS(status));
}

} // namespace

namespace {

// How a result lies in memory: runs of bytes, whose begins are `step` bytes apart.
struct Runs {
  size_t count = 1, bytes = 0, step = 0;
  size_t span() const { return count * bytes == 0 ? 0 : (count - 1) * step + bytes; }
};

Runs runsOf(func::FuncOp function, unsigned result, const Tensor &tensor, ArrayRef<int64_t> constants) {
  std::optional<flow::Pitch> pitch = flow::getPitch(function, result);
  if (!pitch)
    return {1, tensor.byteCount(), tensor.byteCount()};
  Runs runs;
  for (int64_t size : ArrayRef(tensor.shape).take_front(pitch->outer))
    runs.count *= size;
  size_t element = ::heddle::contract::byteSize(tensor.type);
  unsigned tensors = llvm::count_if(function.getArgumentTypes(), llvm::IsaPred<RankedTensorType>);
  runs.bytes = element;
  for (int64_t size : ArrayRef(tensor.shape).drop_front(pitch->outer))
    runs.bytes *= size;
  runs.step = element * (pitch->elements ? *pitch->elements : constants[pitch->argument - tensors]);
  return runs;
}

constexpr char kUnwritten = static_cast<char>(0xff);

// Takes the tensor's bytes from the runs; whether those between are what they were.
bool gather(const Runs &runs, const char *from, Tensor &tensor) {
  for (size_t i = 0; i < runs.count && runs.bytes > 0; ++i) {
    const char *run = from + i * runs.step;
    std::memcpy(tensor.data + i * runs.bytes, run, runs.bytes);
    if (i + 1 < runs.count && std::any_of(run + runs.bytes, run + runs.step, [](char c) { return c != kUnwritten; }))
      return false;
  }
  return true;
}

} // namespace

std::string Kernel::run(const Step &step, std::vector<Tensor> &results) const {
  FailureOr<int64_t> workgroups = evaluate(variant.getWorkgroups(), step.constants);
  FailureOr<int64_t> scratch = evaluate(variant.getScratch(), step.constants);
  if (failed(workgroups) || failed(scratch))
    return "its workgroup count or scratch size cannot be evaluated";
  std::vector<Guarded> memory;
  std::vector<void *> bindings;
  std::vector<Runs> runs; // of the results
  func::FuncOp function = variant->getParentOfType<flow::ExecutableOp>().getFunction();
  for (const Tensor &operand : step.operands) {
    Guarded &block = memory.emplace_back(operand.byteCount());
    std::memcpy(block.data, operand.data, block.bytes);
    bindings.push_back(block.data);
  }
  for (auto [i, result] : llvm::enumerate(step.results)) {
    runs.push_back(runsOf(function, i, result, step.constants));
    Guarded &block = memory.emplace_back(runs.back().span());
    std::memset(block.data, kUnwritten, block.bytes);
    bindings.push_back(block.data);
  }
  HeddleKernelState state{bindings.data(), step.constants.data()};
  Guarded note(sizeof(Crash));
  int status = callInChild(reinterpret_cast<HeddleKernel>(entry), state, *workgroups, *scratch, note);
  if (std::string error = describeStatus(status, note, memory); !error.empty())
    return error;
  for (auto [i, operand] : llvm::enumerate(step.operands))
    if (std::memcmp(memory[i].data, operand.data, memory[i].bytes) != 0)
      return "writes to its operand " + std::to_string(i);
  results.clear();
  for (auto [i, expected] : llvm::enumerate(step.results)) {
    Tensor result = Tensor::allocate(expected.type, expected.shape);
    if (!gather(runs[i], memory[step.operands.size() + i].data, result))
      return "writes between the runs of its result " + std::to_string(i);
    results.push_back(result);
  }
  return "";
}
