// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which files beside it an ONNX model keeps tensors in, read off its bytes without a protobuf library: the walk touches
// the heads of fields and skips what they hold. Pure; any bytes are safe.
#ifndef HEDDLE_TOOLS_CACHE_EXTERNALFILES_H
#define HEDDLE_TOOLS_CACHE_EXTERNALFILES_H

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>

namespace heddle::tools {

// The locations of all tensors with external data, as the model has them, relative to its folder. None: no ONNX model.
std::optional<std::set<std::string>> findExternalFiles(std::span<const std::byte> model);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_CACHE_EXTERNALFILES_H
