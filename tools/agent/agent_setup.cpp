// From the command line to an agent and its mission. Options come from --agent FILE and are overlaid by those of the
// command line, as members of one JSON row that read_agent reads; models are made from their specifications and the
// catalogue.
#include "tools/agent/agent_setup.h"
#include "frontend/try.h"
#include "subagent/agent/whole_file.h"
#include "subagent/engine/invalid_request.h"
#include "tools/agent/agent_parts.h"
#include "tools/run_options.h"
#include <algorithm>
#include <filesystem>

namespace ptc {
namespace {

Result<ModelRegistry> read_registry(const std::vector<std::string>& texts, const ModelCatalog& catalog,
                                    GivenReplies& given) {
    ModelRegistry registry;
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        if (equals == 0 || equals == std::string::npos)
            return invalid_request("--model takes NAME=SPEC, not `" + text + "`.");
        const std::string name = text.substr(0, equals);
        registry[name] = PTC_TRY(read_model(text.substr(equals + 1), catalog, given[name]));
    }
    return registry;
}

/// By the end of a name, where the bytes do not say it.
std::string text_type_of(std::string_view path) {
    constexpr std::pair<std::string_view, std::string_view> kEnds[] = {{".csv", "text/csv"},
                                                                       {".md", "text/markdown"},
                                                                       {".html", "text/html"},
                                                                       {".xml", "text/xml"},
                                                                       {".json", "application/json"}};
    for (const auto& [end, type] : kEnds)
        if (path.ends_with(end)) return std::string(type);
    return {};
}

Result<std::string> read_attached_file(const std::string& option, const std::string& path) {
    Result<std::string> bytes = read_whole_file(path, Attachment::kMaxBytes);
    if (!bytes.ok()) return invalid_request(option + ": " + bytes.error().message);
    return bytes;
}

Datum compaction_row(const AgentArguments& given) {
    std::vector<std::pair<std::string, Datum>> row, trigger;
    if (given.compact_turns) trigger.emplace_back("turns", *given.compact_turns);
    if (given.compact_tokens) trigger.emplace_back("tokens", *given.compact_tokens);
    if (!trigger.empty()) row.emplace_back("trigger", Datum::object(std::move(trigger)));
    if (given.keep_turns) row.emplace_back("keep_recent_turns", *given.keep_turns);
    return Datum::object(std::move(row));
}

/// The model, or it and those that are asked when it fails.
Result<Llm> read_models(const AgentArguments& given, const ModelCatalog& catalog, std::size_t replies) {
    Llm first = PTC_TRY(read_model(given.llm, catalog, replies));
    if (given.fallbacks.empty()) return first;
    std::vector<FallbackModel> models = {{.name = given.llm, .call = std::move(first)}};
    for (const std::string& spec : given.fallbacks)
        models.push_back({.name = spec, .call = PTC_TRY(read_model(spec, catalog))});
    return fallback(std::move(models));
}

} // namespace

