// Payloads by AES-256-GCM: a nonce by chance for each, and the cell that it is of as associated data, with the length
// of each part of its name, so that a row that was moved or changed cannot be opened. Without a key bytes stay as they
// are, for people who read the tables.
#include "subagent/store/payload.h"
#include "subagent/providers/crypto_library.h"
#include <array>
#include <cstdlib>
#include <limits>
#include <memory>

namespace ptc {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kNonceBytes = 12;
constexpr int kTagBytes = 16;

const unsigned char* raw_bytes(std::string_view s) { return reinterpret_cast<const unsigned char*>(s.data()); }
unsigned char* raw_bytes(std::string& s) { return reinterpret_cast<unsigned char*>(s.data()); }

struct FreeContext {
    void operator()(EVP_CIPHER_CTX* context) const { crypto().EVP_CIPHER_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

/// Each part with its length, so that no two cells have the same text.
std::string associated_data(const PayloadPlace& place) {
    std::string data;
    for (const std::string_view part : {place.table, place.row, place.column, place.part})
        data.append(std::to_string(part.size())).append(":").append(part);
    return data;
}

int size_of(std::string_view bytes) { return static_cast<int>(bytes.size()); }

} // namespace

std::string sha256(std::string_view bytes) {
    std::array<unsigned char, 32> digest{};
    unsigned size = 0;
    crypto().EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, crypto().EVP_sha256(), nullptr);
    std::string hex;
    for (const unsigned char byte : digest) {
        hex += "0123456789abcdef"[byte >> 4];
        hex += "0123456789abcdef"[byte & 15];
    }
    return hex;
}

Result<Payloads> Payloads::create(std::string key) {
    if (!crypto_problem().empty()) return Error(Reason::InvalidRequest, crypto_problem());
    if (!key.empty() && key.size() != kKeyBytes)
        return Error(Reason::InvalidRequest,
                     "The key of a store has 32 bytes, not " + std::to_string(key.size()) + ".");
    return Payloads(std::move(key));
}

std::string Payloads::fingerprint(std::string_view bytes) const {
    return sha256(key_.empty() ? std::string(bytes) : sha256(key_) + sha256(bytes));
}

std::string Payloads::seal(std::string_view bytes, const PayloadPlace& place) const {
    if (key_.empty()) return std::string(bytes);
    const CryptoLibrary& lib = crypto();
    const Context context(lib.EVP_CIPHER_CTX_new());
    std::string sealed(kNonceBytes + bytes.size() + kTagBytes, '\0');
    unsigned char* out = raw_bytes(sealed);
    const std::string data = associated_data(place);
    int written = 0;
    const bool is_sealed =
        context && bytes.size() <= std::numeric_limits<int>::max() && lib.RAND_bytes(out, kNonceBytes) == 1 &&
        lib.EVP_EncryptInit_ex(context.get(), lib.EVP_aes_256_gcm(), nullptr, raw_bytes(key_), out) == 1 &&
        lib.EVP_EncryptUpdate(context.get(), nullptr, &written, raw_bytes(data), size_of(data)) == 1 &&
        lib.EVP_EncryptUpdate(context.get(), out + kNonceBytes, &written, raw_bytes(bytes), size_of(bytes)) == 1 &&
        lib.EVP_EncryptFinal_ex(context.get(), out + kNonceBytes + written, &written) == 1 &&
        lib.EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes, out + sealed.size() - kTagBytes) == 1;
    if (!is_sealed) std::abort(); // no memory, or no source of chance: never in clear instead
    return sealed;
}

Result<std::string> Payloads::open(const std::string& sealed, const PayloadPlace& place) const {
    if (key_.empty()) return sealed;
    const CryptoLibrary& lib = crypto();
    const auto refused = [&] {
        return Error(Reason::InvalidRequest, "A row of the table `" + std::string(place.table) +
                                                 "` was changed, moved or written with another key.");
    };
    if (sealed.size() < kNonceBytes + kTagBytes || sealed.size() > std::numeric_limits<int>::max()) return refused();
    const std::string_view nonce(sealed.data(), kNonceBytes);
    const std::string_view text(sealed.data() + kNonceBytes, sealed.size() - kNonceBytes - kTagBytes);
    std::string tag = sealed.substr(sealed.size() - kTagBytes);
    const Context context(lib.EVP_CIPHER_CTX_new());
    std::string bytes(text.size(), '\0');
    const std::string data = associated_data(place);
    int written = 0;
    const bool is_open =
        context &&
        lib.EVP_DecryptInit_ex(context.get(), lib.EVP_aes_256_gcm(), nullptr, raw_bytes(key_), raw_bytes(nonce)) == 1 &&
        lib.EVP_DecryptUpdate(context.get(), nullptr, &written, raw_bytes(data), size_of(data)) == 1 &&
        lib.EVP_DecryptUpdate(context.get(), raw_bytes(bytes), &written, raw_bytes(text), size_of(text)) == 1 &&
        lib.EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, tag.data()) == 1 &&
        lib.EVP_DecryptFinal_ex(context.get(), raw_bytes(bytes) + written, &written) == 1;
    if (!is_open) return refused();
    return bytes;
}

} // namespace ptc
