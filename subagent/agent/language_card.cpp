#include "subagent/agent/language_card.h"
#include "compiler/language/reference.h"
#include <algorithm>

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

constexpr std::string_view kCompactHead = R"(## lisp_eval
The tool lisp_eval runs a PTC-Lisp program (a small, pure Clojure) in a sandbox: for exact computation, and for results too
large to read. Its answer is for you; answer the user in text afterwards.
- Data: data/NAME. Tools listed below: (tool/NAME {:key value}), named arguments only.
- (def x ..) and (defn f [..] ..) stay for later programs; *1 is the last value. Keywords read maps: (:id row).
- (return value) ends a program, (fail {:reason :r :message "m"}) fails it. Neither ends the conversation.
- A native call whose answer says full_result_cached was kept whole: the same call in a program gives all of it and does
  not run the tool again.
- Names:)";

constexpr std::string_view kCompactTail =
    "\nExample: (return {:errors (count (filter #(= (:level %) \"error\") data/rows))})";

/// What most programs over data are made of. The card has those that the language has, in the order of its tables.
constexpr std::string_view kCommon[] = {
    "let",      "if",     "cond",   "case",   "fn",     "loop",        "for",     "->",     "->>",
    "map",      "filter", "reduce", "remove", "mapcat", "group-by",    "sort-by", "sum-by", "frequencies",
    "distinct", "count",  "get-in", "assoc",  "update", "select-keys", "merge",   "keys",   "vals",
    "first",    "last",   "take",   "drop",   "str",    "split",       "join",    "subs",   "max-by",
};

} // namespace

std::string compact_card(const CoreLibrary& core) {
    std::string out(kCompactHead);
    for (const ReferenceEntry& entry : reference_entries(core)) {
        if (std::ranges::find(kCommon, entry.name) != std::end(kCommon)) out += " " + std::string(entry.name);
    }
    return out + std::string(kCompactTail);
}

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
