// Signatures compiled once.
#pragma once
#include "compiler/signature/signature_compiler.h"
#include <atomic>
#include <functional>
#include <shared_mutex>
#include <string>
#include <unordered_map>

namespace ptc {

/// Compiled signatures by their text, in either form. Thread-safe: a look-up takes a shared lock. Holds at most
/// `capacity` signatures: those that nobody else uses go first when there are more, in no particular order.
class SignatureCache {
public:
    explicit SignatureCache(std::size_t capacity = 1024) : capacity_(capacity) {}
    SignatureCache(const SignatureCache&) = delete;
    SignatureCache& operator=(const SignatureCache&) = delete;

    /// Compiles `text` unless it was compiled before. Errors are not kept.
    Result<SignaturePtr> get(std::string_view text);
    [[nodiscard]] std::size_t size() const;

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    void make_room();

    mutable std::shared_mutex mutex_;
    std::unordered_map<std::string, SignaturePtr, Hash, std::equal_to<>> signatures_;
    std::size_t capacity_;
};

} // namespace ptc
