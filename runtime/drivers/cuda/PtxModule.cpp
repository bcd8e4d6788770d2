// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/cuda/PtxModule.h"

#include "heddle/contract/PtxAbi.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace heddle::cuda {
namespace {

bool isNamePart(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%'; }

void skipSpace(std::string_view &text) {
  while (!text.empty() && (std::isspace(static_cast<unsigned char>(text[0])) || text[0] == ','))
    text.remove_prefix(1);
}

// What lies behind the entry's name up to its body; "" when there is no such entry.
std::string_view headOf(std::string_view text, std::string_view entry) {
  static constexpr std::string_view keyword = ".entry";
  for (size_t at = text.find(keyword); at != text.npos; at = text.find(keyword, at + 1)) {
    std::string_view rest = text.substr(at + keyword.size());
    skipSpace(rest);
    if (rest.substr(0, entry.size()) != entry || rest.size() <= entry.size() || isNamePart(rest[entry.size()]))
      continue;
    rest.remove_prefix(entry.size());
    return rest.substr(0, rest.find('{'));
  }
  return {};
}

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
  HEDDLE_RETURN_IF_ERROR(context_->enter());
  char log[4096] = {};
  int options[] = {kJitErrorLogBuffer, kJitErrorLogBufferSizeBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
  CUresult result = context_->api.ModuleLoadDataEx(&module_, text.c_str(), 2, options, values);
  if (result == kInvalidPtx || result == kInvalidImage || result == kUnsupportedPtxVersion)
    return cannotLoad(source, "the driver refuses it (" + context_->api.spelling(result) + "): " + firstLine(log));
  if (result != kSuccess)
    return context_->failure(result, "cuModuleLoadDataEx");
  for (const std::string &symbol : source.symbols) {
    auto kernel = std::make_unique<CudaKernel>();
    if (headOf(text, symbol).empty() ||
        context_->api.ModuleGetFunction(&kernel->function, module_, symbol.c_str()) != kSuccess)
      return cannotLoad(source, "it has no entry '" + symbol + "'");
    std::optional<Block> block = blockOf(text, symbol);
    if (!block)
      return cannotLoad(source, "its entry '" + symbol + "' has no .reqntid");
    kernel->block = *block;
    kernels_.push_back({kernel.get()});
    owned_.push_back(std::move(kernel));
  }
  return {};
}

} // namespace

std::optional<Block> blockOf(std::string_view text, std::string_view entry) {
  static constexpr std::string_view keyword = ".reqntid";
  std::string_view head = headOf(text, entry);
  size_t at = head.find(keyword);
  if (at == head.npos)
    return std::nullopt;
  head.remove_prefix(at + keyword.size());
  uint32_t sizes[3] = {1, 1, 1};
  for (int i = 0; i < 3; ++i) {
    skipSpace(head);
    auto [end, error] = std::from_chars(head.data(), head.data() + head.size(), sizes[i]);
    if (error != std::errc() && i == 0)
      return std::nullopt;
    if (error != std::errc())
      break;
    head.remove_prefix(static_cast<size_t>(end - head.data()));
  }
  return Block{sizes[0], sizes[1], sizes[2]};
}

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
