// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heddle/contract/ArtifactVerifier.h"
#include "heddle/contract/Artifact_generated.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>
