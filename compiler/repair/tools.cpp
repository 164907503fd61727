// Calls of tools: arguments by the names that the tool's signature has.
//
// Tools take one map of named arguments. Models pass values in order, several maps, x=1, names without colons or names
// that are nearly right; each shape has a rule that makes the map, and positional values are named in the order of the
// signature's parameters that have no value yet.
#include "compiler/repair/rules.h"
#include "frontend/suggest.h"
#include "ptc/signature_text.h"
#include <algorithm>
#include <unordered_set>

namespace ptc::repair {
namespace {

const ToolInfo* find_tool(const Code& code, std::string_view name) {
    for (const ToolInfo& tool : code.surroundings().tools) {
        if (tool.name == name) return &tool;
    }
    return nullptr;
}

/// The call of a tool that holds `place`; its arguments begin at `first`.
struct ToolCall {
    const Form* list = nullptr;
    std::string_view tool;
    std::size_t first = 1;
    [[nodiscard]] FormSpan arguments() const { return list->items().subspan(std::min<std::size_t>(first, list->size)); }
};

std::optional<ToolCall> tool_call(const Place& place) {
    for (const Form* form : place.forms) {
        if (!is_call(*form) || !form->items()[0].is(FormKind::Symbol)) continue;
        const std::string_view head = form->items()[0].text();
        if (head.starts_with("tool/")) return ToolCall{form, head.substr(5), 1};
        if (head == "call" && form->size > 1 && form->items()[1].is(FormKind::String))
            return ToolCall{form, form->items()[1].text(), 2};
    }
    return std::nullopt;
}

std::vector<std::string> parameters_of_tool(const Code& code, std::string_view name) {
    std::vector<std::string> names;
    const ToolInfo* tool = find_tool(code, name);
    if (!tool || !tool->signature) return names;
    for (const Field& field : tool->signature->params)
        names.push_back(field.name);
    return names;
}

/// `x=1` as its two parts.
bool is_assignment(const Form& form, std::string_view* name, std::string_view* value) {
    if (!form.is(FormKind::Symbol) && !form.is(FormKind::Keyword)) return false;
    const std::size_t sign = form.text().find('=');
    if (sign == 0 || sign == std::string_view::npos) return false;
    *name = form.text().substr(0, sign);
    *value = form.text().substr(sign + 1);
    return true;
}

constexpr const char* kNamed = "Tools take named arguments in one map: (tool/name {:key value}).";

Proposal keyword_assignments(const Code& code, FormSpan arguments) {
    Pieces pieces;
    pieces.text("{");
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        std::string_view name;
        std::string_view value;
        if (!is_assignment(arguments[i], &name, &value)) return std::nullopt;
        pieces.text((i > 0 ? " :" : ":") + std::string(name) + " ");
        if (!value.empty())
            pieces.text(value);
        else if (i + 1 < arguments.size() && Code::touch(arguments[i], arguments[i + 1]))
            pieces.copy(arguments[++i]);
        else
            return std::nullopt;
    }
    const Span all{arguments.front().span.begin, arguments.back().span.end};
    return Repair{pieces.text("}").edits(code.source(), all), kNamed, all};
}

/// (tool/users nil), (tool/users [])
Proposal no_arguments(const Code& code, FormSpan arguments) {
    const Form& only = arguments[0];
    const bool empty =
        only.is(FormKind::Nil) || (only.size == 0 && (only.is(FormKind::Vector) || only.is(FormKind::List)));
    if (arguments.size() != 1 || !empty) return std::nullopt;
    return Repair{{removal(code, only)}, "A tool without arguments is called by (tool/name).", {}};
}

bool are_key_pairs(FormSpan items) {
    for (std::size_t i = 0; i < items.size(); i += 2) {
        if (!items[i].is(FormKind::Keyword) && !items[i].is(FormKind::String)) return false;
    }
    return items.size() % 2 == 0;
}

/// {:x 1} {:y 2} and :x 1 {:y 2} as one map, when no name comes twice.
Proposal several_maps(FormSpan arguments) {
    std::vector<Edit> edits;
    std::unordered_set<std::string_view> names; // of the runs before
    std::size_t runs = 0;
    for (std::size_t i = 0; i < arguments.size();) {
        const bool is_map = arguments[i].is(FormKind::Map);
        if (!is_map && i + 1 == arguments.size()) return std::nullopt;
        const FormSpan run = is_map ? arguments[i].items() : arguments.subspan(i, 2);
        if (!are_key_pairs(run)) return std::nullopt;
        for (std::size_t k = 0; k < run.size(); k += 2) {
            if (names.contains(run[k].text())) return std::nullopt;
        }
        for (std::size_t k = 0; k < run.size(); k += 2)
            names.insert(run[k].text());
        if (is_map) append(edits, unwrapping(arguments[i]));
        ++runs;
        i += is_map ? 1 : 2;
    }
    const bool maps = std::ranges::any_of(arguments, [](const Form& f) { return f.is(FormKind::Map); });
    if (!maps || runs < 2) return std::nullopt;
    return Repair{std::move(edits), kNamed, {arguments.front().span.begin, arguments.back().span.end}};
}

/// (-> 5 (tool/add 6)): values in the order of the parameters, the first of them from the step before.
Proposal threaded_arguments(const Code& code, const Place& place, const ToolCall& call) {
    bool last = false;
    if (call.list != &place.form() || !is_step(place, &last) || call.tool.empty()) return std::nullopt;
    const std::vector<std::string> parameters = parameters_of_tool(code, call.tool);
    const FormSpan arguments = call.arguments();
    if (parameters.size() < arguments.size() + 1 || place.in_short_fn()) return std::nullopt;
    std::string map;
    for (std::size_t i = 0; i <= arguments.size(); ++i) {
        const bool passed = i == (last ? arguments.size() : 0);
        if (!passed && needs_named_parameter(arguments[last ? i : i - 1])) return std::nullopt;
        if (!passed && arguments[last ? i : i - 1].is(FormKind::Map)) return std::nullopt;
        map += (i > 0 ? " :" : ":") + parameters[i] + " " + (passed ? "%" : code.copy(arguments[last ? i : i - 1]));
    }
    return replace(*call.list, "(#(tool/" + std::string(call.tool) + " {" + map + "}))", kNamed);
}

/// x 1 y 2: names without their colons.
Proposal bare_names(const Code& code, const Place& place, FormSpan arguments,
                    const std::vector<std::string>& parameters) {
    const std::vector<std::string_view> locals = code.locals(place);
    Repair repair;
    for (std::size_t i = 0; i < arguments.size(); i += 2) {
        if (std::find(locals.begin(), locals.end(),
                      arguments[i].is(FormKind::Symbol) ? arguments[i].text() : std::string_view()) != locals.end())
            return std::nullopt;
        if (!arguments[i].is(FormKind::Symbol) ||
            std::find(parameters.begin(), parameters.end(), arguments[i].text()) == parameters.end())
            return std::nullopt;
        repair.edits.push_back(insertion(arguments[i].span.begin, ":"));
    }
    if (arguments.size() % 2 != 0) return std::nullopt;
    repair.hint = kNamed;
    repair.covers = {arguments.front().span.begin, arguments.back().span.end};
    return repair;
}

/// The values in the order of the parameters that have not been named.
Proposal positional(const Code& code, FormSpan arguments, const std::vector<std::string>& parameters, Span all) {
    std::vector<bool> taken(parameters.size());
    const auto index_of = [&](std::string_view name) {
        return static_cast<std::size_t>(std::find(parameters.begin(), parameters.end(), name) - parameters.begin());
    };
    Pieces pieces;
    pieces.text("{");
    bool first = true;
    const auto add = [&](std::string_view name, const Form& value) {
        pieces.text((first ? ":" : " :") + std::string(name) + " ").copy(value);
        first = false;
    };
    for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
        if (arguments[i].is(FormKind::Keyword) && index_of(arguments[i].text()) < parameters.size())
            taken[index_of(arguments[i++].text())] = true;
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].is(FormKind::Keyword) && index_of(arguments[i].text()) < parameters.size() &&
            i + 1 < arguments.size()) {
            add(arguments[i].text(), arguments[i + 1]);
            ++i;
            continue;
        }
        while (next < parameters.size() && taken[next])
            ++next;
        if (next == parameters.size()) return std::nullopt;
        add(parameters[next++], arguments[i]);
    }
    Repair repair;
    repair.edits = pieces.text("}").edits(code.source(), all);
    repair.hint = kNamed;
    repair.covers = all;
    return repair;
}

