// Any bytes as a template (before the first NUL) and a context (JSON behind it): parsed or refused with a span;
// expanding ends within its limits, and without sections and firewalled names what is expanded twice is the same.
#include "ptc/template.h"
#include "tests/fuzz/custom_mutator.h"
#include "tests/fuzz/fuzz_check.h"
#include <string>

PTC_FUZZ_GRAMMAR(ptc::fuzz::template_grammar, 0)

using namespace ptc;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::string_view text = input.substr(0, input.find('\0'));
    Result<Template> parsed = Template::parse(text);
    if (!parsed.ok()) {
        FUZZ_CHECK(parsed.error().has_span && parsed.error().span.end <= text.size());
        return 0;
    }
    Result<Datum> context = Datum::from_json(text.size() < input.size() ? input.substr(text.size() + 1) : "{}");
    const Datum given = context.ok() && context.value().map() ? context.value() : Datum(Datum::Map());
    constexpr std::size_t kMaxBytes = 100'000;
    Result<Expansion> first = parsed.value().expand(given, kMaxBytes);
    Result<Expansion> second = parsed.value().expand(given, kMaxBytes);
    FUZZ_CHECK(first.ok() == second.ok());
    if (first.ok()) FUZZ_CHECK(first.value().text.size() <= kMaxBytes && first.value().text == second.value().text);
    const Signature signature =
        parse_signature("(a :string, rows [{id :int, tags [:string]}], m :map) -> :any").value();
    (void)parsed.value().match(signature);
    (void)parsed.value().sections();
    return 0;
}
