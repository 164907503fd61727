// Compiled signatures, shared among threads.
#include "compiler/signature/signature_cache.h"
#include <gtest/gtest.h>

#include <thread>

namespace ptc {
namespace {

TEST(SignatureCache, CompilesEachTextOnceForAllThreads) {
    SignatureCache cache;
    std::vector<std::thread> threads;
    std::vector<SignaturePtr> got(8);
    for (std::size_t t = 0; t < got.size(); ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 200; ++i)
                got[t] = cache.get("(a :int) -> {n" + std::to_string(i % 10) + " :int}").value();
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(cache.size(), 10u);
    for (const SignaturePtr& one : got)
        EXPECT_EQ(one, got[0]);
    EXPECT_FALSE(cache.get("(a :imt) -> :int").ok());
    EXPECT_EQ(cache.get("[:=> [:cat] :int]").value()->signature, parse_signature(":int").value());
}

TEST(SignatureCache, StaysWithinItsCapacity) {
    SignatureCache cache(4);
    const SignaturePtr kept = cache.get(":int").value();
    for (int i = 0; i < 50; ++i)
        ASSERT_TRUE(cache.get("{f" + std::to_string(i) + " :int}").ok());
    EXPECT_LE(cache.size(), 4u);
    EXPECT_EQ(cache.get(":int").value(), kept);
}

} // namespace
} // namespace ptc