/// Whether the arguments have names that the tool knows: what is wrong then is that some are missing.
bool are_named(FormSpan arguments, const std::vector<std::string>& parameters) {
    const auto names = [&](const Form& key) {
        return (key.is(FormKind::Keyword) || key.is(FormKind::String)) &&
               std::find(parameters.begin(), parameters.end(), key.text()) != parameters.end();
    };
    const bool is_map = arguments.size() == 1 && arguments[0].is(FormKind::Map);
    const FormSpan pairs = is_map ? arguments[0].items() : arguments;
    if (pairs.size() % 2 != 0) return false;
    std::size_t named = 0;
    for (std::size_t i = 0; i < pairs.size(); i += 2)
        named += names(pairs[i]) ? 1 : 0;
    return is_map ? named > 0 || pairs.empty() : named * 2 == pairs.size();
}

/// {:args {:x 1 :y 2}}: the arguments in a map of their own, under a name that the tool does not know.
Proposal wrapped_arguments(const Form& map, const std::vector<std::string>& parameters) {
    if (!map.is(FormKind::Map) || map.size != 2 || !map.items()[1].is(FormKind::Map)) return std::nullopt;
    const Form& name = map.items()[0];
    const Form& inner = map.items()[1];
    const bool is_key = name.is(FormKind::Keyword) || name.is(FormKind::String);
    if (!is_key || std::ranges::find(parameters, name.text()) != parameters.end() || !are_key_pairs(inner.items()))
        return std::nullopt;
    for (std::size_t i = 0; i < inner.size; i += 2) {
        if (std::ranges::find(parameters, inner.items()[i].text()) == parameters.end()) return std::nullopt;
    }
    if (inner.size == 0) return std::nullopt;
    return Repair{{{{map.span.begin, inner.span.begin}, ""}, {{inner.span.end, map.span.end}, ""}}, kNamed, map.span};
}

