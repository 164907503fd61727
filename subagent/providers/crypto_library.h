// The part of OpenSSL's libcrypto that we need, for stores and for the Model Context Protocol. Loaded when something of
// it is wanted, as linking it would cost each start a millisecond.
#pragma once
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <string>

namespace ptc {

/// The functions that we call, by their names.
struct CryptoLibrary {
#define PTC_CRYPTO_FUNCTIONS(row)                                                                                      \
    row(EVP_Digest) row(EVP_sha256) row(EVP_CIPHER_CTX_new) row(EVP_CIPHER_CTX_free) row(EVP_CIPHER_CTX_ctrl)          \
        row(EVP_aes_256_gcm) row(EVP_EncryptInit_ex) row(EVP_EncryptUpdate) row(EVP_EncryptFinal_ex)                   \
            row(EVP_DecryptInit_ex) row(EVP_DecryptUpdate) row(EVP_DecryptFinal_ex) row(RAND_bytes) row(HMAC)
#define PTC_CRYPTO_MEMBER(name) decltype(&::name) name = nullptr;
    PTC_CRYPTO_FUNCTIONS(PTC_CRYPTO_MEMBER)
#undef PTC_CRYPTO_MEMBER
};

/// Why this machine has no libcrypto that we can use; "" when it has. Loads it.
const std::string& crypto_problem();

/// Only where crypto_problem() is "".
const CryptoLibrary& crypto();

} // namespace ptc
