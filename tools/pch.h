// Headers of the standard library that most files use. Precompiled for every target (CMakeLists.txt); no file may rely
// on it: each includes what it uses, and builds without this one (-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON).
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>