/// (-> 5 (tool/add 6)): the place of the step behind the value, where the error stands; empty when it calls no tool.
Place tool_step_behind(const Place& value) {
    const Form* around = value.around();
    if (!around || !calls(*around, "->") || value.index() + 1 >= around->size) return {};
    const Form& next = around->items()[value.index() + 1];
    Place step = value.outer().inner(next);
    const std::optional<ToolCall> call = tool_call(step);
    return call && call->list == &next ? step : Place();
}

/// (fn [a b] (tool/add {:x a :y b})), for as many arguments as it is given.
Repair function_of_tool(const Form& tool, std::span<const std::string> names) {
    constexpr const char* kLetters[] = {"a", "b", "c"};
    std::string parameters;
    std::string map;
    for (std::size_t i = 0; i < names.size(); ++i) {
        parameters += (i > 0 ? " " : "") + std::string(kLetters[i]);
        map += (i > 0 ? " :" : ":") + names[i] + " " + kLetters[i];
    }
    return replace(tool, "(fn [" + parameters + "] (" + std::string(tool.text()) + " {" + map + "}))", kNamed);
}

/// (map tool/add xs)
Proposal passed_tool(const Code& code, const Place& place) {
    const Form& list = place.form();
    if (!is_call(list)) return std::nullopt;
    for (const Form& argument : list.items().subspan(1)) {
        if (!argument.is(FormKind::Symbol) || !argument.text().starts_with("tool/")) continue;
        const std::vector<std::string> names = parameters_of_tool(code, argument.text().substr(5));
        if (names.empty()) return std::nullopt;
        const std::optional<CallSite> site = call_at(place);
        const std::size_t given = calls(list, "reduce") ? 2 : site ? site->size() - 1 : 1;
        if (given == 0 || given > names.size() || given > 3) return std::nullopt;
        return function_of_tool(argument, std::span(names).first(given));
    }
    return std::nullopt;
}

