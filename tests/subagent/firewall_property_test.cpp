// Whatever programs do with data that holds firewalled values, these are in no request, no trace and no event. Secrets
// are texts and numbers that occur nowhere else, so a search for them is enough.
#include "tests/subagent/missions.h"
#include <rapidcheck/gtest.h>

namespace ptc {
namespace {

struct Secretive {
    Datum value;
    std::vector<std::string> secrets;
};

/// A text or a number whose digits occur nowhere else.
std::string fresh_secret(std::size_t n) {
    const std::string digits =
        std::to_string(7'310'000'000 + *rc::gen::inRange(0, 9'999) * 10'000LL + static_cast<long long>(n));
    return *rc::gen::arbitrary<bool>() ? digits
                                       : "hidden-" + digits +
                                             *rc::gen::elementOf(std::vector<std::string>{"", "\n|", "\"q", " ä", "\\",
                                                                                          "\b", "\f\x01", "\x7f\t\r"}) +
                                             digits;
}

Datum as_datum(const std::string& secret) { return secret.starts_with("7") ? json(secret) : Datum(secret); }

/// Data with firewalled fields at some depth.
Datum grow(Secretive& out, int depth) {
    const int kind = depth <= 0 ? 0 : *rc::gen::inRange(0, 4);
    if (kind == 0) return Datum(*rc::gen::inRange(0, 100));
    if (kind == 1) {
        Datum::List items;
        for (int i = *rc::gen::inRange(0, 8); i > 0; --i)
            items.push_back(grow(out, depth - 1));
        return Datum(std::move(items));
    }
    Datum::Map entries;
    entries.emplace_back(Datum("open"), grow(out, depth - 1));
    out.secrets.push_back(fresh_secret(out.secrets.size()));
    Datum secret = as_datum(out.secrets.back());
    if (*rc::gen::arbitrary<bool>()) secret = Datum(Datum::List{secret, Datum::object({{"deep", secret}})});
    entries.emplace_back(Datum("_key"), std::move(secret));
    return Datum(std::move(entries));
}

Secretive secretive() {
    Secretive out;
    out.value = Datum(Datum::List{grow(out, 3), Datum::object({{"open", 1}, {"_key", "hidden-always-there"}})});
    out.secrets.emplace_back("hidden-always-there");
    return out;
}

/// Ways to bring data to light.
const std::vector<std::string> kPrograms = {
    "data/rows",
    "{:again data/rows}",
    "(def kept data/rows)",
    "(println data/rows)",
    "(println (pr-str (last data/rows)))",
    "(tool/get)",
    "(def got (tool/get)) (println got) got",
    "(println (:_key (last data/rows)))",
    "(:_key (last data/rows))",
    "(str \"<\" (:_key (last data/rows)) \">\")",
    "(tool/echo {:rows data/rows})",
    "(* 3 (:_key (last data/rows)))",
    "(tool/typed {:_n (:_key (last data/rows))})",
    "(tool/fails {:rows data/rows})",
    "(map :_key (filter map? data/rows))",
    "((:_key (last data/rows)) 1)",
    "(return {:_n (:_key (last data/rows))})",
    "(get data/_token 0)",
    "data/_token",
    "(subs data/_token 0 20)",
    "(throw-it data/_token)",
    "*1",
    "(println *1)",
    "kept",
    "data/again",
    "(tool/child {:_rows data/rows})",
    "(json/generate-string data/rows)",
    "(frequencies (map :_key (filter map? data/rows)))",
    "(json/generate-string (map :_key (filter map? data/rows)))",
    "(println (json/generate-string (vals (last data/rows)))) (pr-str (pr-str (map :_key (filter map? data/rows))))",
    "(str (map :_key (filter map? data/rows)))",
    "(json/generate-string (pr-str (json/generate-string data/rows)))",
    "(throw (ex-info (pr-str (json/generate-string (map :_key (filter map? data/rows)))) {:d data/rows}))",
    "(fail (json/generate-string (map :_key (filter map? data/rows))))",
    "(tool/fails {:rows (pr-str data/rows)})",
    "(re-pattern (str \"(\" (:_key (last data/rows))))",
};

std::string everything(const LlmRequest& request) {
    std::string text = request.system;
    for (const Message& message : request.messages)
        text += "\n" + message.content;
    return text;
}

std::string everything(const Turn& turn) {
    std::string text = turn.result + "\n" + turn.message;
    for (const std::string& line : turn.prints)
        text += "\n" + line;
    for (const ToolUse& use : turn.tool_calls)
        text += "\n" + use.arguments.to_json() + use.result + use.error;
    return text;
}

/// The digits of secrets say enough, in whatever way the rest is spelled.
bool shows(const std::string& text, const std::vector<std::string>& secrets) {
    return std::any_of(secrets.begin(), secrets.end(), [&](const std::string& secret) {
        const std::size_t at = secret.find("731");
        return text.find(at == secret.npos ? secret : secret.substr(at, 10)) != std::string::npos;
    });
}

RC_GTEST_PROP(Firewall, NothingHiddenIsShown, ()) {
    Secretive data = secretive();
    const Secretive got = secretive();
    data.secrets.insert(data.secrets.end(), got.secrets.begin(), got.secrets.end());
    data.secrets.emplace_back("hidden-token-0123456789-0123456789");
    std::vector<std::string> texts = *rc::gen::container<std::vector<std::string>>(6, rc::gen::elementOf(kPrograms));
    texts.emplace_back("(return {:_n 1})");
    const AgentPtr child =
        agent({.prompt = "Look at {{_rows}}.", .signature = "(_rows [:any]) -> {_n :any}", .max_turns = 2});
    const AgentPtr a =
        agent({.prompt = "Rows: {{rows}}; token: {{_token}}.",
               .tools = {host_tool("get", "() -> [:any]", [&](const Datum&) { return got.value; }),
                         host_tool("echo", "(rows [:any]) -> :any", [](const Datum& in) { return *in.find("rows"); }),
                         host_tool("typed", "(_n :bool) -> :any", [](const Datum&) { return Datum(1); }),
                         host_tool("fails", "",
                                   [](const Datum& in) -> Result<Datum> {
                                       throw std::runtime_error("cannot use " + in.to_json());
                                   }),
                         child->as_tool("child")},
               .max_turns = 10,
               .turn_budget = 40});
    std::size_t own_turns = 0;
    std::string shown;
    const Llm model = [&](const LlmRequest& request) -> LlmResult {
        shown += everything(request);
        if (request.depth > 0)
            return LlmReply{.text = fenced(request.turn == 1 ? "data/_rows" : "(return {:_n data/_rows})")};
        return LlmReply{.text = fenced(texts[std::min(own_turns++, texts.size() - 1)])};
    };
    MissionOptions options;
    options.model = ModelRef(model);
    // Only what the host itself puts under a public name may be shown: here nothing.
    options.context = Datum::object({{"rows", data.value}, {"_token", "hidden-token-0123456789-0123456789"}});
    options.on_event = [&](const MissionEvent& event) { shown += event.message + "\n"; };
    const Step step = a->run(std::move(options));
    for (const Turn& turn : step.trace)
        shown += everything(turn);
    RC_ASSERT(step.trace.size() > 0u);
    RC_ASSERT(!shows(shown, data.secrets));
}

} // namespace
} // namespace ptc
