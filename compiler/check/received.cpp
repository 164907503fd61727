// The definitions are looked at by a checker of their own, in the order in which they were made: one may be made of
// another. What it would warn of was said when they were compiled.
#include "compiler/check/received.h"
#include "compiler/language/declarations.h"
#include "compiler/language/expand.h"
#include "compiler/language/form_maker.h"
#include "frontend/reader/reader.h"

namespace ptc {

Received::Received(const Environment& environment, const CoreLibrary& core, std::span<const Form> program)
    : source_("", std::string(environment.declarations)) {
    if (environment.declarations.empty() || environment.tools.empty()) return;
    // They may come from a snapshot that somebody wrote: what cannot be read is not known.
    forms_ = read_forms(source_, {}, ignored_);
    if (ignored_.has_errors()) return;
    const std::vector<Form> definitions = received_definitions(forms_, program);
    if (definitions.empty()) return;
    forms_.set_top_level(FormMaker(forms_).kept(definitions));
    if (!expand_forms(forms_, ignored_)) return;
    checker_.emplace(source_, no_tree_, environment, core, ignored_);
    facts_ = checker_->facts_of(forms_.top_level());
}

} // namespace ptc
