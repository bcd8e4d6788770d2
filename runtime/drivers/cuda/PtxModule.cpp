// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/cuda/PtxModule.h"

#include "heddle/contract/PtxAbi.h"

namespace heddle::cuda {
namespace {

class PtxExecutable final : public hal::Executable {
public:
  explicit PtxExecutable(std::shared_ptr<CudaContext> context) : context_(std::move(context)) {}
  ~PtxExecutable() override {
    if (module_ && context_->enter().ok())
      (void)context_->api.ModuleUnload(module_);
  }
  Status load(const hal::ExecutableSource &source);

private:
  std::shared_ptr<CudaContext> context_;
  CUmodule module_ = nullptr;
  std::vector<std::unique_ptr<CudaKernel>> owned_;
};

Status cannotLoad(const hal::ExecutableSource &source, const std::string &why) {
  return Status(StatusCode::Malformed, "the code of executable '" + source.name + "' must be a PTX module: " + why +
                                           "; compile the model again");
}

std::string firstLine(const std::string &text) { return text.substr(0, text.find('\n')); }

Status PtxExecutable::load(const hal::ExecutableSource &source) {
  std::string text(reinterpret_cast<const char *>(source.code.data()), source.code.size());
  if (text.find(".version") == text.npos)
    return cannotLoad(source, "it has no .version");
  if (source.launches.size() != source.symbols.size())
    return cannotLoad(source, "it has no launch records");
  HEDDLE_RETURN_IF_ERROR(hal::checkLaunches(source, context_->info, "maxThreadsPerBlock", contract::ptx::kSharedLimit));
  HEDDLE_RETURN_IF_ERROR(context_->enter());
  char log[4096] = {};
  int options[] = {kJitErrorLogBuffer, kJitErrorLogBufferSizeBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
  CUresult result = context_->api.ModuleLoadDataEx(&module_, text.c_str(), 2, options, values);
  if (result == kInvalidPtx || result == kInvalidImage || result == kUnsupportedPtxVersion)
    return cannotLoad(source, "the driver refuses it (" + context_->api.spelling(result) + "): " + firstLine(log));
  if (result != kSuccess)
    return context_->failure(result, "cuModuleLoadDataEx");
  for (size_t i = 0; i < source.symbols.size(); ++i) {
    auto kernel = std::make_unique<CudaKernel>();
    kernel->launch = source.launches[i];
    if (context_->api.ModuleGetFunction(&kernel->function, module_, source.symbols[i].c_str()) != kSuccess)
      return cannotLoad(source, "it has no entry '" + source.symbols[i] + "'");
    if (kernel->launch.sharedBytes > contract::ptx::kLeastSharedBytes)
      HEDDLE_CUDA(*context_, FuncSetAttribute, kernel->function, kMaxDynamicSharedBytes,
                  static_cast<int>(kernel->launch.sharedBytes));
    kernels_.push_back({kernel.get()});
    owned_.push_back(std::move(kernel));
  }
  return {};
}

} // namespace

StatusOr<std::unique_ptr<hal::Executable>> loadPtx(std::shared_ptr<CudaContext> context,
                                                   const hal::ExecutableSource &source) {
  if (source.format != contract::ptx::kFormat)
    return Status(StatusCode::Unsupported,
                  context->info.uri + " loads ptx, got executable '" + source.name + "' of format " + source.format);
  auto executable = std::make_unique<PtxExecutable>(std::move(context));
  HEDDLE_RETURN_IF_ERROR(executable->load(source));
  return std::unique_ptr<hal::Executable>(std::move(executable));
}

} // namespace heddle::cuda
