// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The certificate of an artifact (Artifact.fbs): what the compiler proved of its host program, what that rests on, and
// what is left to the loader and to calls. The values are part of the format: append only.
//
//   std::string why = explainCertificate(module);      // "": it is of this program
//   for (uint8_t p : …proved) line(sentenceOf(static_cast<Proved>(p)));
#ifndef HEDDLE_CONTRACT_CERTIFICATE_H
#define HEDDLE_CONTRACT_CERTIFICATE_H

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::fb {
struct Module;
}

namespace heddle::contract {

// Raised when a property comes to mean something else, or dataflowOf() gives other numbers.
inline constexpr uint32_t kCertificateVersion = 1;

enum class Proved : uint8_t { Order, Ownership, Content, Overlap, Meetings, Lengths };
enum class Assumed : uint8_t { Streams, Kernels, EqualKernels, OneProgram };
enum class Left : uint8_t { Sizes, Views, Mesh, Pieces };

// One sentence without a full stop; "" for a value of a later version.
std::string_view sentenceOf(Proved proved);
std::string_view sentenceOf(Assumed assumed);
std::string_view sentenceOf(Left left);

// Of what a certificate is about: code, registers and values of functions, plans, meshes, collectives, what kernels
// read and write, and what the certificate says of runs and in-place bindings. Not of names, locations and parameters.
uint64_t certifiedHash(const fb::Module &module);

// Why the certificate is not one of this program; "" where it is, or where there is none.
std::string explainCertificate(const fb::Module &module);

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_CERTIFICATE_H
