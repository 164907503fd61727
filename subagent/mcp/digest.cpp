// Digests by libcrypto. Base64 is ours, strict: no white space, no missing padding, no bits that mean nothing, so that
// a text stands for one value.
#include "subagent/mcp/digest.h"
#include "frontend/try.h"
#include "subagent/providers/crypto_library.h"
#include <algorithm>
#include <array>

namespace ptc::mcp {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrlAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::size_t kDigestBytes = 32; ///< of SHA-256

Result<const CryptoLibrary*> library() {
    if (!crypto_problem().empty()) return Error(Reason::InvalidRequest, crypto_problem());
    return &crypto();
}

const unsigned char* unsigned_bytes(std::string_view bytes) {
    return reinterpret_cast<const unsigned char*>(bytes.data());
}

std::string encode(std::string_view bytes, std::string_view alphabet, bool pads) {
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k <= count; ++k)
            out += alphabet[group >> (18 - 6 * k) & 63];
        if (pads) out.append(3 - count, '=');
    }
    return out;
}

/// Without padding.
std::optional<std::string> decode(std::string_view text, std::string_view alphabet) {
    if (text.size() % 4 == 1) return std::nullopt;
    std::array<std::int8_t, 256> values;
    values.fill(-1);
    for (std::size_t i = 0; i < alphabet.size(); ++i)
        values[static_cast<unsigned char>(alphabet[i])] = static_cast<std::int8_t>(i);
    std::string out;
    out.reserve(text.size() / 4 * 3 + 2);
    std::uint32_t group = 0;
    unsigned bits = 0;
    for (const char c : text) {
        const int value = values[static_cast<unsigned char>(c)];
        if (value < 0) return std::nullopt;
        group = group << 6 | static_cast<std::uint32_t>(value);
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        out += static_cast<char>(group >> bits & 255);
    }
    if ((group & ((1u << bits) - 1)) != 0) return std::nullopt;
    return out;
}

} // namespace

std::string base64(std::string_view bytes) { return encode(bytes, kAlphabet, true); }
std::string base64_url(std::string_view bytes) { return encode(bytes, kUrlAlphabet, false); }
std::optional<std::string> read_base64_url(std::string_view text) { return decode(text, kUrlAlphabet); }

std::optional<std::string> read_base64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    for (int i = 0; i < 2 && text.ends_with('='); ++i)
        text.remove_suffix(1);
    return decode(text, kAlphabet);
}

Result<std::string> sha256(std::string_view bytes) {
    const CryptoLibrary& crypto = *PTC_TRY(library());
    std::string digest(kDigestBytes, '\0');
    unsigned length = 0;
    const bool is_made = crypto.EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(digest.data()),
                                           &length, crypto.EVP_sha256(), nullptr) == 1;
    if (!is_made || length != digest.size()) return Error(Reason::InvalidRequest, "libcrypto has no SHA-256.");
    return digest;
}

Result<std::string> hmac_sha256(std::string_view key, std::string_view bytes) {
    const CryptoLibrary& crypto = *PTC_TRY(library());
    std::string digest(kDigestBytes, '\0');
    unsigned length = 0;
    const unsigned char* made =
        crypto.HMAC(crypto.EVP_sha256(), key.data(), static_cast<int>(key.size()), unsigned_bytes(bytes), bytes.size(),
                    reinterpret_cast<unsigned char*>(digest.data()), &length);
    if (!made || length != digest.size()) return Error(Reason::InvalidRequest, "libcrypto has no HMAC-SHA-256.");
    return digest;
}

Result<std::string> random_bytes(std::size_t count) {
    const CryptoLibrary& crypto = *PTC_TRY(library());
    std::string bytes(count, '\0');
    if (crypto.RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count)) != 1)
        return Error(Reason::InvalidRequest, "libcrypto has no random bytes.");
    return bytes;
}

bool same_bytes(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    unsigned char difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
    return difference == 0;
}

} // namespace ptc::mcp