/// {:x 1} {:x 2}: maps that are no parts of one; the first stays.
Proposal first_map(const Code& code, FormSpan arguments) {
    const bool all_maps = std::ranges::all_of(arguments, [](const Form& f) { return f.is(FormKind::Map); });
    if (!all_maps || arguments.size() < 2) return std::nullopt;
    Repair repair;
    for (const Form& extra : arguments.subspan(1))
        repair.edits.push_back(removal(code, extra));
    repair.hint = kNamed;
    return repair;
}

/// {:x 1 :y 2} :strict
bool has_values_behind(FormSpan arguments, const std::vector<std::string>& parameters) {
    return arguments.size() > 1 && arguments[0].is(FormKind::Map) && are_named(arguments.first(1), parameters) &&
           arguments[0].size > 0;
}

Proposal without_values_behind(const Code& code, FormSpan arguments) {
    Repair repair;
    for (const Form& extra : arguments.subspan(1)) {
        if (extra.kind > FormKind::Keyword) return std::nullopt;
        repair.edits.push_back(removal(code, extra));
    }
    repair.hint = kNamed;
    return repair;
}

/// (tool/add 1 2), (tool/add [1 2]), (tool/add (1 2)), (tool/add :x 1 2)
Proposal unnamed_values(const Code& code, FormSpan arguments, const std::vector<std::string>& parameters) {
    if (parameters.empty() || are_named(arguments, parameters)) return std::nullopt;
    const Form& only = arguments[0];
    const bool are_data = only.is(FormKind::Vector) ||
                          (only.is(FormKind::List) && only.size > 0 && only.items()[0].kind < FormKind::Keyword);
    if (arguments.size() == 1 && are_data) return positional(code, only.items(), parameters, only.span);
    return positional(code, arguments, parameters, {arguments.front().span.begin, arguments.back().span.end});
}

} // namespace

Proposal tool_arguments(const Code& code, const Place& place) {
    const std::optional<ToolCall> call = tool_call(place);
    if (!call) {
        const Place step = tool_step_behind(place);
        return step.empty() ? passed_tool(code, place) : threaded_arguments(code, step, *tool_call(step));
    }
    const FormSpan arguments = call->arguments();
    if (arguments.empty()) return std::nullopt;
    if (Proposal found = no_arguments(code, arguments)) return found;
    if (Proposal found = several_maps(arguments)) return found;
    if (Proposal found = threaded_arguments(code, place, *call)) return found;
    if (Proposal found = keyword_assignments(code, arguments)) return found;
    const std::vector<std::string> parameters = parameters_of_tool(code, call->tool);
    if (Proposal found = bare_names(code, place, arguments, parameters)) return found;
    if (Proposal found = first_map(code, arguments)) return found;
    if (Proposal found = arguments.size() == 1 ? wrapped_arguments(arguments[0], parameters) : std::nullopt)
        return found;
    if (has_values_behind(arguments, parameters)) return without_values_behind(code, arguments);
    return unnamed_values(code, arguments, parameters);
}

Proposal named_tool_list(const Code&, const Place& place) {
    const Form& list = place.form();
    const Form* around = place.around();
    const bool given = around && is_call(*around) && around->size == 2 && around->items()[0].is(FormKind::Symbol) &&
                       around->items()[0].text().starts_with("tool/");
    if (!given || !list.is(FormKind::List) || !are_key_pairs(list.items())) return std::nullopt;
    return Repair{rebracketing(list, "{", "}"), kNamed, {}};
}

