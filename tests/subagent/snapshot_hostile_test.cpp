// Snapshots that somebody cut or changed are refused, or harmless.
#include "tests/support/hostile_snapshots.h"
#include <gtest/gtest.h>
#include <random>

namespace ptc {
namespace {

const test::SavedSessions& saved() {
    static const test::SavedSessions sessions;
    return sessions;
}

TEST(HostileSnapshot, TheyGoOnWhenNobodyTouchedThem) {
    EXPECT_EQ(saved().bytes.size(), std::size(test::kSavedPrograms) + 1);
    for (const std::string& bytes : saved().bytes)
        EXPECT_TRUE(saved().go_on(bytes));
}

TEST(HostileSnapshot, IsRefusedWhenCutAnywhere) {
    for (const std::string& bytes : saved().bytes) {
        for (std::size_t n = 0; n < bytes.size(); ++n) {
            const std::string part = bytes.substr(0, n);
            EXPECT_FALSE(Session::restore(saved().engine, part, saved().options).ok()) << n;
            // The last eight bytes that are left stand for the checksum, so something is missing in front of it.
            EXPECT_FALSE(saved().go_on(part)) << n;
        }
    }
}

TEST(HostileSnapshot, AnyChangedByteIsNoticed) {
    const std::string& bytes = saved().bytes[0];
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::string changed = bytes;
        changed[i] = static_cast<char>(changed[i] ^ 1);
        EXPECT_FALSE(Session::restore(saved().engine, changed, saved().options).ok()) << i;
    }
}

TEST(HostileSnapshot, IsRefusedOrHarmlessWhenBytesAreChangedBehindItsChecksum) {
    std::mt19937 random(7);
    std::size_t accepted = 0;
    for (const std::string& bytes : saved().bytes) {
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            for (const unsigned mask : {0x01U, 0x80U, 0xFFU}) {
                std::string changed = bytes;
                changed[i] = static_cast<char>(static_cast<unsigned char>(changed[i]) ^ mask);
                accepted += saved().go_on(changed);
            }
        }
        for (int i = 0; i < 300; ++i) {
            std::string changed = bytes;
            for (int n = 0; n < 4; ++n)
                changed[random() % changed.size()] = static_cast<char>(random());
            accepted += saved().go_on(changed);
        }
    }
    EXPECT_GT(accepted, 100u); // other numbers and texts: not everything is a mistake
}

TEST(HostileSnapshot, LimitsOfWhoGoesOnHold) {
    RunOptions small = saved().options;
    Limits limits = impl_of(saved().engine).options.limits;
    limits.heap_bytes = 1000;
    small.limits = limits;
    EXPECT_EQ(Session::restore(saved().engine, saved().bytes[0], small).error().reason, Reason::MemoryExceeded);
    limits = impl_of(saved().engine).options.limits;
    limits.max_depth = 5;
    small.limits = limits;
    EXPECT_FALSE(Session::restore(saved().engine, saved().bytes[3], small).ok());
    limits = impl_of(saved().engine).options.limits;
    limits.fuel = 10;
    small.limits = limits;
    auto spent = Session::restore(saved().engine, saved().bytes[0], small);
    ASSERT_TRUE(spent.ok());
    const RunState state = spent.value()->resume(Datum());
    EXPECT_EQ(std::get<Outcome>(state).error->reason, Reason::FuelExhausted);
}

TEST(HostileSnapshot, OtherExternalReferencesAreRefused) {
    EngineOptions other = impl_of(saved().engine).options;
    other.preludes = {{"x.ptc", "(ns x \"x\") (def one 1)"}};
    const Engine engine(other);
    EXPECT_EQ(Session::restore(engine, saved().bytes[0], saved().options).error().reason, Reason::InvalidSnapshot);
    EXPECT_FALSE(Session::restore(saved().engine, saved().bytes[8], {}).ok()); // without its data
    RunOptions wrong;
    wrong.data = {DataSet::from_json("rows", "[1]").value()};
    EXPECT_FALSE(Session::restore(saved().engine, saved().bytes[8], wrong).ok());
}

} // namespace
} // namespace ptc
