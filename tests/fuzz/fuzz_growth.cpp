// An input is a program, parts of which are repeated until it is long: side by side, under names of their own, inside
// of each other, or all of it. Reading, laying out, compiling with all that is found wrong, checking against data and
// explaining must then take work, and memory, that is a multiple of n log n. Steps are counted in the fuzz preset only;
// everywhere else the long programs are merely gone through.
#include "compiler/bounds/effects.h"
#include "compiler/bounds/fuel_bound.h"
#include "frontend/format/format.h"
#include "frontend/reader/reader.h"
#include "frontend/render.h"
#include "subagent/engine/known_data.h"
#include "tests/fuzz/custom_mutator.h"
#include "tests/fuzz/program_host.h"
#include "tests/fuzz/work.h"
#include "tests/support/vocabulary.h"
#include <string>

PTC_FUZZ_GRAMMAR(ptc::fuzz::program_grammar, 1)

namespace {

using namespace ptc;
using fuzz::TextForm;

constexpr std::size_t kBytes = 12'000; ///< about so long does a program become
constexpr std::size_t kDeepest = 400;  ///< below what may be nested

const Engine& engine() {
    static const Engine kEngine(fuzz::engine_options());
    return kEngine;
}

std::string part(std::string_view text, std::size_t begin, std::size_t end) {
    return std::string(text.substr(begin, end - begin));
}

std::size_t times_for(std::size_t unit, std::size_t most = kBytes) {
    return std::min(most, kBytes / std::max<std::size_t>(unit, 1) + 1);
}

/// `form` again and again behind itself; `numbered`: the symbols in it are others each time.
std::string side_by_side(std::string_view text, const std::vector<TextForm>& forms, std::size_t form, bool numbered) {
    const TextForm& f = forms[form];
    std::string out = part(text, 0, f.end);
    for (std::size_t i = 0, n = times_for(f.end - f.begin + 1); i < n; ++i) {
        out += ' ';
        std::size_t at = f.begin;
        for (std::size_t inner = form; numbered && inner < f.next; ++inner) {
            const TextForm& atom = forms[inner];
            const char first = text[atom.begin];
            const bool is_own =
                !atom.is_list() && atom.end - atom.begin <= 2 && (first == ':' || (first >= 'a' && first <= 'z'));
            if (!is_own) continue;
            out += part(text, at, atom.end) + std::to_string(i);
            at = atom.end;
        }
        out += part(text, at, f.end);
    }
    return out + std::string(text.substr(f.end));
}

/// What is around `inner` within `outer`, again and again around it.
std::string nested(std::string_view text, const TextForm& outer, const TextForm& inner) {
    const std::string before = part(text, outer.begin, inner.begin), behind = part(text, inner.end, outer.end);
    const std::size_t n = times_for(before.size() + behind.size(), kDeepest);
    std::string out = part(text, 0, outer.begin);
    for (std::size_t i = 0; i < n; ++i)
        out += before;
    out += part(text, inner.begin, inner.end);
    for (std::size_t i = 0; i < n; ++i)
        out += behind;
    return out + std::string(text.substr(outer.end));
}

std::string lengthened(std::uint8_t how, std::string_view text) {
    const std::vector<TextForm> forms = fuzz::forms_of(text, fuzz::kLisp);
    if (forms.empty()) return std::string(text);
    const std::size_t form = how / 4 % forms.size();
    switch (how % 4) {
    case 0: return side_by_side(text, forms, form, false);
    case 1: return side_by_side(text, forms, form, true);
    case 2: {
        const std::size_t parts = forms[form].next - form;
        return nested(text, forms[form], forms[form + (parts > 1 ? 1 + how % (parts - 1) : 0)]);
    }
    default: {
        std::string out;
        for (std::size_t i = 0, n = times_for(text.size() + 1); i < n; ++i)
            out.append(text).push_back('\n');
        return out;
    }
    }
}

/// What is done whatever the size: where brackets do not match, it is searched which were meant.
std::uint64_t at_once(const Diagnostics& diagnostics) {
    return 5'000'000 + (diagnostics.has_errors() ? fuzz::kBracketSearch : 0);
}

void check_text(const Source& source) {
    const std::size_t size = source.text().size();
    {
        const fuzz::Measure measure;
        Diagnostics diagnostics;
        (void)read_forms(source, ReadLimits{}, diagnostics);
        fuzz::check_work("reading", measure.taken(), size, 20, at_once(diagnostics));
    }
    const fuzz::Measure measure;
    Diagnostics diagnostics;
    const std::string layout = format_source(source, test::vocabulary(), diagnostics);
    fuzz::check_work("laying out", measure.taken(), size + layout.size(), 20, at_once(diagnostics));
}

/// A name that is not known is compared with all that are; of at most so many errors one hears.
std::uint64_t for_errors(const Compiled& compiled) {
    constexpr std::uint64_t kOfOne = 40'000'000;
    return at_once(compiled.diagnostics) + kOfOne * compiled.diagnostics.error_count();
}

void check_program(std::string_view text) {
    Session session(engine());
    Compiled compiled;
    {
        const fuzz::Measure measure;
        compiled = session.compile(text);
        fuzz::check_work("compiling", measure.taken(), text.size(), 250, for_errors(compiled));
    }
    {
        const fuzz::Measure measure;
        const std::size_t size = render_text(compiled.source, compiled.diagnostics).size() +
                                 render_json(compiled.source, compiled.diagnostics).size();
        fuzz::check_work("rendering", measure.taken(), text.size() + size, 20);
    }
    {
        const fuzz::Measure measure;
        (void)session.warnings(text, fuzz::run_options());
        fuzz::check_work("checking", measure.taken(), text.size(), 250, for_errors(compiled));
    }
    if (!compiled) return;
    const fuzz::Measure measure;
    (void)effects_of(*compiled.program);
    (void)fuel_bound(*compiled.program, known_data(fuzz::run_options().data), 20'000);
    fuzz::check_work("explaining", measure.taken(), text.size(), 250);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // What is made once and kept for all counts for none.
    static const bool kIsReady = test::vocabulary().head("map") && !engine().run("{:k zzq}").ok();
    FUZZ_CHECK(kIsReady);
    if (size < 2 || size > 2000) return 0;
    const std::string text = lengthened(data[0], {reinterpret_cast<const char*>(data) + 1, size - 1});
    if (text.size() > 4 * kBytes) return 0;
    check_text(Source("fuzz", text));
    check_program(text);
    return 0;
}