void add_agent_options(CommandLine& line, AgentArguments* arguments) {
    line.text("--prompt", &arguments->prompt, "What is to be done; {{name}} stands for data/name");
    line.text("--signature", &arguments->signature, "What must come of it, e.g. '() -> {total :float}' [any value]");
    line.text("--tools", &arguments->tools, "What programs may call").value_name("TOOLS.json");
    add_data_option(line, &arguments->data);
    add_prelude_option(line, &arguments->preludes);
    line.text("--llm", &arguments->llm, "The model").value_name("SPEC");
    line.texts("--fallback", &arguments->fallbacks, "Asked when the model before it fails; can be repeated")
        .value_name("SPEC");
    line.texts("--model", &arguments->models, "Models that tools name; can be repeated").value_name("NAME=SPEC");
    line.text("--models", &arguments->catalog, "Models by names, with addresses, options and prices")
        .value_name("FILE.json");
    line.text("--agent", &arguments->file, "An object of options: prompt, signature, tools, max_turns, ..")
        .value_name("FILE.json");
    line.text("--output", &arguments->output, "ptc_lisp or text [ptc_lisp]");
    line.text("--transport", &arguments->transport,
              "Of programs: content or tool_call (lisp_eval; with --output text for an agent that talks and computes)");
    line.text("--reasoning-effort", &arguments->effort, "none, minimal, low, medium, high or max [the model's own]");
    line.text("--tool-choice", &arguments->tool_choice, "auto, none, required or tool:NAME [auto]");
    line.number("--max-turns", &arguments->max_turns, "Turns of the model [5]")
        .range(std::int64_t{1}, std::int64_t{1'000'000});
    line.number("--retry-turns", &arguments->retry_turns, "Further turns when the last result does not fit [0]")
        .range(std::int64_t{0}, std::int64_t{1'000'000});
    line.number("--turn-budget", &arguments->turn_budget, "Turns of all agents of the mission [20]")
        .range(std::int64_t{1}, std::int64_t{1'000'000});
    line.number("--token-limit", &arguments->token_limit, "Tokens of all models [any]")
        .range(std::int64_t{1}, std::int64_t{1'000'000'000'000});
    line.text("--max-cost-usd", &arguments->max_cost_usd, "What all models may cost, in US dollars [any]")
        .value_name("NUMBER");
    line.number("--compact-turns", &arguments->compact_turns,
                "Cuts the oldest turns from the conversation when there are more [never]")
        .range(std::int64_t{1}, std::int64_t{1'000'000});
    line.number("--compact-tokens", &arguments->compact_tokens, "The same when a request would be longer [never]")
        .range(std::int64_t{1}, std::int64_t{1'000'000'000});
    line.number("--keep-turns", &arguments->keep_turns, "How many of the last turns stay then [6]")
        .range(std::int64_t{1}, std::int64_t{1'000'000});
    line.number("--mission-timeout-ms", &arguments->mission_timeout, "Time of the whole mission [60000]")
        .range(std::int64_t{1}, std::int64_t{1'000'000'000'000});
    add_limit_options(line, &arguments->limits);
}

Result<Datum> agent_row(const AgentArguments& given) {
    Datum::Map row;
    if (!given.file.empty()) row = *PTC_TRY(read_object(given.file)).map();
    return agent_row_over(std::move(row), given);
}

Result<Datum> agent_row_over(Datum::Map row, const AgentArguments& given) {
    const auto has = [&row](std::string_view name) {
        return std::ranges::any_of(row, [name](const auto& member) { return *member.first.text() == name; });
    };
    const auto set = [&row](const char* name, Datum value) {
        std::erase_if(row, [name](const auto& member) { return *member.first.text() == name; });
        row.emplace_back(Datum(name), std::move(value));
    };
    if (!given.prompt.empty()) set("prompt", Datum(given.prompt));
    if (!given.signature.empty()) set("signature", Datum(given.signature));
    if (!given.tools.empty()) set("tools", PTC_TRY(read_object(given.tools)));
    if (!given.output.empty()) set("output", Datum(given.output));
    if (!given.transport.empty()) set("ptc_transport", Datum(given.transport));
    if (!given.effort.empty()) set("reasoning_effort", Datum(given.effort));
    if (!given.journal.empty()) set("journaling", Datum(true));
    if (!given.tool_choice.empty()) set("tool_choice", Datum(given.tool_choice));
    if (!given.max_cost_usd.empty()) {
        Result<Datum> most = Datum::from_json(given.max_cost_usd);
        double dollars = 0;
        if (!most.ok() || !most.value().to_double(&dollars) || dollars < 0)
            return invalid_request("--max-cost-usd takes a number of dollars, not `" + given.max_cost_usd + "`.");
        set("max_cost_usd", std::move(most).value());
    }
    if (given.retry_turns) set("retry_turns", Datum(*given.retry_turns));
    if (given.turn_budget) set("turn_budget", Datum(*given.turn_budget));
    if (given.token_limit) set("token_limit", Datum(*given.token_limit));
    if (given.compact_turns || given.compact_tokens || given.keep_turns) set("compaction", compaction_row(given));
    if (given.max_turns) set("max_turns", Datum(*given.max_turns));
    if (given.mission_timeout) set("mission_timeout", Datum(*given.mission_timeout));
    const bool has_timeout = given.limits.timeout != AgentArguments{}.limits.timeout;
    if (!has("timeout") || has_timeout) set("timeout", Datum(std::int64_t{given.limits.timeout.count()}));
    return Datum(std::move(row));
}

Result<AgentOptions> agent_options_of(const Datum& row, std::vector<PreludeSource> preludes, const Limits& limits,
                                      const PartMakers& makers) {
    AgentOptions options = PTC_TRY(read_agent(row, makers));
    options.preludes = std::move(preludes);
    options.limits = limits;
    return options;
}

Result<std::vector<Attachment>> read_attachments(const AgentArguments& given) {
    std::vector<Attachment> attachments;
    for (const std::string& place : given.images) {
        const bool is_address = place.starts_with("http://") || place.starts_with("https://");
        attachments.push_back(is_address ? Attachment::image_at(place)
                                         : Attachment::image(PTC_TRY(read_attached_file("--image", place))));
    }
    for (const std::string& path : given.files)
        attachments.push_back(Attachment::file(PTC_TRY(read_attached_file("--file", path)),
                                               std::filesystem::path(path).filename().string(), text_type_of(path)));
    PTC_CHECK(check_attachments(attachments));
    return attachments;
}

Result<void> check_prices(const AgentArguments& given, const AgentOptions& options) {
    if (!options.max_cost_usd) return {};
    const ModelCatalog catalog = PTC_TRY(read_catalog(given.catalog));
    std::vector<std::string> specs = {given.llm};
    specs.insert(specs.end(), given.fallbacks.begin(), given.fallbacks.end());
    for (const std::string& text : given.models)
        specs.push_back(text.substr(text.find('=') + 1));
    for (const std::string& spec : specs) {
        if (!catalog.is_spec(spec)) continue;
        const ProviderOptions model = PTC_TRY(catalog.find(spec));
        const bool tells_cost = model.provider == "openrouter";
        const bool is_free = model.provider == "ollama";
        if (!model.prices && !tells_cost && !is_free)
            return invalid_request("`max_cost_usd` cannot hold: the price of `" + spec +
                                   "` is not known. Give its \"prices\" in a file of --models.");
    }
    return {};
}

RetryPolicy script_retry() { return RetryPolicy{.base_delay = std::chrono::milliseconds(1)}; }

Result<MissionOptions> read_mission_options(const AgentArguments& given, GivenReplies& replies) {
    MissionOptions mission;
    const ModelCatalog catalog = PTC_TRY(read_catalog(given.catalog));
    mission.model = ModelRef(PTC_TRY(read_models(given, catalog, replies[""])));
    mission.registry = PTC_TRY(read_registry(given.models, catalog, replies));
    mission.data = PTC_TRY(load_data(given.data));
    if (given.llm.starts_with("script:")) mission.retry = script_retry();
    return mission;
}

} // namespace ptc
