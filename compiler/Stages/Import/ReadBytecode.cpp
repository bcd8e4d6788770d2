// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/ReadBytecode.h"

#include "compiler/Stages/Import/ListSyntax.h"
#include "compiler/Stages/Import/RunApart.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SourceMgr.h"

#include <cstring>
#include <optional>
#include <utility>
#include <vector>

using namespace mlir;
using namespace mlir::heddle;
using llvm::MemoryBuffer;

namespace {

using BlobEntry = DialectResourceBlobManager::BlobEntry;

constexpr uint64_t kMiB = 1 << 20, kMaximumAlignment = 1 << 16;

// What the copy of the process tells: records of a kind, a length and bytes. The text is the last.
enum class Kind : char { Error, Warning, Remark, Note, Location, Range, Bytes, Dense, Text };

void writeNumber(raw_ostream &os, uint64_t number) { os.write(reinterpret_cast<const char *>(&number), sizeof number); }

void writeRecord(raw_ostream &os, Kind kind, StringRef bytes) {
  os << static_cast<char>(kind);
  writeNumber(os, bytes.size());
  os << bytes;
}

// Reads records; nothing is believed of what another process wrote.
class Records {
public:
  explicit Records(StringRef bytes) : left(bytes) {}
  struct Record {
    Kind kind;
    StringRef bytes;
  };
  std::optional<Record> next() {
    std::optional<uint64_t> size;
    if (left.empty())
      return std::nullopt;
    auto kind = static_cast<Kind>(left.front());
    left = left.drop_front();
    if (kind == Kind::Text)
      return Record{kind, std::exchange(left, {})};
    if (!(size = takeNumber(left)) || *size > left.size())
      return std::nullopt;
    Record record{kind, left.take_front(*size)};
    left = left.drop_front(*size);
    return record;
  }
  static std::optional<uint64_t> takeNumber(StringRef &bytes) {
    uint64_t number;
    if (bytes.size() < sizeof number)
      return std::nullopt;
    std::memcpy(&number, bytes.data(), sizeof number);
    bytes = bytes.drop_front(sizeof number);
    return number;
  }

private:
  StringRef left;
};

// Each constant of `module` that lies in a resource, once, in the order of the program.
void forEachResource(ModuleOp module, llvm::function_ref<void(BlobEntry &)> visit) {
  llvm::SmallPtrSet<BlobEntry *, 16> seen;
  AttrTypeWalker walker;
  walker.addWalk([&](DenseResourceElementsAttr value) {
    BlobEntry *entry = value.getRawHandle().getResource();
    if (entry->getBlob() && seen.insert(entry).second)
      visit(*entry);
  });
  module.walk([&](Operation *op) { walker.walk(op->getAttrDictionary()); });
}

// Where large constants stand that are no resources, by the name of the attribute: as text they would take four times
// their size, and a second for each 64 MiB.
StringRef constantOf(Operation *op) {
  StringRef name = op->getName().getStringRef();
  return name == "tosa.const" ? "values" : name == "arith.constant" || name == "stablehlo.constant" ? "value" : "";
}

void tell(raw_ostream &os, Diagnostic &diagnostic, Kind kind) {
  std::string location, text;
  llvm::raw_string_ostream(location) << LocationAttr(diagnostic.getLocation());
  llvm::raw_string_ostream(text) << diagnostic;
  writeRecord(os, Kind::Location, location);
  writeRecord(os, kind, text);
  for (Diagnostic &note : diagnostic.getNotes())
    tell(os, note, Kind::Note);
}

Kind kindOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error: return Kind::Error;
  case DiagnosticSeverity::Warning: return Kind::Warning;
  case DiagnosticSeverity::Remark: return Kind::Remark;
  case DiagnosticSeverity::Note: return Kind::Note;
  }
  return Kind::Error;
}

AsmResourceBlob numberBlob(uint64_t number) {
  return HeapAsmResourceBlob::allocateAndCopyInferAlign(ArrayRef<uint64_t>(number));
}

// Tells where the bytes of the module's constants are, and leaves each one's number in their place.
void tellConstants(raw_ostream &os, ModuleOp module, StringRef file) {
  uint64_t count = 0;
  forEachResource(module, [&](BlobEntry &entry) {
    ArrayRef<char> data = entry.getBlob()->getData();
    bool inFile = data.data() >= file.begin() && data.data() + data.size() <= file.end();
    os << static_cast<char>(inFile ? Kind::Range : Kind::Bytes);
    writeNumber(os, inFile ? 3 * sizeof(uint64_t) : sizeof(uint64_t) + data.size());
    writeNumber(os, entry.getBlob()->getDataAlignment());
    if (inFile) {
      writeNumber(os, data.data() - file.begin());
      writeNumber(os, data.size());
    } else {
      os.write(data.data(), data.size());
    }
    entry.setBlob(numberBlob(count++));
  });
  constexpr size_t kLarge = 64 << 10;
  module.walk([&](Operation *op) {
    auto value = op->getAttrOfType<DenseElementsAttr>(constantOf(op));
    if (!value || value.isSplat() || !value.getElementType().isIntOrIndexOrFloat() ||
        value.getElementType().isInteger(1) || value.getRawData().size() < kLarge)
      return;
    writeRecord(os, Kind::Dense, StringRef(value.getRawData().data(), value.getRawData().size()));
    op->setAttr(constantOf(op), DenseResourceElementsAttr::get(value.getType(), "dense", numberBlob(count++)));
  });
}

