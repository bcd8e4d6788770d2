// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/Frame.h"

namespace heddle {

Frame::Frame(const Function &function)
    : scalars(function.scalars), buffers(function.source->buffers()), streams(function.source->streams()),
      bindings(function.maxBindings), views(function.maxBindings), constants(function.maxConstants) {
  for (const fb::PlanSpec *spec : function.plans)
    plans.emplace_back(*spec);
}

} // namespace heddle
