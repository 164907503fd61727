// ns, require, use and import. There is nothing to load: the libraries that exist are there. What changes is which
// names mean their members.
#include "compiler/language/libraries.h"
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/handlers.h"
#include "compiler/language/namespaces.h"
#include "frontend/work.h"

namespace ptc {
namespace {

std::string_view qualified(Analyzer& a, std::string_view space, std::string_view name) {
    return a.nodes.keep_text(std::string(space).append("/").append(name));
}

/// Those of its members that have another meaning without the namespace: `reverse` of clojure.string.
void refer_all(Analyzer& a, std::string_view space) {
    const LanguageNamespace* known = find_namespace(space);
    if (!known || !work::charge(a.core.names().size())) return;
    for (const CoreName& entry : a.core.names()) {
        if (entry.name.empty()) continue;
        if (const std::string_view member = written_out_member(*known, entry); !member.empty())
            a.names.refer(member, qualified(a, space, member));
    }
}

Node* use_libraries(Analyzer& a, const Form& list, Tail tail) {
    const LibraryUses found = library_uses(list);
    if (found.unreadable) {
        a.report(
            bad_form(a.span_of(*found.unreadable), *a.special_of(list),
                     "it takes names of libraries: [clojure.string :as str], or of classes: (java.time LocalDate)"));
    }
    for (const LibraryUse& use : found.uses) {
        if (!work::charge(20)) break;
        if (use.is_class) continue; // classes go by their plain names
        if (!use.alias.empty()) a.names.add_alias(use.alias, a.nodes.keep_text(use.name));
        for (const auto& [here, there] : use.refers)
            a.names.refer(here, qualified(a, use.name, there));
        if (use.refers_all) refer_all(a, use.name);
    }
    return a.nodes.nil(a.span_of(list), tail);
}

} // namespace

Node* ns_form(Analyzer& a, const Form& list, Tail tail) {
    if (!a.check_parts(list, 1, SIZE_MAX)) return a.nodes.nil(a.span_of(list), tail);
    if (!list.items()[1].is(FormKind::Symbol))
        return a.failed(
            bad_form(a.span_of(list.items()[1]), *a.special_of(list), "the name of the namespace is plain"));
    return use_libraries(a, list, tail);
}

Node* require_form(Analyzer& a, const Form& list, Tail tail) { return use_libraries(a, list, tail); }
Node* use_form(Analyzer& a, const Form& list, Tail tail) { return use_libraries(a, list, tail); }
Node* import_form(Analyzer& a, const Form& list, Tail tail) { return use_libraries(a, list, tail); }

} // namespace ptc
