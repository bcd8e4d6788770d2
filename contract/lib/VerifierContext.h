// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parts of the artifact verifier share: the module under test, the first error, the work budget.
#ifndef HEDDLE_CONTRACT_LIB_VERIFIERCONTEXT_H
#define HEDDLE_CONTRACT_LIB_VERIFIERCONTEXT_H

#include "heddle/contract/ArtifactVerifier.h"
#include "heddle/contract/Artifact_generated.h"

#include <optional>
#include <string>
#include <string_view>

namespace heddle::contract {

// FlatBuffers may refer to one vector from many tables, so walking them all could be quadratic. `charge` counts the
// elements walked against the metadata's size: a file written by a builder never shares vectors and stays below it.
class VerifierContext {
public:
  // Of a module whose tables FlatBuffers' own verifier has accepted. The module must outlive it.
  VerifierContext(const fb::Module &module, uint64_t metadataBytes, uint64_t dataBytes)
      : module(module), budget_(metadataBytes), packing_(kMaxPadding * dataBytes + kMorePacked) {}

  // Notes the first error; returns false, so that checks read `return context.fail(...)`.
  bool fail(std::string message) {
    if (message_.empty())
      message_ = std::move(message);
    return false;
  }
  // Before so many elements are walked. False, with the error noted: too many.
  bool charge(uint64_t elements) {
    if (elements > budget_)
      return fail("the metadata refers to the same data more often than its size allows");
    budget_ -= elements;
    return true;
  }
  // The bytes that a pack_parameter makes, against what the data section justifies for the module. False: too many.
  bool chargePacking(uint64_t bytes) {
    if (bytes > packing_)
      return false;
    packing_ -= bytes;
    return true;
  }
  // The first error; "" where nothing failed.
  const std::string &message() const { return message_; }

  const fb::Module &module; // that is looked at

  // A packed parameter may be so many times as large as its rows, and as a minimum: more is a wrong layout. So many
  // times as large as the data section, and a rest, is all that a module packs.
  static constexpr uint64_t kMaxPadding = 64, kMinPackedBytes = 4096, kMorePacked = 16 << 20;

private:
  uint64_t budget_, packing_; // what is left of each
  std::string message_;       // the first error
};

// A vector that a table leaves out is empty.
template <typename Vector> uint64_t sizeOf(const Vector *vector) { return vector ? vector->size() : 0; }

// A string that a table leaves out is empty.
inline std::string_view text(const flatbuffers::String *string) {
  return string ? std::string_view(string->c_str(), string->size()) : std::string_view();
}

// FlatBuffers checks where a vector begins, not that its 8-byte elements are aligned.
template <typename Vector> bool verifyAlignment(VerifierContext &context, const Vector *vector, std::string_view what) {
  if (!vector || reinterpret_cast<uintptr_t>(vector->Data()) % 8 == 0)
    return true;
  return context.fail(std::string(what) + ": the dimensions are not aligned to 8 bytes");
}

// A name for a message: quoted, cut, without control characters.
std::string quoted(std::string_view name);

// Checks the type, the rank and the dimensions of a value or parameter. `what` begins the messages.
bool verifyShape(VerifierContext &context, uint8_t type, std::string_view what, uint64_t rank);

// product(sizes) × bytes of the type; false on overflow or a negative size.
bool checkedBytes(uint8_t type, const int64_t *sizes, size_t rank, uint64_t &bytes);

// Why the parameter cannot be packed into the layout (that verifyArtifact() has accepted as one); "" when it can.
std::string explainPacking(VerifierContext &context, const fb::Parameter &parameter, const fb::Layout &layout);

// Meshes and collectives; and that a value is cut by axes of its mesh, each once.
bool verifyMeshes(VerifierContext &context, const Header &header);
bool verifyShards(VerifierContext &context, const fb::Value &value, const std::string &what);

// How many positions the whole has along a dimension of a value that verifyShards() and the mesh's verifier accepted;
// nullopt: only the load or the call knows.
std::optional<int64_t> wholeOf(const fb::Module &module, const fb::Value &value, uint64_t dim);

// That the certificate names functions, views, registers and bindings that are there; not that it is true.
bool verifyCertificate(VerifierContext &context); // that is what ProgramCheck.h asks

// Everything about one function: registers, entry point values, code, locations.
bool verifyFunction(VerifierContext &context, const fb::Function &function);

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_LIB_VERIFIERCONTEXT_H
