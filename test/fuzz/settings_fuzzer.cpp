// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libFuzzer target: any text is a --target-device flag, a placement file, a sharding file or a topology file that the
// compiler takes, or an error with a message; and a file of the tuning cache gives an attribute or none.
#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Pipelines/ReadTopology.h"
#include "compiler/Pipelines/TuneCache.h"
#include "compiler/Stages/Devices/DeviceFlags.h"
#include "compiler/Stages/Devices/PlaceFile.h"
#include "compiler/Stages/Import/Annotations/ShardFile.h"
#include "test/fuzz/MlirTarget.h"
#include "test/fuzz/Target.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/xxhash.h"

using namespace heddle::fuzz;

namespace {

// A flag a line, with --target-cpu for an odd number of bytes.
void parseFlags(std::string_view text) {
  std::vector<std::string> texts;
  for (size_t at = 0; at <= text.size() && texts.size() < 8;) {
    size_t end = std::min(text.find('\n', at), text.size());
    texts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  for (const std::string &each : texts) {
    mlir::heddle::DeviceFlag flag;
    if (auto error = mlir::heddle::parseDeviceFlag(each, flag))
      require(!error->message.empty() && !mlir::heddle::pointAt(each, *error).empty());
  }
  std::vector<mlir::heddle::DeviceFlag> flags;
  std::string error = mlir::heddle::parseDeviceFlags(texts, text.size() % 2, flags);
  require(!error.empty() || flags.size() == texts.size());
}

void parsePlaces(std::string_view text) {
  std::vector<mlir::heddle::PlaceRule> rules;
  std::string error;
  if (!mlir::heddle::parsePlaceFile(llvm::StringRef(text), rules, error))
    return require(!error.empty());
  for (const mlir::heddle::PlaceRule &rule : rules)
    (void)rule.fits("encoder/layer.0/add");
}

void parseShards(std::string_view text) {
  mlir::heddle::ShardFile file;
  std::string error;
  if (!mlir::heddle::parseShardFile(llvm::StringRef(text), file, error))
    return require(!error.empty());
  for (const mlir::heddle::ShardMesh &mesh : file.meshes)
    require(mesh.axes.size() == mesh.sizes.size() && !mesh.axes.empty());
  for (const mlir::heddle::ShardRule &rule : file.rules)
    (void)rule.fits("layer.0/up.weight");
}

void readTopology(mlir::MLIRContext &context, std::string_view text) {
  static File file("topology.json");
  file.write(text);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(R"(
device.global @a = #device.target<"local", {gflops = 7 : i64}, [#device.executable<"elf-x86_64", {}>]>
device.global @b = #device.target<"local", {ordinal = 1 : i64}, [#device.executable<"elf-x86_64", {}>]>)",
                                                                                     &context);
  require(static_cast<bool>(module));
  Words words(context);
  bool applied = mlir::succeeded(mlir::heddle::applyTopology(*module, file.path));
  require(applied || words.said);
}

// With the hash that a whole file has, else none would get further.
void findWinner(mlir::MLIRContext &context, std::string_view text) {
  static constexpr llvm::StringLiteral kKey = "0";
  static File file("tune-0");
  uint64_t hash = llvm::xxh3_64bits((kKey + "\n" + llvm::StringRef(text)).str());
  file.write(llvm::utohexstr(hash, /*LowerCase=*/true, 16) + "\n" + std::string(text));
  Words words(context);
  mlir::heddle::TuneCache cache(file.folder(), mlir::UnknownLoc::get(&context));
  (void)cache.find(kKey);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  mlir::MLIRContext &context = getContext<mlir::heddle::device::DeviceDialect>();
  switch (takeChoice(text, 4)) {
  case 0: parseFlags(text); break;
  case 1:
    parsePlaces(text);
    parseShards(text);
    break;
  case 2: readTopology(context, text); break;
  default: findWinner(context, text);
  }
  return 0;
}
