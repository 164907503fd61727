// Payloads as they stand in the tables: in clear, or encrypted and authenticated.
#pragma once
#include "ptc/result.h"
#include <optional>
#include <string>
#include <string_view>

namespace ptc {

/// Which cell a payload is of. What is sealed for one cell cannot be opened in another, so that nobody moves rows.
struct PayloadPlace {
    std::string_view table, row, column;
    std::string_view part{};
};

/// May be used by several threads.
class Payloads {
public:
    Payloads() = default; ///< in clear
    /// A key of 32 bytes, or "" for payloads in clear. invalid_request for a key of another length.
    static Result<Payloads> create(std::string key);
    [[nodiscard]] bool has_key() const { return !key_.empty(); }
    /// AES-256-GCM: nonce, text, tag. In clear without a key.
    [[nodiscard]] std::string seal(std::string_view bytes, const PayloadPlace& place) const;
    /// invalid_request when it was not sealed for this cell with this key.
    [[nodiscard]] Result<std::string> open(const std::string& sealed, const PayloadPlace& place) const;
    /// By which equal bytes are known; nobody without the key can test what they are.
    [[nodiscard]] std::string fingerprint(std::string_view bytes) const;

private:
    explicit Payloads(std::string key) : key_(std::move(key)) {}
    std::string key_;
};

/// SHA-256, as hex digits.
std::string sha256(std::string_view bytes);

} // namespace ptc