// The work of the copy.
void readAndTell(raw_ostream &os, llvm::MemoryBufferRef file, MLIRContext &parent) {
  DialectRegistry registry;
  parent.getDialectRegistry().appendTo(registry);
  // Neither is taken down: the process ends, and what a damaged file left may not be fit for it.
  auto *context = new MLIRContext(registry, MLIRContext::Threading::DISABLED);
  context->allowUnregisteredDialects(parent.allowsUnregisteredDialects());
  context->printOpOnDiagnostic(parent.shouldPrintOpOnDiagnostic());
  context->getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
    tell(os, diagnostic, kindOf(diagnostic.getSeverity()));
    return success();
  });
  // Shared, so that resources stay where they are in the file.
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(MemoryBuffer::getMemBuffer(file, /*RequiresNullTerminator=*/false), llvm::SMLoc());
  ModuleOp module = parseSourceFile<ModuleOp>(sources, ParserConfig(context)).release();
  if (!module)
    return;
  tellConstants(os, module, file.getBuffer());
  os << static_cast<char>(Kind::Text);
  module->print(os, OpPrintingFlags().printGenericOpForm().enableDebugInfo(true).assumeVerified());
}

// In this process: what the copy told, for one file.
class Listener {
public:
  Listener(std::shared_ptr<MemoryBuffer> file, std::shared_ptr<MemoryBuffer> told, MLIRContext *context)
      : file(std::move(file)), told(std::move(told)), context(context),
        start(FileLineColLoc::get(context, this->file->getBufferIdentifier(), 0, 0)) {}

  OwningOpRef<ModuleOp> read() {
    Records records(told->getBuffer());
    std::optional<StringRef> text;
    while (auto record = records.next())
      if (record->kind == Kind::Text)
        text = record->bytes;
      else if (failed(take(record->kind, record->bytes)))
        return damaged();
    if (diagnostic)
      diagnostic->report();
    if (!text && !saidError)
      return damaged();
    return text ? parse(*text) : nullptr;
  }

private:
  struct Constant {
    ArrayRef<char> bytes;
    uint64_t alignment;
    std::shared_ptr<MemoryBuffer> owner;
    bool isDense; // no resource
  };

  OwningOpRef<ModuleOp> damaged() {
    emitError(start) << "damaged MLIR bytecode";
    return nullptr;
  }

  Location locationOf(StringRef text) {
    ScopedDiagnosticHandler quiet(context, [](Diagnostic &) { return success(); });
    auto location = dyn_cast_or_null<LocationAttr>(parseAttribute(text, context));
    return location ? Location(location) : start;
  }

  LogicalResult take(Kind kind, StringRef bytes) {
    switch (kind) {
    case Kind::Location: location = locationOf(bytes); return success();
    case Kind::Error: return begin(DiagnosticSeverity::Error, bytes);
    case Kind::Warning: return begin(DiagnosticSeverity::Warning, bytes);
    case Kind::Remark: return begin(DiagnosticSeverity::Remark, bytes);
    case Kind::Note:
      if (diagnostic)
        diagnostic->attachNote(location) << bytes;
      return success();
    case Kind::Range:
    case Kind::Bytes: return takeResource(kind, bytes);
    case Kind::Dense: constants.push_back({{bytes.data(), bytes.size()}, 1, told, true}); return success();
    case Kind::Text: break;
    }
    return failure();
  }

  LogicalResult takeResource(Kind kind, StringRef bytes) {
    std::optional<uint64_t> alignment = Records::takeNumber(bytes), offset, size;
    if (!alignment || !llvm::isPowerOf2_64(*alignment) || *alignment > kMaximumAlignment)
      return failure();
    if (kind == Kind::Range) {
      offset = Records::takeNumber(bytes);
      size = Records::takeNumber(bytes);
      if (!size || *offset > file->getBufferSize() || *size > file->getBufferSize() - *offset)
        return failure();
      bytes = file->getBuffer().substr(*offset, *size);
    }
    constants.push_back({{bytes.data(), bytes.size()}, *alignment, kind == Kind::Range ? file : told, false});
    return success();
  }

