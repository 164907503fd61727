// Constant folding: calls of pure natives whose arguments are all known.
#pragma once
#include "runtime/builtin.h"
#include <memory>
#include <optional>

namespace ptc {

/// Runs natives at compile time, on a small heap of their own, so that a large result or much work costs nothing but
/// the attempt. One compilation's; folds at most a bounded amount of work in all, charged to the constants' heap.
class Folder {
public:
    explicit Folder(Heap& constants);
    Folder(Folder&&) = delete;
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    /// The value of calling `builtin` with these frozen or immediate values; none when the native is not pure, fails
    /// (it shall fail when it is run, if it is), or gives something other than an immediate, an argument's part or a
    /// short text.
    std::optional<Bits> call(const Builtin& builtin, std::span<const Bits> arguments);

private:
    struct Scratch;
    std::optional<Bits> keep(const Value& result);
    Heap& constants_;
    std::unique_ptr<Scratch> scratch_; ///< made by the first fold
    std::int64_t used_ = 0;            ///< fuel
};

} // namespace ptc
