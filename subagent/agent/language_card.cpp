// The language in a page.
//
// A model knows Clojure, and what it takes for granted works here: so the card says what Clojure does not teach (data,
// tools, memory, ends), where we differ, and which functions there are beside it, from the tables of the language.
#include "subagent/agent/language_card.h"
#include "compiler/language/reference.h"
#include <string_view>

namespace ptc {
namespace {

constexpr std::string_view kRules =
    R"(Programs are Clojure without input and output. What you know of clojure.core, clojure.string, clojure.set, clojure.walk and
clojure.edn works, with or without prefix (str/trim and trim are one): destructuring, transducers, try/catch, atoms, sorted
maps, (range) and (iterate f x), java.time, Math/.., methods such as (.toUpperCase s).
- Data given to the mission: data/NAME. A map that a turn gives is added to it: {:found 7} makes data/found.
- Tools: (tool/NAME {:key value}), always with named arguments; (tool/NAME) without any. Results are plain data.
  (pmap f xs) calls tools in parallel. In a signature `?` means optional; a list may stand for [T], an integer for :float.
- Memory: (def name value) and (defn name [x] ..) stay for later turns of this mission. A turn that fails keeps nothing;
  an atom ends with its turn unless a name stands for it.
- *1 *2 *3 are the values of the last turns. JSON: (json/parse-string s), (json/generate-string x). Zones are UTC or offsets.
- (return value) ends the mission; (fail {:reason :keyword :message "text"}) gives it up. Both end the program at once.
- Keywords read maps with text keys too: (:id row); what is written to such a key stays one entry. Missing keys and data
  are nil, and nil counts as an empty collection. Strings are "..", never '..'.
- Sequences are vectors, computed at once, but (range), (iterate f x), lazy-seq and their kin, by need; maps and sets are seen
  sorted by key. `/` gives a float, never a ratio.
- parse-long, parse-double and parse-boolean give nil for what they cannot read; Integer/parseInt, LocalDate/parse fail.
- Not there: macros, symbols as data, arrays that change, threads, input and output but printing, random numbers.
Beside Clojure:)";

constexpr std::string_view kCompactHead = R"(## lisp_eval
The tool lisp_eval runs a Clojure program (no input and output) in a sandbox: for exact computation, and for results too
large to read. Its answer is for you; answer the user in text afterwards.
- Data: data/NAME. Tools listed below: (tool/NAME {:key value}), named arguments only.
- (def x ..) and (defn f [..] ..) stay for later programs; *1 is the last value, if it was given without return.
  Keywords read maps: (:id row); keys of data are texts, (keys row) gives texts.
- (return value) ends a program, (fail {:reason :r :message "m"}) fails it. Neither ends the conversation. A map's
  entries become data/KEY. Results of up to 2 KB are shown whole.
- clojure.core, (range), (iterate f x), str/, set/, walk/, java.time, Math/ work; no defmacro, no symbols as data.
  Sequences are vectors; / gives floats.
- Beside Clojure:)";

constexpr std::string_view kCachedCalls =
    "\n- Where a native answer says full_result_cached, the same call in a program gives all of it.";

constexpr std::string_view kCompactTail =
    "\nExample: (return {:errors (count (filter #(= (:level %) \"error\") data/rows))})";

/// The first way to call it that takes all that a program needs: "(sum-by f coll)".
std::string_view first_usage(std::string_view usage) { return usage.substr(0, usage.find(") (") + 1); }

/// What this language adds to Clojure, by usage, since the order of arguments is its own. Not what the rules speak of,
/// and not what few programs need.
std::string own_names(const CoreLibrary& core, std::size_t most) {
    std::string out;
    for (const ReferenceEntry& entry : reference_entries(core)) {
        const bool is_explained = entry.section == "Results and missions" || entry.section == "Dates and times" ||
                                  entry.name.find('/') != std::string_view::npos;
        if (entry.differs != kNotInClojure || is_explained) continue;
        const std::string_view usage = entry.usage.find(") (") == std::string_view::npos ? std::string_view(entry.usage)
                                                                                         : first_usage(entry.usage);
        if (out.size() + usage.size() + 1 > most) break;
        out.append(" ").append(usage);
    }
    return out;
}

} // namespace

std::string compact_card(const CoreLibrary& core, bool has_cached_calls) {
    const std::string_view cached = has_cached_calls ? kCachedCalls : std::string_view();
    const std::size_t fixed = kCompactHead.size() + cached.size() + kCompactTail.size();
    std::string out(kCompactHead);
    ((out += own_names(core, kMostCompactCard - fixed)) += cached) += kCompactTail;
    return out;
}

std::string language_card(const CoreLibrary& core) {
    return std::string(kRules) + own_names(core, kMostCard - kRules.size());
}

} // namespace ptc
