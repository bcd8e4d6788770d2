// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipelines/Messages.h"

#include "compiler/Pipelines/Explain.h"

#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace mlir::heddle;

// Of an op made of many nodes the first ones are named.
static constexpr size_t kMaximumNames = 3;

static bool hasFile(Location loc) { return static_cast<bool>(loc->findInstanceOf<FileLineColLoc>()); }

// "in 'conv1', 'relu1' and 4 more: " of the nodes a location names; "" without any.
static std::string describeNodes(Location loc) {
  llvm::SetVector<StringRef> names;
  collectNodes(loc, names);
  std::string text;
  for (StringRef name : ArrayRef(names.getArrayRef()).take_front(kMaximumNames))
    text += (Twine(text.empty() ? "in '" : ", '") + name + "'").str();
  if (names.size() > kMaximumNames)
    text += " and " + std::to_string(names.size() - kMaximumNames) + " more";
  return text.empty() ? text : text + ": ";
}

static llvm::raw_ostream &begin(llvm::raw_ostream &os, DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note: return llvm::WithColor::note(os);
  case DiagnosticSeverity::Warning: return llvm::WithColor::warning(os);
  case DiagnosticSeverity::Error: return llvm::WithColor::error(os);
  case DiagnosticSeverity::Remark: return llvm::WithColor::remark(os);
  }
  llvm_unreachable("severity");
}

Messages::Handler::Handler(llvm::SourceMgr &sources, MLIRContext *context, llvm::raw_ostream &os)
    : SourceMgrDiagnosticHandler(sources, context, os) {
  setHandler([this](Diagnostic &diagnostic) { print(diagnostic); });
}

void Messages::Handler::print(Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() == DiagnosticSeverity::Error && !anyError) {
    anyError = true;
    refusesFlag = StringRef(diagnostic.str()).starts_with("--");
  }
  auto notes = diagnostic.getNotes();
  // With the lines of the file, and the calls on the way.
  if (hasFile(diagnostic.getLocation()) &&
      llvm::all_of(notes, [](const Diagnostic &note) { return hasFile(note.getLocation()); }))
    return emitDiagnostic(diagnostic);
  printOne(diagnostic.getLocation(), diagnostic.str(), diagnostic.getSeverity());
  for (const Diagnostic &note : notes)
    printOne(note.getLocation(), note.str(), note.getSeverity());
}

void Messages::Handler::printOne(Location loc, const std::string &text, DiagnosticSeverity severity) {
  if (hasFile(loc))
    return emitDiagnostic(loc, text, severity);
  begin(os, severity) << describeNodes(loc) << text << '\n';
}
