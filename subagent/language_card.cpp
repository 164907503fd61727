#include "subagent/language_card.h"
#include "compiler/reference.h"

namespace ptc {
namespace {

constexpr std::string_view kRules =
    R"(PTC-Lisp is a small, pure Clojure: immutable values, no macros, no mutable state, no input or output but through tools.
- Data given to the mission: data/NAME. A map that a turn gives is added to it: {:found 7} makes data/found.
- Tools: (tool/NAME {:key value}), always with named arguments; (tool/NAME) without any. Results are plain data.
- Memory: (def name value) and (defn name [x] ..) stay for later turns of this mission. A turn that fails keeps nothing.
- *1 *2 *3 are the values of the last turns.
- (return value) ends the mission; (fail {:reason :keyword :message "text"}) gives it up. Both end the program at once.
- Keywords read maps with text keys too: (:id row). Missing keys and data are nil. nil counts as an empty collection.
- sort-by takes a comparator: (sort-by :total > rows). (pmap f xs) calls tools in parallel.
- Strings are "..", never '..'. There is no try/catch, no require, no atom, no Java but for what is listed.)";

} // namespace

std::string language_card(const CoreLibrary& core) {
    std::string out(kRules);
    std::string_view section;
    for (const ReferenceEntry& entry : reference_entries(core)) {
        if (entry.section != section) out += "\n" + std::string(entry.section) + ":";
        section = entry.section;
        out += " " + std::string(entry.name);
    }
    return out;
}

} // namespace ptc