Proposal uncalled_tool(const Code& code, const Place& place) {
    const Form* list = &place.form();
    if (list->is(FormKind::Symbol) && list->text().starts_with("tool/"))
        return Repair{wrapping(list->span, "(", ")"), "A tool is called by (tool/name).", {}};
    if (!is_call(*list)) return std::nullopt;
    Repair repair;
    repair.hint = "A tool is called by (tool/name).";
    const FormSpan items = list->items();
    for (std::size_t i = items.size(); i-- > 1;) { // the collection comes last
        if (!items[i].is(FormKind::Symbol) || !items[i].text().starts_with("tool/")) continue;
        if (!wants_function(code, place.inner(items[i]))) {
            repair.edits = wrapping(items[i].span, "(", ")");
            return repair;
        }
    }
    return std::nullopt;
}

// ---- Names of tools

namespace {

/// get-users, getUser: words without their plural.
std::vector<std::string> words_of(std::string_view name) {
    std::vector<std::string> words(1);
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        const bool upper = 'A' <= c && c <= 'Z';
        if (c == '-' || c == '_' || c == '.' || c == '/' || (upper && !words.back().empty())) words.emplace_back();
        if (c != '-' && c != '_' && c != '.' && c != '/')
            words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    for (std::string& word : words) {
        if (word.size() > 3 && word.back() == 's') word.pop_back();
    }
    std::erase(words, "");
    return words;
}

std::string tool_like(const Code& code, std::string_view name) {
    std::vector<std::string_view> names;
    for (const ToolInfo& tool : code.surroundings().tools)
        names.push_back(tool.name);
    const std::vector<std::string> near = suggest(name, names, 1);
    if (!near.empty()) return near.front();
    const std::vector<std::string> wanted = words_of(name);
    std::string best;
    std::size_t most = 0;
    for (const std::string_view candidate : names) {
        std::size_t shared = 0;
        for (const std::string& word : words_of(candidate))
            shared += std::find(wanted.begin(), wanted.end(), word) != wanted.end() ? 1 : 0;
        if (shared > most) {
            most = shared;
            best = candidate;
        }
    }
    return best;
}

/// (tool/call {:name "add" :args {:x 1 :y 2}})
Proposal described_call(const Form& list, const Code& code) {
    if (!is_call(list) || list.size != 2 || !list.items()[1].is(FormKind::Map) || list.items()[1].size != 4)
        return std::nullopt;
    const FormSpan map = list.items()[1].items();
    const Form* tool = nullptr;
    const Form* arguments = nullptr;
    for (std::size_t i = 0; i < 4; i += 2) {
        if (!map[i].is(FormKind::Keyword) && !map[i].is(FormKind::String)) return std::nullopt;
        const bool names = map[i].text() == "name" || map[i].text() == "tool" || map[i].text() == "tool_name";
        if (names && map[i + 1].is(FormKind::String)) tool = &map[i + 1];
        if (!names && map[i + 1].is(FormKind::Map)) arguments = &map[i + 1];
    }
    if (!tool || !arguments || !find_tool(code, tool->text())) return std::nullopt;
    Pieces pieces;
    pieces.text("(tool/" + std::string(tool->text()) + " ").copy(*arguments).text(")");
    return replace(code, list, pieces, "A tool is called by its name: (tool/name {:key value}).");
}

} // namespace

