// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heddle/contract/Certificate.h"

#include "VerifierContext.h"
#include "heddle/contract/ArtifactHash.h"
#include "heddle/contract/ProgramCheck.h"

namespace heddle::contract {
namespace {

// Feeds tables field by field: the order of their fields in a file is the builder's choice.
class Hasher {
public:
  void number(int64_t value) { hash_.update({reinterpret_cast<const std::byte *>(&value), sizeof(value)}); }
  template <typename Vector> void numbers(const Vector *vector) {
    number(static_cast<int64_t>(sizeOf(vector)));
    for (uint32_t i = 0; i < sizeOf(vector); ++i)
      number(static_cast<int64_t>(vector->Get(i)));
  }
  template <typename Vector> void lists(const Vector *vector) {
    number(static_cast<int64_t>(sizeOf(vector)));
    for (uint32_t i = 0; i < sizeOf(vector); ++i)
      numbers(vector->Get(i)->ranks());
  }
  template <typename Vector, typename Visit> void each(const Vector *vector, Visit &&visit) {
    number(static_cast<int64_t>(sizeOf(vector)));
    for (uint32_t i = 0; i < sizeOf(vector); ++i)
      visit(*vector->Get(i));
  }
  void value(const fb::Value &value);
  void function(const fb::Function &function);
  void module(const fb::Module &module);
  void certificate(const fb::Certificate &certificate);
  uint64_t digest() const { return hash_.digest(); }

private:
  StreamHash hash_;
};

void Hasher::value(const fb::Value &value) {
  for (int64_t field :
       {int64_t(value.type()), int64_t(value.device()), int64_t(value.state()), int64_t(value.donated()),
        int64_t(value.writable()), int64_t(value.mesh()), int64_t(value.reduction())})
    number(field);
  each(value.dims(), [&](const fb::Dim &dim) { number(dim.size()), number(dim.symbol()); });
  lists(value.shards());
  numbers(value.wholes());
  numbers(value.granules());
  numbers(value.partial());
}

void Hasher::function(const fb::Function &function) {
  for (int64_t field : {int64_t(function.scalars()), int64_t(function.buffers()), int64_t(function.streams()),
                        int64_t(function.events()), int64_t(function.bind()), int64_t(function.device())})
    number(field);
  each(function.arguments(), [&](const fb::Value &value) { this->value(value); });
  each(function.results(), [&](const fb::Value &value) { this->value(value); });
  each(function.symbols(),
       [&](const fb::Symbol &symbol) { number(symbol.min()), number(symbol.max()), number(symbol.drawn()); });
  numbers(function.code());
}

void Hasher::module(const fb::Module &module) {
  each(module.functions(), [&](const fb::Function &function) { this->function(function); });
  each(module.plans(), [&](const fb::PlanSpec &plan) {
    each(plan.intervals(), [&](const fb::Interval &life) { number(life.first()), number(life.last()); });
  });
  each(module.meshes(), [&](const fb::Mesh &mesh) {
    number(mesh.first());
    each(mesh.axes(), [&](const fb::MeshAxis &axis) { number(axis.size()); });
  });
  each(module.collectives(), [&](const fb::Collective &collective) {
    for (int64_t field : {int64_t(collective.kind()), int64_t(collective.reduction()), int64_t(collective.type()),
                          int64_t(collective.mesh()), collective.root(), collective.shift()})
      number(field);
    numbers(collective.axes());
    lists(collective.groups());
    numbers(collective.pairs());
  });
  each(module.executables(), [&](const fb::Executable &executable) {
    each(executable.exports(), [&](const fb::Export &entry) { numbers(entry.reads()), numbers(entry.writes()); });
  });
  each(module.bounds(), [&](const fb::Bound &bound) {
    number(bound.buffer());
    if (bound.overlap() >= 0)
      number(bound.overlap()), number(bound.positions());
  });
  each(module.overlaps(), [&](const fb::Overlap &overlap) { numbers(overlap.counts()); });
}

void Hasher::certificate(const fb::Certificate &certificate) {
  number(certificate.version());
  each(certificate.functions(), [&](const fb::ProvedFunction &proved) {
    number(proved.function());
    for (const auto *list : {proved.proved(), proved.assumed(), proved.left()})
      numbers(list);
    numbers(proved.meshes());
    numbers(proved.runs());
    number(static_cast<int64_t>(proved.dataflow()));
  });
  each(certificate.in_place(), [&](const fb::InPlace &pair) {
    number(pair.executable()), number(pair.entry()), number(pair.written()), number(pair.read());
  });
}

template <size_t N, typename Value> std::string_view pick(const std::string_view (&sentences)[N], Value value) {
  return static_cast<size_t>(value) < N ? sentences[static_cast<size_t>(value)] : "";
}

} // namespace

bool verifyCertificate(VerifierContext &context) {
  const fb::Certificate *certificate = context.module.certificate();
  if (!certificate)
    return true;
  auto fail = [&] { return context.fail("the certificate names what the artifact does not have"); };
  if (!context.charge(sizeOf(certificate->functions()) + sizeOf(certificate->in_place())))
    return false;
  for (uint32_t i = 0; i < sizeOf(certificate->in_place()); ++i) {
    const fb::InPlace &pair = *certificate->in_place()->Get(i);
    if (pair.executable() >= sizeOf(context.module.executables()) ||
        pair.entry() >= sizeOf(context.module.executables()->Get(pair.executable())->exports()))
      return fail();
  }
  for (uint32_t i = 0; i < sizeOf(certificate->functions()); ++i) {
    const fb::ProvedFunction &proved = *certificate->functions()->Get(i);
    if (!context.charge(1 + sizeOf(proved.runs()) + sizeOf(proved.meshes())) ||
        proved.function() >= sizeOf(context.module.functions()) || sizeOf(proved.runs()) % 3)
      return context.message().empty() ? fail() : false;
    for (uint32_t m = 0; m < sizeOf(proved.meshes()); ++m)
      if (proved.meshes()->Get(m) >= sizeOf(context.module.meshes()))
        return fail();
    uint32_t scalars = context.module.functions()->Get(proved.function())->scalars();
    for (uint32_t r = 0; r < sizeOf(proved.runs()); r += 3)
      if (proved.runs()->Get(r + 1) >= scalars || proved.runs()->Get(r + 2) >= scalars)
        return fail();
  }
  return true;
}

std::string_view sentenceOf(Proved proved) {
  static constexpr std::string_view sentences[] = {
      "work that touches the same bytes is in order, however streams run and devices are shared",
      "each buffer is freed once and not used after it; a call ends after all of its work",
      "no buffer is read that nothing wrote",
      "no op writes bytes that it touches otherwise, but where its kernels promise to have read them",
      "all members of a group come to the same collectives in one order, with equal counts: no rank waits for ever",
      "buffers of collectives hold what the counts say, where both are formulas of the same sizes"};
  return pick(sentences, proved);
}

std::string_view sentenceOf(Assumed assumed) {
  static constexpr std::string_view sentences[] = {
      "work of one stream runs in the order of its issue, and events order streams",
      "kernels touch only the bytes that they are bound to, and write only what is said to be written",
      "equal operands give equal results on all members of a group (the loader agrees on variants where data decide)",
      "all ranks run this artifact, with one size for each axis (the loader compares)"};
  return pick(sentences, assumed);
}

std::string_view sentenceOf(Left left) {
  static constexpr std::string_view sentences[] = {
      "sizes of arguments, and that named dimensions agree: each call checks",
      "that views lie in their buffers: each view checks where sizes are not constants",
      "that the axes take as many ranks as the world has, and roots and pairs are in their groups: a load checks",
      "that a collective's buffers hold its pieces where no formula says so: each collective checks"};
  return pick(sentences, left);
}

uint64_t certifiedHash(const fb::Module &module) {
  Hasher hasher;
  hasher.module(module);
  if (module.certificate())
    hasher.certificate(*module.certificate());
  return hasher.digest();
}

std::string explainCertificate(const fb::Module &module) {
  const fb::Certificate *certificate = module.certificate();
  if (!certificate)
    return "";
  if (certificate->version() > kCertificateVersion)
    return "the certificate is of version " + std::to_string(certificate->version()) + ", this Heddle knows " +
           std::to_string(kCertificateVersion) + "; use a newer one";
  if (certificate->hash() != certifiedHash(module))
    return "the certificate is not of this program: instructions or tables were changed after the compiler proved "
           "them; "
           "compile the model again";
  if (certificate->version() == kCertificateVersion)
    for (uint32_t i = 0; i < sizeOf(certificate->functions()); ++i)
      if (const fb::ProvedFunction &proved = *certificate->functions()->Get(i);
          proved.dataflow() && dataflowOf(module, proved.function()) != proved.dataflow())
        return "function " + quoted(text(module.functions()->Get(proved.function())->name())) +
               " computes its results from other bytes, or by other kernels, than the compiler certified";
  return "";
}

} // namespace heddle::contract
