// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Meshes and collectives of an artifact as Collectives.h takes them. What is checked when: verifyArtifact() asks
// explainCollective() with the sizes that the artifact states, the loader once more with those of the mesh at hand.
#ifndef HEDDLE_CONTRACT_COLLECTIVEVIEW_H
#define HEDDLE_CONTRACT_COLLECTIVEVIEW_H

#include "heddle/contract/Artifact_generated.h"
#include "heddle/contract/Collectives.h"

namespace heddle::contract {

// kFreeSize: told at load.
inline std::vector<int64_t> sizesOf(const fb::Mesh &mesh) {
  std::vector<int64_t> sizes;
  for (uint32_t i = 0; mesh.axes() && i < mesh.axes()->size(); ++i)
    sizes.push_back(mesh.axes()->Get(i)->size());
  return sizes;
}

inline GroupSpec groupOf(const fb::Collective &collective) {
  GroupSpec group;
  if (collective.axes())
    group.axes.assign(collective.axes()->begin(), collective.axes()->end());
  for (uint32_t i = 0; collective.groups() && i < collective.groups()->size(); ++i) {
    const auto *ranks = collective.groups()->Get(i)->ranks();
    group.groups.emplace_back();
    if (ranks)
      group.groups.back().assign(ranks->begin(), ranks->end());
  }
  return group;
}

// Kind and reduction are known ones.
inline CollectiveSpec specOf(const fb::Collective &collective) {
  CollectiveSpec spec;
  spec.kind = static_cast<CollectiveKind>(collective.kind());
  spec.reduction = static_cast<Reduction>(collective.reduction());
  spec.type = static_cast<ElementType>(collective.type());
  spec.group = groupOf(collective);
  spec.root = collective.root();
  if (collective.pairs())
    spec.pairs.assign(collective.pairs()->begin(), collective.pairs()->end());
  spec.shift = collective.shift();
  return spec;
}

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_COLLECTIVEVIEW_H