  LogicalResult begin(DiagnosticSeverity severity, StringRef text) {
    if (diagnostic)
      diagnostic->report();
    diagnostic.emplace(context->getDiagEngine().emit(location.value_or(start), severity));
    *diagnostic << text;
    saidError |= severity == DiagnosticSeverity::Error;
    location.reset();
    return success();
  }

  OwningOpRef<ModuleOp> parse(StringRef text) {
    if (findDeepNesting(text))
      return emitError(start) << "brackets nest more than a thousand deep", nullptr;
    if (findMalformedList(text))
      return damaged();
    // What the reader accepts and the writer cannot write is found here.
    std::string message;
    OwningOpRef<ModuleOp> module;
    {
      ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
        if (message.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
          message = diagnostic.str();
        return success();
      });
      llvm::SourceMgr sources;
      sources.AddNewSourceBuffer(MemoryBuffer::getMemBuffer(text, file->getBufferIdentifier()), llvm::SMLoc());
      module = parseSourceFile<ModuleOp>(sources, ParserConfig(context));
    }
    if (!module)
      return emitError(start) << "MLIR bytecode that has no text: " << message, nullptr;
    return succeeded(restoreConstants(*module)) ? std::move(module) : damaged();
  }

  // The constant whose number stands in its place; null for what is none.
  const Constant *constantAt(BlobEntry &entry) const {
    ArrayRef<char> data = entry.getBlob()->getData();
    StringRef bytes(data.data(), data.size());
    std::optional<uint64_t> number = Records::takeNumber(bytes);
    return number && *number < constants.size() ? &constants[*number] : nullptr;
  }

  static AsmResourceBlob blobOf(const Constant &constant) {
    if (reinterpret_cast<uintptr_t>(constant.bytes.data()) % constant.alignment)
      return HeapAsmResourceBlob::allocateAndCopyWithAlign(constant.bytes, constant.alignment, /*dataIsMutable=*/false);
    return AsmResourceBlob(
        constant.bytes, constant.alignment, [owner = constant.owner](void *, size_t, size_t) {},
        /*dataIsMutable=*/false);
  }

  LogicalResult restoreConstants(ModuleOp module) {
    bool failedAny = false;
    module.walk([&](Operation *op) {
      auto held = op->getAttrOfType<DenseResourceElementsAttr>(constantOf(op));
      BlobEntry *entry = held ? held.getRawHandle().getResource() : nullptr;
      const Constant *constant = entry && entry->getBlob() ? constantAt(*entry) : nullptr;
      if (!constant || !constant->isDense)
        return;
      bool isSplat = false;
      if (held.getType().getElementType().isIntOrIndexOrFloat() &&
          DenseElementsAttr::isValidRawBuffer(held.getType(), constant->bytes, isSplat))
        op->setAttr(constantOf(op), DenseElementsAttr::getFromRawBuffer(held.getType(), constant->bytes));
    });
    forEachResource(module, [&](BlobEntry &entry) {
      const Constant *constant = constantAt(entry);
      if (constant && !constant->isDense)
        entry.setBlob(blobOf(*constant));
      else
        failedAny = true;
    });
    return failure(failedAny);
  }

  std::shared_ptr<MemoryBuffer> file, told;
  MLIRContext *context;
  Location start;
  std::optional<Location> location;
  std::optional<InFlightDiagnostic> diagnostic;
  bool saidError = false;
  std::vector<Constant> constants;
};

} // namespace

OwningOpRef<ModuleOp> mlir::heddle::readBytecode(std::unique_ptr<MemoryBuffer> file, MLIRContext *context,
                                                 unsigned seconds) {
  uint64_t size = file->getBufferSize();
  ApartLimits limits;
  limits.seconds = seconds + static_cast<unsigned>(size / (16 * kMiB));
  limits.memory = 1024 * kMiB + 8 * size;
  limits.output = 256 * kMiB + 4 * size;
  Apart apart = runApart(limits, [&](raw_ostream &os) { readAndTell(os, file->getMemBufferRef(), *context); });
  Location start = FileLineColLoc::get(context, file->getBufferIdentifier(), 0, 0);
  switch (apart.end) {
  case Apart::End::Done: break;
  case Apart::End::Crashed: return emitError(start) << "damaged MLIR bytecode: MLIR's reader crashed", nullptr;
  case Apart::End::TooLong:
    return emitError(start) << "damaged MLIR bytecode: MLIR's reader took longer than " << limits.seconds << " s",
           nullptr;
  case Apart::End::NotStarted:
    return emitError(start) << "MLIR bytecode is read by a process of its own, which cannot be started: " << apart.why,
           nullptr;
  }
  return Listener(std::move(file), std::move(apart.output), context).read();
}
