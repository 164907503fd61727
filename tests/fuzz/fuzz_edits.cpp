// An input is a program; what is found wrong with it has edits, which are applied as a host would: those of its errors
// together, round by round, and then those of each warning. Edits lie in the text, between its characters, and change
// something; applying them comes to an end, at a program without errors or at errors without edits; and no edit of a
// warning breaks a program that compiles.
#include "frontend/utf8.h"
#include "tests/fuzz/custom_mutator.h"
#include "tests/fuzz/program_host.h"
#include <algorithm>
#include <set>
#include <string>

PTC_FUZZ_GRAMMAR(ptc::fuzz::program_grammar, 0)

namespace {

using namespace ptc;

const Engine& engine() {
    static const Engine kEngine(fuzz::engine_options());
    return kEngine;
}

/// `text` with the edits, from the last to the first.
std::string edited(const std::string& text, std::vector<Edit> edits) {
    std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) {
        return a.span.begin != b.span.begin ? a.span.begin < b.span.begin : a.span.end < b.span.end;
    });
    const bool is_text = utf8::find_invalid(text) == utf8::kValid;
    std::string out = text;
    std::size_t limit = text.size();
    for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit) {
        FUZZ_CHECK(edit->span.begin <= edit->span.end && edit->span.end <= limit); // no two overlap
        out.replace(edit->span.begin, edit->span.size(), edit->text);
        limit = edit->span.begin;
    }
    FUZZ_CHECK(!is_text || utf8::find_invalid(out) == utf8::kValid);
    return out;
}

struct Needed {
    std::vector<Edit> edits; ///< none when nothing must change, or nobody knows what
    std::string why;
    void add(const Error& error) {
        if (error.edits.empty()) return;
        edits.insert(edits.end(), error.edits.begin(), error.edits.end());
        why += error.message + "\n";
    }
};

/// What compiling, or else a run, says must change.
Needed needed_edits(const std::string& text) {
    const Outcome outcome = engine().run(text, fuzz::run_options());
    Needed needed;
    for (const Diagnostic& diagnostic : outcome.diagnostics) {
        if (diagnostic.severity == Severity::Error && !diagnostic.is_behind_syntax) needed.add(diagnostic.error);
    }
    if (outcome.diagnostics.empty() && outcome.error) needed.add(*outcome.error);
    return needed;
}

void show(const char* what, const std::string& before, const std::string& after) {
    std::fprintf(stderr, "%s:\n%s\n--- becomes\n%s\n---\n", what, before.c_str(), after.c_str());
}

/// The text after all rounds of edits that errors ask for: a round for each part of it may be wanted, and some more.
std::string mended(std::string text) {
    const std::size_t rounds = 24 + fuzz::forms_of(text, fuzz::kLisp).size();
    constexpr std::size_t kPatience = 120;
    std::set<std::string> seen{text};
    for (std::size_t round = 0; round < rounds; ++round) {
        if (round == kPatience) return text;
        Needed needed = needed_edits(text);
        if (needed.edits.empty()) return text;
        std::string next = edited(text, std::move(needed.edits));
        if (!seen.insert(next).second) show(("edits lead back: " + needed.why).c_str(), text, next);
        FUZZ_CHECK(seen.size() == round + 2);
        FUZZ_CHECK(next.size() <= 2 * text.size() + 4096);
        if (round + 3 > rounds) show(("edits without an end: " + needed.why).c_str(), text, next);
        text = std::move(next);
    }
    const bool edits_come_to_an_end = false;
    FUZZ_CHECK(edits_come_to_an_end);
    return text;
}

/// No edit of a warning makes a program one that does not compile.
void check_warnings(const std::string& text) {
    Session session(engine());
    const Compiled compiled = session.compile(text);
    if (!compiled) return;
    for (const Diagnostic& warning : session.warnings(text, fuzz::run_options())) {
        if (warning.error.edits.empty()) continue;
        const std::string next = edited(text, warning.error.edits);
        if (next == text) show(warning.error.message.c_str(), text, next);
        FUZZ_CHECK(next != text);
        const Compiled again = session.compile(next);
        if (!again) {
            show(warning.error.message.c_str(), text, next);
            std::fprintf(stderr, "%s\n", again.diagnostics.all().front().error.message.c_str());
        }
        FUZZ_CHECK(again || fuzz::is_limit(again.diagnostics.all().front().error.reason));
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    check_warnings(mended(std::string(reinterpret_cast<const char*>(data), size)));
    return 0;
}
