// The reference as Markdown: an introduction, the notation with examples, then every entry by section, from the tables
// that define the language. Anchors are made of letters, digits and hyphens, because names like `->>` are none.
#include "tools/reference_page.h"
#include <iterator>

namespace ptc {
namespace {

constexpr std::string_view kIntroduction = R"(# The language, name by name

Written by `ptcc reference` from the tables that define the language. A test keeps the page current, runs its examples and
measures what it says about costs. `ptcc reference get-in` shows one name, as `(doc get-in)` does within a program.

- [How values and patterns are written](#about-notation)
- [What differs from Clojure everywhere](#about-everywhere)
- [How to read an entry](#about-entries)
- [All names by section](#about-contents)

<a id="about-notation"></a>
## How values and patterns are written

)";

constexpr NotationEntry kNotation[] = {
    {"Nothing and truth; everything but nil and false is truthy", "[nil true false]", "[nil true false]"},
    {"Integers of any size, and floats", "[1 -2 10000000000000000000 3.5 1e3]",
     "[1 -2 10000000000000000000 3.5 1000.0]"},
    {"Infinities, and what is no number", "[##Inf ##-Inf ##NaN]", "[##Inf ##-Inf ##NaN]"},
    {"Strings; a character is a string of one", R"(["a\tb" \a \newline "\u00e9"])", R"(["a\tb" "a" "\n" "é"])"},
    {"Keywords", "[:status :is-open?]", "[:status :is-open?]"},
    {"Vectors, maps, sets", "[[1 2] {:a 1} #{1 2}]", "[[1 2] {:a 1} #{1 2}]"},
    {"A comment, and a form that is left out", "[1 #_ 2 3] ; to the end of the line", "[1 3]"},
    {"A short function; %1, %2, .. and %& are its arguments", "(#(* % %) 3)", "9"},
    {"A pattern for texts", R"((re-find #"\d+" "a12"))", "\"12\""},
    {"A name as a value, and a definition as a value", "(do (def n 1) ['n #'n])", "['n #'n]"},
    {"Keywords, maps, sets and vectors are functions of a key", "[(:a {:a 1}) ({:a 1} :a) (#{2} 2) ([5 6] 1)]",
     "[1 1 2 6]"},
    {"Parts of a sequence, in let, fn, loop, for ..", "(let [[a & more :as all] [1 2 3]] [a more all])",
     "[1 [2 3] [1 2 3]]"},
    {"Fields of a map, with defaults", "(let [{:keys [a b] :or {b 5} :as m} {:a 1}] [a b m])", "[1 5 {:a 1}]"},
    {"Fields under another name; string keys; patterns within",
     "(let [{n :name :strs [x] [p] :at} {:name \"A\" \"x\" 1 :at [2]}] [n x p])", "[\"A\" 1 2]"},
};

constexpr std::string_view kEverywhere = R"(
<a id="about-everywhere"></a>
## What differs from Clojure everywhere

- There is one sequence type, the vector, where Clojure has lists and lazy sequences. What is endless, `(range)`, `(iterate f x)`,
  `lazy-seq` and what `map`, `filter`, `rest` .. make of these, is computed by need where the text shows that it is such a sequence:
  a call, a name bound or defined to one, a function of the program that ends in one. Anywhere else it is a function.
  What `take` and `take-while` give of one is a vector; where that is written as the argument of what reads it,
  `(some p (take-while q (iterate f x)))`, no more is computed than is read.
  None of it is kept: who reads one twice computes it twice, so what is read again and again is best made a vector, `(vec (take n s))`.
  What has to read all before it gives anything, as `sort`, `cycle`, `drop-last` and `count`, refuses what is known to have no end.
  Of what `map`, `filter`, `take-while`, `for` .. make of a vector no more is computed than is read, where they do nothing else than
  compute and stand in what may stop early (`first`, `some`, `every?`, `take` with a number up to 64, a `reduce` with `reduced`): a
  mistake behind that is not found.
  All other loops, as in `(reduce f (map g xs))`, do what they do one after the other; of two mistakes in loops that do nothing
  else than compute, that of the earlier item is told.
  Of sequences that are made of themselves those are known that are given items and `map` over themselves, at the top level:
  `(def fibs (lazy-cat [0 1] (map + fibs (rest fibs))))`.
- A write finds what a read finds: the text and the keyword of one name are one key of a map for every function that adds, replaces or
  removes. Equality, printing and sets distinguish them.
- Maps and sets are unordered values that are always seen sorted by key, whatever was done to them before: by `seq`, in print,
  in JSON.
- `1` equals `1.0`; integers grow as large as they need to; `/` always gives a float. There are no ratios and no exact decimals.
- A character is a string of one character, and characters are what a reader sees as one (graphemes).
- Nothing can be changed but atoms, which end with the program that made them unless a name of the session stands for one. No arrays,
  no Java objects. An exception is a map of `:type`, `:message`, `:data` and `:cause`. No macros, no namespaces of one's own.
- A record (`defrecord`, `deftype`) is a map of its fields that knows its type, by which `instance?` and protocols go; it equals
  every map with the same entries, and loses its type in JSON, with its last field, or with more than 16 of them. A map without a
  type is a record when it has the fields and no other record of the program has all of them.
  `defprotocol`, `extend-type`, `extend-protocol` and `satisfies?` stand at the top level, in one program or in several of a session; a method names its first
  argument, which `recur` in it is given as well. `reify` takes the program's own protocols, and nothing has methods of Object.
- A name that does not exist is an error before anything runs, also in a branch that is never taken.
- Of two operands that fail the second one may be the error, of `recur` too: what only reads a collection may be computed before what
  edits it.

<a id="about-entries"></a>
## How to read an entry

**Cost** is in units of fuel: what each call costs, and what it costs besides by what it is given. An instruction costs about one
unit; special forms, and functions that take functions, are compiled to instructions where they stand.

**Names.** Functions of strings are also found in `clojure.string` (`str/`, `string/`), those of sets in `clojure.set` (`set/`), those
that walk values in `clojure.walk` (`walk/`), mathematics in `Math`, and everything in `clojure.core`. Names that are written out
(`Instant/parse`, `.length`) exist in that spelling. Tools are `(tool/name {:argument value})`; data is `data/name`; `*1`, `*2` and
`*3` are the latest results.

<a id="about-contents"></a>
## All names by section

)";

/// What Markdown would read as its own.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '*' || c == '_' || c == '<' || c == '[' || c == '|') out += '\\';
        out += c;
    }
    return out;
}

std::string code(std::string_view text) { return "`" + std::string(text) + "`"; }

/// Behind a bar a table would begin its next column.
std::string code_in_table(std::string_view text) {
    std::string out;
    for (const char c : text)
        out.append(c == '|' ? "\\|" : std::string(1, c));
    return code(out);
}

std::string notation_table() {
    std::string text = "| | written | gives |\n| --- | --- | --- |\n";
    for (const NotationEntry& entry : kNotation) {
        text.append("| " + escaped(entry.meaning) + " | " + code_in_table(entry.example) + " | " +
                    code_in_table(entry.example_result) + " |\n");
    }
    return text;
}

/// "`(get m k)` `(get m k default)`"
std::string usage_text(std::string_view usage) {
    std::string text;
    for (const std::string_view one : usages(usage))
        text += (text.empty() ? "" : " ") + code(one);
    return text;
}

/// One point of a list; a backslash at the end of a line keeps the break.
std::string entry_text(const ReferenceEntry& entry) {
    constexpr std::string_view kBreak = "\\\n  ";
    std::string text = "- <a id=\"" + anchor_of(entry.name) + "\"></a>" + usage_text(entry.usage);
    text.append(kBreak).append(escaped(entry.doc)).append(kBreak);
    const bool fails = entry.example_result.starts_with("!! ");
    const std::string_view result = fails ? entry.example_result.substr(3) : entry.example_result;
    text.append(code(entry.example) + (fails ? " fails: " : " gives ") + code(result));
    if (const std::string cost = cost_text(entry); !cost.empty())
        text.append(kBreak).append("*Cost:* " + escaped(cost) + ".");
    if (entry.differs == kNotInClojure)
        text.append(kBreak).append(kNotInClojure);
    else if (!entry.differs.empty())
        text.append(kBreak).append("*Differs from Clojure:* " + escaped(entry.differs));
    return text + "\n";
}

std::string section_anchor(std::string_view section) { return "section-" + anchor_of(section); }

/// "- [Maps](#section-maps): [`assoc`](#assoc) ..", in lines of a decent length.
std::string contents(std::span<const ReferenceEntry> entries) {
    constexpr std::size_t kWidth = 130;
    std::string text;
    std::string_view section;
    std::size_t line = 0;
    for (const ReferenceEntry& entry : entries) {
        if (entry.section != section) {
            if (!text.empty()) text += "\n";
            line = text.size();
            text += "- **[" + std::string(entry.section) + "](#" + section_anchor(entry.section) + ")**";
        }
        section = entry.section;
        const std::string link = "[" + code(entry.name) + "](#" + anchor_of(entry.name) + ")";
        if (text.size() + 1 + link.size() > line + kWidth) {
            line = text.size() + 1;
            text += "\n ";
        }
        text.append(" ").append(link);
    }
    return text + "\n";
}

/// The word for a character that an anchor cannot have; "" for those that it can.
std::string_view word_for(char c) {
    switch (c) {
    case '*': return "star";
    case '+': return "plus";
    case '<': return "less";
    case '>': return "greater";
    case '=': return "equal";
    case '/': return "slash";
    case '?': return "p";
    case '!': return "bang";
    case '\'': return "quote";
    case '.': return "dot";
    default: return "";
    }
}

} // namespace

std::span<const NotationEntry> notation_entries() { return kNotation; }

// "get-in" is itself, "+'" is "plus-quote", "->" is "--greater".
std::string anchor_of(std::string_view name) {
    std::string anchor;
    bool after_word = false;
    for (const char c : name) {
        const std::string_view word = word_for(c);
        if ((!word.empty() || after_word) && !anchor.empty()) anchor += '-';
        after_word = !word.empty();
        if (!word.empty())
            anchor += word;
        else if ('A' <= c && c <= 'Z')
            anchor += static_cast<char>(c - 'A' + 'a');
        else
            anchor += ('a' <= c && c <= 'z') || ('0' <= c && c <= '9') ? c : '-';
    }
    return anchor;
}

std::string reference_page(const CoreLibrary& core) {
    const std::vector<ReferenceEntry> entries = reference_entries(core);
    std::string page(kIntroduction);
    page.append(notation_table()).append(kEverywhere).append(contents(entries));
    std::string_view section;
    for (const ReferenceEntry& entry : entries) {
        if (entry.section != section) {
            const std::string title(entry.section);
            page.append("\n<a id=\"" + section_anchor(title) + "\"></a>\n## " + title + "\n\n");
        }
        section = entry.section;
        page += entry_text(entry);
    }
    return page;
}

} // namespace ptc
