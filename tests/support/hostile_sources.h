// Sources that were made to be dear to read, to analyse, to check, to mend and to make code of: each shape was found
// where something was looked for once for each of many. Whether the work is linear and ends at its deadline is asked by
// tests/compiler/compile_growth_test.cpp, and how late it ends by bench/overshoot.cpp.
#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <ostream>
#include <string>

namespace ptc::test {

inline std::string parts(std::size_t n, const std::function<std::string(std::size_t)>& part) {
    std::string text;
    for (std::size_t i = 0; i < n; ++i)
        text += part(i) + " ";
    return text;
}

inline std::string repeated(const char* part, std::size_t n) {
    return parts(n, [part](std::size_t) { return part; });
}

inline std::string numbered(const char* name, std::size_t i) { return name + std::to_string(i); }

struct SourceShape {
    const char* name;
    std::size_t size; ///< of a text of some 50 KiB, in parts
    std::function<std::string(std::size_t)> text;

    /// A text of nearly, and at most, `bytes` bytes.
    [[nodiscard]] std::string text_of(std::size_t bytes) const {
        std::size_t n = size;
        std::string made = text(n);
        do {
            n = std::max<std::size_t>(1, n * (bytes - bytes / 100) / made.size());
            made = text(n);
        } while (made.size() > bytes);
        return made;
    }
};

inline std::ostream& operator<<(std::ostream& out, const SourceShape& shape) { return out << shape.name; }

inline const SourceShape kSourceShapes[] = {
    {"names of a let that are used", 4'500,
     [](std::size_t n) {
         const auto binding = [](std::size_t i) {
             return numbered("n", i) + " " + (i == 0 ? "1" : "(inc " + numbered("n", i - 1) + ")");
         };
         return "(let [" + parts(n, binding) + "] n0)";
     }},
    {"a name that hides itself", 8'000,
     [](std::size_t n) { return "(let [x 1 " + parts(n, [](std::size_t) { return "x (inc x)"; }) + "] x)"; }},
    {"members of a set", 8'000,
     [](std::size_t n) { return "#{" + parts(n, [](std::size_t i) { return std::to_string(i); }) + "}"; }},
    {"texts of a set", 6'000,
     [](std::size_t n) { return "#{" + parts(n, [](std::size_t i) { return "\"" + numbered("k", i) + "\""; }) + "}"; }},
    {"keys of a map", 5'000,
     [](std::size_t n) { return "{" + parts(n, [](std::size_t i) { return numbered(":k", i) + " 1"; }) + "}"; }},
    {"definitions", 4'000,
     [](std::size_t n) { return parts(n, [](std::size_t i) { return "(def " + numbered("v", i) + " 0)"; }); }},
    {"steps of as->", 8'000,
     [](std::size_t n) { return "(as-> 1 x " + parts(n, [](std::size_t) { return "(inc x)"; }) + ")"; }},
    {"functions of a letfn", 2'000,
     [](std::size_t n) {
         const auto function = [](std::size_t i) {
             return "(" + numbered("f", i) + " [x] (" + numbered("f", i) + " (inc x)))";
         };
         return "(letfn [" + parts(n, function) + "] 1)";
     }},
    {"defaults of a pattern", 4'000,
     [](std::size_t n) {
         return "(let [{:keys [" + parts(n, [](std::size_t i) { return numbered("a", i); }) + "] :or {" +
                parts(n, [](std::size_t i) { return numbered("a", i) + " 1"; }) + "}} data/x] a0)";
     }},
    {"conditions within conditions", 800,
     [](std::size_t n) {
         return "(fn [a b] (-> (and " + repeated("(< 1 a 9)", n) + " b) " +
                parts(n / 4, [](std::size_t i) { return i % 2 == 0 ? "(and b)" : "(or b)"; }) + "))";
     }},
    {"methods of a multimethod", 2'000,
     [](std::size_t n) {
         return "(defmulti m :k) " +
                parts(n, [](std::size_t i) { return "(defmethod m :" + numbered("k", i) + " [x] x)"; });
     }},
    {"captures of a function", 4'000,
     [](std::size_t n) {
         return "(let [" + parts(n, [](std::size_t i) { return numbered("n", i) + " data/x"; }) + "] (fn [] [" +
                parts(n, [](std::size_t i) { return numbered("n", i); }) + "]))";
     }},
    {"new values of a recur", 1'500,
     [](std::size_t n) {
         return "(loop [" + parts(n, [](std::size_t i) { return numbered("n", i) + " 0"; }) + "] (recur " +
                parts(n, [n](std::size_t i) { return "(inc " + numbered("n", (i + 1) % n) + ")"; }) + "))";
     }},
    {"misspelt names among many long ones", 250,
     [](std::size_t n) {
         const auto name = [](std::size_t i) { return "l" + std::string(40, 'o') + std::to_string(i); };
         return "(let [" + parts(n, [&](std::size_t i) { return name(i) + " 1"; }) + "] " +
                parts(25, [&](std::size_t i) { return name(i) + "x"; }) + ")";
     }},
    {"parameters of an fn", 5'000,
     [](std::size_t n) { return "(fn [" + parts(n, [](std::size_t i) { return numbered("a", i); }) + "] 1)"; }},
    {"parameters in a letfn", 5'000,
     [](std::size_t n) {
         return "(letfn [(f [" + parts(n, [](std::size_t i) { return numbered("a", i); }) + "] 1)] 1)";
     }},
    {"parameters of a method", 5'000,
     [](std::size_t n) {
         return "(defmulti m :k) (defmethod m 1 [" + parts(n, [](std::size_t i) { return numbered("a", i); }) + "] 1)";
     }},
    {"fields of a record", 5'000,
     [](std::size_t n) { return "(defrecord R [" + parts(n, [](std::size_t i) { return numbered("a", i); }) + "])"; }},
    {"records", 1'500,
     [](std::size_t n) {
         return parts(n, [](std::size_t i) { return "(defrecord " + numbered("R", i) + " [a b])"; });
     }},
    {"parameters of a function", 5'000,
     [](std::size_t n) { return "(defn f [" + parts(n, [](std::size_t i) { return numbered("a", i); }) + "] 1)"; }},
    {"texts", 10'000,
     [](std::size_t n) {
         return "[" + parts(n, [](std::size_t i) { return "\"" + numbered("text", i) + "\""; }) + "]";
     }},
    {"texts with signs", 5'000,
     [](std::size_t n) {
         return "[" + parts(n, [](std::size_t i) { return "\"" + numbered("a {", i) + "\""; }) + "]";
     }},
    {"unknown names", 1'000,
     [](std::size_t n) { return parts(n, [](std::size_t i) { return "(" + numbered("mapp", i) + " inc [1])"; }); }},
    {"brackets that are missing", 3'000,
     [](std::size_t n) { return parts(n, [](std::size_t) { return "(defn f [x]\n  (inc x)\n"; }); }},
    {"brackets of the wrong kind", 3'000,
     [](std::size_t n) { return parts(n, [](std::size_t) { return "(defn f [x) (inc x])\n"; }); }},
    {"texts without an end", 3'000,
     [](std::size_t n) { return parts(n, [](std::size_t) { return "(println \"a)\n"; }); }},
    {"prose around code", 2'000,
     [](std::size_t n) {
         return parts(n, [](std::size_t) { return "Here is the code:\n```clojure\n(inc 1)\n```\nThat is all.\n"; });
     }},
    {"calls as names of a let", 500,
     [](std::size_t n) { return "(let [" + parts(n, [](std::size_t) { return "(f 1)"; }) + "] 1)"; }},
    {"calls of tools as names of a for", 500,
     [](std::size_t n) { return "(for [" + parts(n, [](std::size_t) { return "(tool/x {})"; }) + "] 1)"; }},
    {"pairs in brackets of their own", 500,
     [](std::size_t n) { return "(let [[a 1] " + parts(n, [](std::size_t) { return "(recur 1)"; }) + "] 1)"; }},
    {"clauses of a cond in brackets", 500,
     [](std::size_t n) { return "(cond " + parts(n, [](std::size_t) { return "((f 1) 2)"; }) + ")"; }},
    {"arguments that are too many", 2'000,
     [](std::size_t n) { return "((fn [x] 1) " + parts(n, [](std::size_t) { return "1"; }) + ")"; }},
    {"arguments of a constructor", 1'000,
     [](std::size_t n) { return "(def a 1) (Long. " + parts(n, [](std::size_t) { return "a"; }) + ")"; }},
    {"branches that are too many", 2'000,
     [](std::size_t n) { return "(if [] " + parts(n, [](std::size_t) { return ":else"; }) + ")"; }},
    {"maps of a tool that are too many", 1'000,
     [](std::size_t n) {
         return "(tool/x " + parts(n, [](std::size_t i) { return numbered("{:k", i) + " 1}"; }) + ")";
     }},
    {"names that may be a value", 1'000,
     [](std::size_t n) {
         return "(let [" + parts(n, [](std::size_t i) { return numbered("n", i) + " 1"; }) + "] (assoc {} :a))";
     }},
    {"steps of some->", 500, [](std::size_t n) { return "(some-> 1 " + repeated("inc ", n) + ")"; }},
    {"steps of cond->", 500, [](std::size_t n) { return "(cond-> 1 " + repeated("true inc ", n) + ")"; }},
    {"clauses of a case", 400,
     [](std::size_t n) { return "(case 1 " + parts(n, [](std::size_t i) { return numbered("", i) + " 1"; }) + ")"; }},
    {"constants of a clause", 4'000,
     [](std::size_t n) { return "(case 1 (" + parts(n, [](std::size_t i) { return numbered("", i); }) + ") 1)"; }},
    {"names of a binding", 1'000, [](std::size_t n) { return "(def a 1) (binding [" + repeated("a a ", n) + "] 1)"; }},
    {"libraries", 2'000, [](std::size_t n) { return "(require a " + repeated("'b ", n) + ")"; }},
    {"libraries whose names are all used", 200,
     [](std::size_t n) { return "(use " + repeated("'clojure.string ", n) + ")"; }},
    {"prefixes", 10'000, [](std::size_t n) { return std::string(n, '@'); }},
    {"prefixes before a form", 100, [](std::size_t n) { return std::string(n, '\'') + "a"; }},
    {"branches among many names", 1'000,
     [](std::size_t n) {
         return "(let [" + parts(n, [](std::size_t i) { return numbered("n", i) + " (if data/x 1 data/y)"; }) + "] n0)";
     }},
    {"values of a cond among many names, which may be by need", 1'000,
     [](std::size_t n) {
         return "(take 1 (range)) (defn g [x] (map inc (let [" +
                parts(n, [](std::size_t i) { return numbered("n", i) + " 1"; }) + "] (cond " +
                parts(n, [](std::size_t i) { return numbered("(= x ", i) + ") x"; }) + "))))";
     }},
    {"one key of a path", 8'000, [](std::size_t n) { return "(update-in data/x [" + repeated(":k", n) + "] inc)"; }},
    {"one name of a path", 8'000,
     [](std::size_t n) { return "(let [a 1] (assoc-in data/x [" + repeated("a", n) + "] 1))"; }},
    {"one number of a path", 8'000, [](std::size_t n) { return "(get-in data/x [" + repeated("1", n) + "])"; }},
    {"one member of a set", 8'000, [](std::size_t n) { return "#{" + repeated("1", n) + "}"; }},
    {"one key of a map", 4'000, [](std::size_t n) { return "{" + repeated(":a 1", n) + "}"; }},
    {"one constant of a case", 4'000, [](std::size_t n) { return "(case data/x " + repeated("1 1", n) + ")"; }},
    {"sets in sets", 100,
     [](std::size_t n) {
         std::string text = "1";
         for (int level = 0; level < 50; ++level)
             text = "#{0 " + text + "}";
         return "[" + repeated(text.c_str(), n / 50) + "]";
     }},
    {"names that are quoted", 8'000, [](std::size_t n) { return "(quote (" + repeated("a", n) + "))"; }},
    {"calls as keys", 2'000, [](std::size_t n) { return "{" + repeated("(inc 1) 1", n) + "}"; }},
    {"methods of a reify", 2'000,
     [](std::size_t n) {
         return "(defprotocol P (m [x])) (reify P " +
                parts(n, [](std::size_t i) { return "(" + numbered("m", i) + " [x] 1)"; }) + ")";
     }},
    {"equal texts that are compared", 8'000, [](std::size_t n) { return "(= " + repeated("\"abc\"", n) + ")"; }},
    {"texts and numbers that are compared", 4'000,
     [](std::size_t n) {
         return "(fn [a] (not= a " + parts(n, [](std::size_t i) { return numbered("", i) + " \"k\""; }) + "))";
     }},
    {"calls that are compared with literals", 2'000,
     [](std::size_t n) { return "(== " + repeated("[1] :k (map inc [2])", n) + ")"; }},
};

} // namespace ptc::test
