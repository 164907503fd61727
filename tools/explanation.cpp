// From a program's bytecode alone (compiler/bounds). A table of sections pairs each kind of effect with its name in
// JSON and its title in text; both reports walk that table.
#include "tools/explanation.h"
#include "frontend/json_writer.h"
#include "frontend/positions.h"
#include "subagent/engine/engine_impl.h"
#include "subagent/engine/known_data.h"
#include "tools/number_text.h"
#include <unordered_map>

namespace ptc {
namespace {

/// A kind of effect, as the report calls it.
struct Section {
    EffectKind kind;
    const char* json_name;
    const char* title;
    const char* prefix; ///< of the names, as a program writes them
};

constexpr Section kSections[] = {
    {EffectKind::Tool, "tools", "calls tools", "tool/"}, {EffectKind::Data, "data", "reads data", "data/"},
    {EffectKind::Memory, "memory", "reads names", ""},   {EffectKind::History, "history", "reads results", ""},
    {EffectKind::Define, "defines", "defines", ""},      {EffectKind::Print, "prints", "prints", ""},
    {EffectKind::Time, "clock", "reads the clock", ""},  {EffectKind::Mission, "mission", "uses the mission", ""},
};

std::string position_text(const Positions& positions, Span span) {
    const LineColumn at = positions.of(span.begin);
    return std::to_string(at.line) + ":" + std::to_string(at.column);
}

// ---- Text

/// "search 3:5, 7:2  lookup 4:1": each name once, with all its places.
std::string sites_text(const Positions& positions, const Effects& effects, const Section& section) {
    std::vector<std::pair<std::string, std::string>> names;
    std::unordered_map<std::string, std::size_t> places_of;
    for (const EffectSite& site : effects.sites) {
        if (site.kind != section.kind) continue;
        const std::string name = site.name.empty() ? "all of it" : section.prefix + site.name;
        const auto [known, is_new] = places_of.try_emplace(name, names.size());
        if (is_new)
            names.emplace_back(name, position_text(positions, site.span));
        else
            names[known->second].second += ", " + position_text(positions, site.span);
    }
    std::string text;
    for (const auto& [name, places] : names)
        text += (text.empty() ? "" : "; ") + name + " (" + places + ")";
    return text;
}

std::string line(std::string title, const std::string& text) {
    title.resize(std::max<std::size_t>(title.size(), 18), ' ');
    return title + text + "\n";
}

/// "f/2", "f/1-3", "f/1+": how many arguments it takes.
std::string signature(const DefinedFunction& function) {
    const std::string least = std::to_string(function.least_arguments);
    if (!function.most_arguments) return function.name + "/" + least + "+";
    if (*function.most_arguments == function.least_arguments) return function.name + "/" + least;
    return function.name + "/" + least + "-" + std::to_string(*function.most_arguments);
}

// ---- JSON

JsonObject place(const Positions& positions, JsonObject json, Span span) {
    const LineColumn at = positions.of(span.begin);
    json.number("line", at.line).number("column", at.column).number("offset", span.begin).number("length", span.size());
    return json;
}

} // namespace

Explanation explain(const Program& program, const std::vector<std::shared_ptr<const DataSet>>& data) {
    return {effects_of(program), fuel_bound(program, known_data(data)), program.source};
}

std::string explanation_text(const Explanation& explanation) {
    const Positions positions(explanation.source);
    std::string text;
    for (const Section& section : kSections) {
        const std::string sites = sites_text(positions, explanation.effects, section);
        if (!sites.empty()) text += line(section.title, sites);
    }
    std::string functions;
    for (const DefinedFunction& function : explanation.effects.functions)
        functions += (functions.empty() ? "" : "; ") + signature(function) + " (" +
                     position_text(positions, function.span) + ")";
    if (!functions.empty()) text += line("functions", functions);
    const FuelBound& fuel = explanation.fuel;
    if (fuel.units) return text + line("fuel", "at most " + grouped_text(*fuel.units));
    return text + line("fuel", "no bound is known: " + position_text(positions, fuel.span) + ": " + fuel.why);
}

std::string explanation_json(const Explanation& explanation) {
    const Positions positions(explanation.source);
    JsonObject json;
    bool is_deterministic = true;
    for (const Section& section : kSections) {
        std::vector<const EffectSite*> sites;
        for (const EffectSite& site : explanation.effects.sites) {
            if (site.kind == section.kind) sites.push_back(&site);
        }
        const bool varies =
            section.kind == EffectKind::Time || section.kind == EffectKind::Mission || section.kind == EffectKind::Tool;
        if (varies && !sites.empty()) is_deterministic = false;
        json.raw(
            section.json_name, json_array(sites, [&](const EffectSite* site) {
                return place(positions, std::move(JsonObject().text_or_null("name", site->name)), site->span).finish();
            }));
    }
    json.raw("functions", json_array(explanation.effects.functions, [&](const DefinedFunction& function) {
                 JsonObject entry;
                 entry.text("name", function.name).number("least_arguments", function.least_arguments);
                 if (function.most_arguments) entry.number("most_arguments", *function.most_arguments);
                 return place(positions, std::move(entry), function.span).finish();
             }));
    json.boolean("deterministic", is_deterministic);
    JsonObject fuel;
    if (explanation.fuel.units) {
        fuel.number("bound", *explanation.fuel.units);
    } else {
        fuel.raw("bound", "null").text("why", explanation.fuel.why);
        fuel = place(positions, std::move(fuel), explanation.fuel.span);
    }
    json.raw("fuel", fuel.finish());
    return json.finish();
}

} // namespace ptc
