// Large schemas are read in work that grows with their parts.
#include "ptc/json_schema.h"
#include "ptc/schema_reader.h"
#include "tests/support/growth.h"

namespace ptc {
namespace {

TEST(JsonSchemaGrowth, WorkIsInProportionToTheParts) {
    const auto members = [](std::size_t count) {
        std::string properties, required;
        for (std::size_t i = 0; i < count; ++i) {
            const std::string name = "p" + std::to_string(i);
            properties += (i > 0 ? "," : "") + ('"' + name) + R"(":{})";
            required += (i > 0 ? "," : "") + ('"' + name) + '"';
        }
        return "{\"properties\":{" + properties + "},\"required\":[" + required + "]}";
    };
    const auto choices = [](std::size_t count) {
        std::string parts;
        for (std::size_t i = 0; i < count; ++i)
            parts += (i > 0 ? "," : "") + (R"({"type":"object","properties":{"ap)" + std::to_string(i)) + R"(":{}}})";
        return "{\"anyOf\":[" + parts + "]}";
    };
    const auto reading = [](std::string text) {
        return [text = std::move(text)] { EXPECT_TRUE(read_json_schema(text).ok()); };
    };
    EXPECT_TRUE(test::is_linear(2'000, [&](std::size_t count) { return reading(members(count)); }));
    EXPECT_TRUE(test::is_linear(2'000, [&](std::size_t count) { return reading(choices(count)); }));
}

} // namespace
} // namespace ptc