Proposal unknown_tool(const Code& code, const Place& place) {
    const Form& form = place.form();
    if (place.around() && calls(*place.around(), "call") && place.index() == 1 &&
        !form.is(FormKind::String)) { // (call add {..})
        std::string_view name =
            form.is(FormKind::Symbol) || form.is(FormKind::Keyword) ? form.text() : std::string_view();
        if (name.starts_with("tool/")) name.remove_prefix(5);
        if (name.empty() || name.starts_with("data/")) return std::nullopt;
        return replace(form, "\"" + std::string(name) + "\"", "The tool's name is a string: (call \"name\" {..}).");
    }
    if (form.is(FormKind::String)) {
        const std::string name = tool_like(code, form.text());
        return name.empty() ? std::nullopt : Proposal(replace(form, "\"" + name + "\""));
    }
    if (!form.is(FormKind::Symbol)) return std::nullopt;
    std::string_view name = form.text();
    if (name.starts_with("tool/")) name.remove_prefix(5);
    if (name == "return" || name == "fail")
        return replace(form, std::string(name), "It is no tool: (return value), (fail reason).");
    const bool calls_by_name = place.around() && is_call(*place.around()) && place.index() == 0 &&
                               place.around()->size > 1 && place.around()->items()[1].is(FormKind::String);
    if (calls_by_name && (name == "call" || name == "invoke" || name == "run" || name == "execute"))
        return replace(form, "call", "A tool is called by its name: (tool/name {:key value}).");
    if (Proposal found = place.around() ? described_call(*place.around(), code) : std::nullopt) return found;
    const std::string near = tool_like(code, name);
    const auto& data = code.surroundings().data_names;
    const bool is_data = data && std::find(data->begin(), data->end(), name) != data->end();
    if (is_data && place.around() && place.around()->size == 1 && place.around()->is(FormKind::List))
        return replace(*place.around(), "data/" + std::string(name), "Values of the context are read as data/name.");
    return near.empty() ? std::nullopt : Proposal(replace(form, "tool/" + near));
}

// ---- A tool that fails

Proposal tool_failure(const Code& code, const Place& place) {
    const std::optional<ToolCall> call = tool_call(place);
    if (!call || call->arguments().empty()) return std::nullopt;
    const bool is_map = call->arguments()[0].is(FormKind::Map);
    if (!is_map && !call->arguments()[0].is(FormKind::Keyword)) return std::nullopt;
    const FormSpan items = is_map ? call->arguments()[0].items() : call->arguments();
    if (Proposal found = is_map ? std::nullopt : keyword_assignments(code, items)) return found;
    if (!is_map && items.size() == 2 && items[1].is(FormKind::Map) && find_tool(code, call->tool)) { // :args {:x 1}
        Form whole = items[1];
        whole.span.begin = items[0].span.begin;
        whole.first = items.data();
        whole.size = 2;
        if (Proposal found = wrapped_arguments(whole, parameters_of_tool(code, call->tool))) return found;
    }
    const std::vector<std::string> parameters = parameters_of_tool(code, call->tool);
    if (Proposal found = wrapped_arguments(call->arguments()[0], parameters)) return found;
    std::vector<std::string> missing = parameters;
    const auto name_of = [](const Form& key) {
        return key.is(FormKind::Keyword) || key.is(FormKind::String) ? key.text() : std::string_view();
    };
    for (std::size_t i = 0; i < items.size(); i += 2)
        std::erase(missing, std::string(name_of(items[i])));
    Repair repair;
    for (std::size_t i = 0; i < items.size() && !missing.empty(); i += 2) {
        const std::string_view name = name_of(items[i]);
        if (name.empty() || std::find(parameters.begin(), parameters.end(), name) != parameters.end()) continue;
        const std::vector<std::string_view> candidates(missing.begin(), missing.end());
        const std::vector<std::string> near = suggest(name, candidates, 1);
        const std::string chosen = near.empty() ? missing.front() : near.front();
        repair.edits.push_back({items[i].span, ":" + chosen});
        std::erase(missing, chosen);
    }
    if (!repair.edits.empty()) {
        repair.hint = "The arguments of " + std::string(call->tool) + " are named by its signature.";
        return repair;
    }
    for (std::size_t i = 1; i < items.size(); i += 2) {
        const bool number = items[i].is(FormKind::String) && items[i].size > 0 && items[i].size < 16 &&
                            items[i].text().find_first_not_of("0123456789.-") == std::string_view::npos &&
                            items[i].text().find_first_of("0123456789") != std::string_view::npos;
        if (number) repair.edits.push_back({items[i].span, std::string(items[i].text())});
    }
    repair.hint = "Numbers are written without quotes.";
    return repair.edits.empty() ? std::nullopt : Proposal(repair);
}

} // namespace ptc::repair
