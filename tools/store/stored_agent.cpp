// Agents and missions as a store has them. What plays a script (a model's list of replies, a tool's "seq") has a
// position, which belongs to the mission: after a crash it is where the journal of the mission says, so that a mission
// that is carried twice has the same replies as one that is carried once. Lists of replies that tools have as models
// become models of the mission's registry for that, and an agent with a "seq" is made anew for each mission.
//
// Programs (`cmd`) answer one request after the other, so there is a process of each for each call under way: missions
// share them, and none has one of its own.
#include "tools/store/stored_agent.h"
#include "frontend/try.h"
#include "ptc/providers.h"
#include "ptc/version.h"
#include "subagent/agent/firewall.h"
#include "subagent/engine/invalid_request.h"
#include "subagent/store/payload.h"
#include "tools/agent/agent_parts.h"
#include "tools/agent/agent_setup.h"
#include "tools/agent/external.h"
#include "tools/agent/program_pool.h"
#include "tools/agent/script.h"
#include "tools/members.h"
#include "tools/run_options.h"
#include <algorithm>
#include <filesystem>
#include <functional>

namespace ptc {
namespace {

constexpr std::int64_t kFormat = 1;
constexpr std::size_t kFewestIdle = 64;  ///< processes of programs that are kept, whatever --calls is
constexpr std::size_t kMostAgents = 256; ///< that are kept, and data sets
constexpr std::string_view kCommand = "cmd:";
constexpr const char* kMissionMembers[] = {"llm", "fallbacks", "models"};

bool is_mission_member(std::string_view name) {
    return std::ranges::find(kMissionMembers, name) != std::end(kMissionMembers);
}

std::vector<std::string> texts_in(const Datum& row, const char* member) {
    std::vector<std::string> texts;
    for (const Datum& item : items_of(row, member)) {
        if (item.text()) texts.push_back(*item.text());
    }
    return texts;
}

/// "models" of an agent's file: {"NAME": SPEC}.
std::vector<std::string> assignments_in(const Datum& row, const char* member) {
    std::vector<std::string> texts;
    const Datum* found = row.find(member);
    if (!found || !found->map()) return texts_in(row, member);
    for (const auto& [name, spec] : *found->map()) {
        if (spec.text()) texts.push_back(*name.text() + "=" + *spec.text());
    }
    return texts;
}

Datum::List preludes_as_data(const std::vector<PreludeSource>& preludes) {
    Datum::List out;
    for (const PreludeSource& prelude : preludes)
        out.push_back(Datum::object({{"name", prelude.file_name}, {"text", prelude.text}}));
    return out;
}

Datum messages_as_data(const std::vector<Message>& messages) {
    Datum::List out;
    for (const Message& message : messages)
        out.push_back(Datum::object({{"role", std::string(role_name(message.role))}, {"content", message.content}}));
    return Datum(std::move(out));
}

std::vector<Message> messages_in(const Datum& row, const char* member) {
    std::vector<Message> out;
    for (const Datum& one : items_of(row, member)) {
        Message message;
        message.role = text_of(one, "role") == "assistant" ? Message::Role::Assistant : Message::Role::User;
        message.content = text_of(one, "content");
        out.push_back(std::move(message));
    }
    return out;
}

// ---- Where programs and files are

std::string quoted_for_shell(const std::string& text) {
    std::string out = "'";
    for (const char c : text)
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out += "'";
}

/// A command that runs in `folder`; where that is missing, names relative to it are found nowhere.
Datum in_folder(const Datum& command, const std::string& folder) {
    if (folder.empty()) return command;
    const std::string go = "cd " + quoted_for_shell(folder) + " 2>/dev/null || cd /; ";
    if (command.text()) return Datum(go + *command.text());
    if (!command.list()) return command;
    Datum::List words = {Datum("/bin/sh"), Datum("-c"), Datum(go + "exec \"$@\""), Datum("sh")};
    words.insert(words.end(), command.list()->begin(), command.list()->end());
    return Datum(std::move(words));
}

std::string spec_in_folder(const std::string& spec, const std::string& folder) {
    constexpr std::string_view kScript = "script:";
    if (folder.empty()) return spec;
    if (spec.starts_with(kScript))
        return std::string(kScript) + (std::filesystem::path(folder) / spec.substr(kScript.size())).string();
    if (spec.starts_with(kCommand))
        return std::string(kCommand) + *in_folder(Datum(spec.substr(kCommand.size())), folder).text();
    return spec;
}

// ---- Rows

/// `value` with `change` made to every map in it, the inner ones first.
Datum rewritten(const Datum& value, const std::function<void(Datum::Map&)>& change) {
    if (const Datum::List* items = value.list()) {
        Datum::List out;
        for (const Datum& item : *items)
            out.push_back(rewritten(item, change));
        return Datum(std::move(out));
    }
    if (!value.map()) return value;
    Datum::Map out;
    for (const auto& [key, member] : *value.map())
        out.emplace_back(key, rewritten(member, change));
    change(out);
    return Datum(std::move(out));
}

Datum* member_of(Datum::Map& map, std::string_view name) {
    const auto found =
        std::ranges::find_if(map, [&](const auto& one) { return one.first.text() && *one.first.text() == name; });
    return found == map.end() ? nullptr : &found->second;
}

/// An agent's row without what belongs to its missions, and with its programs where they are.
Datum agent_part(const Datum& row, const std::string& folder) {
    Datum::Map own;
    for (const auto& [key, value] : *row.map()) {
        if (!is_mission_member(*key.text())) own.emplace_back(key, value);
    }
    return rewritten(Datum(std::move(own)), [&](Datum::Map& map) {
        if (Datum* command = member_of(map, "cmd")) *command = in_folder(*command, folder);
    });
}

/// Takes lists of replies out of the tools: their models' names stand in their place.
Datum without_replies(const Datum& row, std::map<std::string, Datum::List>& replies) {
    return rewritten(row, [&](Datum::Map& map) {
        Datum* const llm = member_of(map, "llm");
        if (!llm || !llm->list()) return;
        const std::string name = "replies " + std::to_string(replies.size() + 1);
        replies.emplace(name, *llm->list());
        *llm = Datum(name);
    });
}

bool has_sequence(const Datum& row) {
    bool found = false;
    (void)rewritten(row, [&](Datum::Map& map) { found |= member_of(map, "seq") != nullptr; });
    return found;
}

using Counts = std::map<std::string, std::size_t>;

/// The tools' sequences without what they gave already.
Datum without_given(const Datum& row, const Counts& given) {
    const std::function<Datum(const std::string&, const Datum&)> cut = [&](const std::string& name, const Datum& tool) {
        const auto count = given.find(name);
        if (count == given.end()) return tool;
        return rewritten(tool, [&](Datum::Map& map) {
            Datum* const sequence = member_of(map, "seq");
            if (!sequence || !sequence->list() || sequence->list()->empty()) return;
            Datum::List left = *sequence->list();
            left.erase(left.begin(),
                       left.begin() + static_cast<std::ptrdiff_t>(std::min(count->second, left.size() - 1)));
            *sequence = Datum(std::move(left));
        });
    };
    return rewritten(row, [&](Datum::Map& map) {
        Datum* const tools = member_of(map, "tools");
        if (!tools || !tools->map()) return;
        Datum::Map out;
        for (const auto& [name, tool] : *tools->map())
            out.emplace_back(name, cut(*name.text(), tool));
        *tools = Datum(std::move(out));
    });
}

// ---- Calls that are answered elsewhere

using ToolRows = std::map<std::string, Datum>;

/// The tools of an agent and of those that it calls; not of missions that it begins.
void for_each_tool(const Datum& agent, const std::function<void(const std::string& name, const Datum& tool)>& visit) {
    const Datum* const tools = agent.find("tools");
    if (!tools || !tools->map()) return;
    for (const auto& [key, tool] : *tools->map()) {
        visit(*key.text(), tool);
        for (const char* inner : {"agent", "llm_tool"})
            if (const Datum* found = tool.find(inner)) for_each_tool(*found, visit);
    }
}

bool is_elsewhere(const Datum& tool) { return tool.find("mission") || is_true(tool.find("outside")); }

/// The rows of tools that are answered elsewhere, of the agent and of those that it calls. All tools with such a name
/// are one: calls say nothing but names.
Result<ToolRows> rows_elsewhere(const Datum& agent) {
    ToolRows all, elsewhere;
    std::optional<Error> problem;
    for_each_tool(agent, [&](const std::string& name, const Datum& tool) {
        const auto [known, is_new] = all.try_emplace(name, tool);
        if (!is_new && known->second != tool && (is_elsewhere(tool) || is_elsewhere(known->second)))
            problem = invalid_request("There are two tools `" + name + "`, of which one is answered elsewhere.");
        if (is_elsewhere(tool)) elsewhere.emplace(name, tool);
    });
    if (problem) return *problem;
    return elsewhere;
}

/// Whether the programs of its tools are here, as far as that is plain to see.
Result<void> check_programs(const Datum& agent, const std::string& folder) {
    Result<void> found;
    for_each_tool(agent, [&](const std::string&, const Datum& tool) {
        const Datum* const command = tool.find("cmd");
        if (found.ok() && command) found = check_program(*command, folder);
    });
    return found;
}

Result<void> check_program_of_model(const std::string& spec, const std::string& folder) {
    return spec.starts_with(kCommand) ? check_program(Datum(spec.substr(kCommand.size())), folder) : Result<void>();
}

/// What a stored agent says.
struct AgentText {
    Datum row;
    std::vector<PreludeSource> preludes{};
    Limits limits = AgentArguments{}.limits;
};

Result<AgentText> read_stored_agent(std::string_view content) {
    const Result<Datum> json = Datum::from_json(content);
    if (!json.ok() || integer_of(json.value(), "format") != kFormat || !json.value().find("agent") ||
        !json.value().find("agent")->map())
        return invalid_request("The agent in the store was written by another version of ptcc, or by another program.");
    AgentText agent{.row = *json.value().find("agent")};
    for (const Datum& prelude : items_of(json.value(), "preludes"))
        agent.preludes.push_back({text_of(prelude, "name"), text_of(prelude, "text")});
    if (const Datum* limits = json.value().find("limits")) PTC_CHECK(read_limits(*limits, &agent.limits));
    return agent;
}

std::string write_agent(const Datum& row, const std::vector<PreludeSource>& preludes, const Limits& limits) {
    return Datum::object({{"format", kFormat},
                          {"agent", row},
                          {"preludes", Datum(preludes_as_data(preludes))},
                          {"limits", limits_as_data(limits)}})
        .to_json();
}

/// The agent of a tool whose calls are missions: with its model, and with what the agent that calls it has.
std::string agent_of_mission(const AgentText& caller, const Datum& tool) {
    Datum::Map row = *tool.find("mission")->map();
    if (const Datum* llm = tool.find("llm")) row.emplace_back("llm", *llm);
    return write_agent(Datum(std::move(row)), caller.preludes, caller.limits);
}

Result<AgentPtr> make_agent(const AgentText& text, const Datum& row, std::shared_ptr<ProgramPool> pool) {
    return Agent::create(PTC_TRY(
        agent_options_of(row, text.preludes, text.limits, command_line_parts(text.limits.timeout, std::move(pool)))));
}

bool is_scripted(const std::string& spec) { return spec.starts_with("script:"); }

} // namespace

Result<std::string> stored_agent(const AgentArguments& arguments) {
    const Datum row = PTC_TRY(agent_row(arguments));
    const std::vector<PreludeSource> preludes = PTC_TRY(load_preludes(arguments.preludes));
    return write_agent(row, preludes, arguments.limits);
}

std::string stored_agent_name(const AgentArguments& arguments) {
    const std::string stem = std::filesystem::path(arguments.file).stem().string();
    return stem.empty() ? "agent" : stem;
}

std::string write_stored_context(const StoredContext& context) {
    std::vector<std::pair<std::string, Datum>> out = {{"format", kFormat}};
    if (!context.context.is_nil()) out.emplace_back("context", context.context);
    if (!context.data.empty()) {
        std::vector<std::pair<std::string, Datum>> data;
        for (const auto& [name, digest] : context.data)
            data.emplace_back(name, digest);
        out.emplace_back("data", Datum::object(std::move(data)));
    }
    if (!context.llm.empty()) out.emplace_back("llm", context.llm);
    if (!context.fallbacks.empty()) out.emplace_back("fallbacks", Datum::texts(context.fallbacks));
    if (!context.models.empty()) out.emplace_back("models", Datum::texts(context.models));
    if (!context.catalog.empty()) out.emplace_back("catalog", context.catalog);
    if (!context.folder.empty()) out.emplace_back("folder", context.folder);
    if (!context.user_message.empty()) out.emplace_back("user_message", context.user_message);
    if (!context.history.empty()) out.emplace_back("history", messages_as_data(context.history));
    return Datum::object(std::move(out)).to_json();
}

Result<StoredContext> read_stored_context(std::string_view text) {
    const Result<Datum> json = Datum::from_json(text);
    if (!json.ok() || integer_of(json.value(), "format") != kFormat)
        return invalid_request(
            "The mission in the store was written by another version of ptcc, or by another program.");
    const Datum& row = json.value();
    StoredContext context;
    if (const Datum* given = row.find("context")) context.context = *given;
    if (const Datum* data = row.find("data"); data && data->map()) {
        for (const auto& [name, digest] : *data->map())
            context.data.emplace(*name.text(), digest.text() ? *digest.text() : "");
    }
    context.llm = text_of(row, "llm");
    context.fallbacks = texts_in(row, "fallbacks");
    context.models = texts_in(row, "models");
    context.catalog = text_of(row, "catalog");
    context.folder = text_of(row, "folder");
    context.user_message = text_of(row, "user_message");
    context.history = messages_in(row, "history");
    return context;
}

// ---- Making

/// The models that a mission's names mean, with their addresses and keys: its own affair, so that a model is shared by
/// missions with the same catalogue only.
struct Catalog {
    ModelCatalog models;
    std::string digest; ///< of the mission's own; "" for the one that is built in
};

struct StoredAgents::Impl {
    std::shared_ptr<MissionStore> store;
    std::string usual_llm;
    std::shared_ptr<ProgramPool> programs;
    std::mutex mutex; ///< of all that follows
    std::map<std::string, AgentText> texts;
    std::map<std::string, AgentPtr> agents;
    std::map<std::string, Llm> models;
    std::map<std::string, std::shared_ptr<const DataSet>> data;

    Result<AgentText> text_of_agent(const AgentVersion& version);
    Result<AgentPtr> agent(const ClaimedMission& mission, const AgentText& text, const Datum& row,
                           const std::string& folder);
    Result<Llm> model(const std::string& spec, const Catalog& catalog, std::size_t given);
    Result<std::shared_ptr<const DataSet>> data_set(const std::string& name, const std::string& digest);
    /// Of a call of a tool that has a mission of its own.
    Result<NewMission> child(const AgentText& caller, const Datum& tool, const StoredContext& context,
                             const ToolNeed& need);
};

Result<AgentText> StoredAgents::Impl::text_of_agent(const AgentVersion& version) {
    {
        const std::scoped_lock lock(mutex);
        if (const auto known = texts.find(version.digest); known != texts.end()) return known->second;
    }
    AgentText text = PTC_TRY(read_stored_agent(version.content));
    const std::scoped_lock lock(mutex);
    if (texts.size() >= kMostAgents) texts.clear();
    return texts.emplace(version.digest, std::move(text)).first->second;
}

/// Missions of the same folder share it.
Result<AgentPtr> StoredAgents::Impl::agent(const ClaimedMission& mission, const AgentText& text, const Datum& row,
                                           const std::string& folder) {
    const std::string key = mission.agent.digest + " " + folder;
    {
        const std::scoped_lock lock(mutex);
        if (const auto known = agents.find(key); known != agents.end()) return known->second;
    }
    AgentPtr made = PTC_TRY(make_agent(text, row, programs));
    const std::scoped_lock lock(mutex);
    if (agents.size() >= kMostAgents) agents.clear();
    return agents.emplace(key, std::move(made)).first->second;
}

Result<Llm> StoredAgents::Impl::model(const std::string& spec, const Catalog& catalog, std::size_t given) {
    if (is_scripted(spec)) return read_model(spec, catalog.models, given); // its position is the mission's
    const std::string key = catalog.digest + " " + spec;
    const std::scoped_lock lock(mutex);
    if (const auto known = models.find(key); known != models.end()) return known->second;
    Llm made = PTC_TRY(read_model(spec, catalog.models, 0, programs));
    if (models.size() >= kMostAgents) models.clear();
    models.emplace(key, made);
    return made;
}

Result<std::shared_ptr<const DataSet>> StoredAgents::Impl::data_set(const std::string& name,
                                                                    const std::string& digest) {
    const std::string key = digest + " " + name;
    {
        const std::scoped_lock lock(mutex);
        if (const auto known = data.find(key); known != data.end()) return known->second;
    }
    const std::optional<std::string> bytes = PTC_TRY(store->data(digest));
    if (!bytes) return invalid_request("The store has no data with the digest " + digest + ".");
    std::shared_ptr<const DataSet> made = PTC_TRY(DataSet::from_json(name, *bytes));
    const std::scoped_lock lock(mutex);
    if (data.size() >= kMostAgents) data.clear();
    return data.emplace(key, std::move(made)).first->second;
}

StoredAgents::StoredAgents(std::shared_ptr<MissionStore> store, std::string usual_llm, std::size_t calls)
    : impl_(std::make_unique<Impl>()) {
    impl_->programs =
        std::make_shared<ProgramPool>(ProgramPool::Bounds{.at_work = calls, .idle = std::max(calls, kFewestIdle)});
    impl_->store = std::move(store);
    impl_->usual_llm = std::move(usual_llm);
}
StoredAgents::~StoredAgents() = default;

namespace {

/// The models of a mission: its own, else the agent's.
struct Models {
    bool is_usual = false; ///< `llm` is the worker's
    std::string llm;
    const Datum::List* replies = nullptr; ///< instead of `llm`
    std::vector<std::string> fallbacks;
    std::vector<std::string> named;
};

Models models_of(const Datum& row, const StoredContext& context, const std::string& usual) {
    Models models{.llm = context.llm, .fallbacks = context.fallbacks, .named = assignments_in(row, "models")};
    const Datum* own = row.find("llm");
    if (models.llm.empty() && own && own->list()) models.replies = own->list();
    if (models.llm.empty() && own && own->text()) models.llm = *own->text();
    models.is_usual = models.llm.empty() && !models.replies;
    if (models.is_usual) models.llm = usual;
    if (models.fallbacks.empty()) models.fallbacks = texts_in(row, "fallbacks");
    models.named.insert(models.named.end(), context.models.begin(), context.models.end()); // these win
    return models;
}

/// How many calls of models and tools a mission got answers to, by names.
struct Given {
    Counts replies, results;
};

Result<Given> given_in(MissionStore& store, const ClaimedMission& mission) {
    Given given;
    if (mission.snapshot.empty()) return given;
    for (const StoredCall& call : PTC_TRY(store.calls(mission.id))) {
        if (call.answered == 0) continue; // a model's answer that was taken may be in the snapshot alone
        if (call.kind == StoredCall::Kind::ModelCall) ++given.replies[call.name];
        if (call.kind == StoredCall::Kind::ToolCall) ++given.results[call.name];
    }
    return given;
}

Datum::List rest_of(Datum::List replies, std::size_t given) {
    replies.erase(replies.begin(), replies.begin() + static_cast<std::ptrdiff_t>(std::min(given, replies.size())));
    for (Datum& reply : replies) {
        if (reply.text()) reply = Datum::object({{"text", reply}});
    }
    return replies;
}

Result<Catalog> catalog_of(const StoredContext& context) {
    if (context.catalog.empty()) return Catalog{ModelCatalog::builtin(), ""};
    return Catalog{PTC_TRY(ModelCatalog::from_json(context.catalog)), sha256(context.catalog)};
}

} // namespace

/// It has the models, the folder and the agent's preludes of the mission that calls it, and none of its data.
Result<NewMission> StoredAgents::Impl::child(const AgentText& caller, const Datum& tool, const StoredContext& context,
                                             const ToolNeed& need) {
    const std::string content = agent_of_mission(caller, tool);
    StoredContext own{
        .context = need.arguments, .models = context.models, .catalog = context.catalog, .folder = context.folder};
    if (!tool.find("llm")) {
        own.llm = context.llm.empty() ? text_of(caller.row, "llm") : context.llm;
        own.fallbacks = context.fallbacks;
    }
    return NewMission{.agent_digest = PTC_TRY(store->put_agent(need.tool->name, content)),
                      .context = write_stored_context(own)};
}

Result<Runnable> StoredAgents::make(const ClaimedMission& mission) {
    std::optional<Error> not_here;
    Result<Runnable> made = make_here(mission, not_here);
    if (!made.ok() && not_here) return Runnable{.not_here = std::move(not_here)};
    return made;
}

/// `not_here`: a model of the catalogue that this process has no key for, or no address, is the worker's matter, and so
/// is a program that it does not have.
Result<Runnable> StoredAgents::make_here(const ClaimedMission& mission, std::optional<Error>& not_here) {
    const AgentText text = PTC_TRY(impl_->text_of_agent(mission.agent));
    const StoredContext context = PTC_TRY(read_stored_context(mission.context));
    const Models models = models_of(text.row, context, impl_->usual_llm);
    std::map<std::string, Datum::List> replies;
    Datum row = without_replies(agent_part(text.row, context.folder), replies);
    const bool has_position = has_sequence(row);
    const auto is_script = [](const std::string& named) { return named.find("=script:") != std::string::npos; };
    const bool is_played = has_position || models.replies || is_scripted(models.llm) || !replies.empty() ||
                           std::ranges::any_of(models.named, is_script);
    const Given given = is_played ? PTC_TRY(given_in(*impl_->store, mission)) : Given();
    const auto replies_given = [&](const std::string& name) {
        const auto count = given.replies.find(name);
        return count == given.replies.end() ? std::size_t{0} : count->second;
    };

    const auto is_here = [&](Result<void> program) {
        if (!program.ok()) not_here = program.error();
        return program;
    };
    PTC_CHECK(is_here(check_programs(text.row, context.folder)));

    Runnable made;
    made.agent = has_position ? PTC_TRY(make_agent(text, without_given(row, given.results), impl_->programs))
                              : PTC_TRY(impl_->agent(mission, text, row, context.folder));
    const Catalog catalog = PTC_TRY(catalog_of(context));
    const auto model = [&](const std::string& spec, std::size_t from) {
        const bool is_workers = models.is_usual && spec == models.llm; // its folder is where the worker was started
        const std::string folder = is_workers ? "" : context.folder;
        if (const Result<void> here = is_here(check_program_of_model(spec, folder)); !here.ok())
            return Result<Llm>(here.error());
        Result<Llm> found = impl_->model(spec_in_folder(spec, folder), catalog, from);
        if (!found.ok() && catalog.models.is_spec(spec) && catalog.models.find(spec).ok()) not_here = found.error();
        return found;
    };
    MissionOptions& options = made.options;
    if (models.replies) options.model = ModelRef(scripted_llm(rest_of(*models.replies, replies_given(""))));
    if (!models.llm.empty()) {
        Llm first = PTC_TRY(model(models.llm, replies_given("")));
        std::vector<FallbackModel> all = {{.name = models.llm, .call = first}};
        for (const std::string& spec : models.fallbacks)
            all.push_back({.name = spec, .call = PTC_TRY(model(spec, 0))});
        options.model = ModelRef(all.size() == 1 ? std::move(first) : fallback(std::move(all)));
    }
    for (const std::string& named : models.named) {
        const std::string name = named.substr(0, named.find('='));
        options.registry[name] =
            PTC_TRY(model(named.substr(std::min(named.size(), name.size() + 1)), replies_given(name)));
    }
    for (auto& [name, list] : replies)
        options.registry[name] = scripted_llm(rest_of(std::move(list), replies_given(name)));
    if (is_played) {
        options.retry = script_retry();
        made.backoff = Millis64(1);
        made.longest_backoff = Millis64(50);
    }
    if (!context.context.is_nil()) options.context = context.context;
    for (const auto& [name, digest] : context.data)
        options.data.push_back(PTC_TRY(impl_->data_set(name, digest)));
    options.user_message = context.user_message;
    options.history = context.history;
    ToolRows elsewhere = PTC_TRY(rows_elsewhere(text.row));
    if (elsewhere.empty()) return made;
    made.elsewhere = [impl = impl_.get(), rows = std::move(elsewhere), text, context, queue = mission.queue,
                      tenant = mission.tenant,
                      priority = mission.priority](const ToolNeed& need) -> Result<std::optional<Elsewhere>> {
        const auto tool = rows.find(need.tool->name);
        if (tool == rows.end()) return std::optional<Elsewhere>();
        Elsewhere answered;
        if (tool->second.find("within_ms")) answered.at_most = Millis64(integer_of(tool->second, "within_ms"));
        if (!tool->second.find("mission")) return std::optional(answered);
        NewMission child = PTC_TRY(impl->child(text, tool->second, context, need));
        child.queue = queue;
        child.tenant = tenant;
        child.priority = priority;
        answered.child = std::move(child);
        return std::optional(std::move(answered));
    };
    return made;
}

Result<AgentPtr> StoredAgents::check(const std::string& agent, const StoredContext& context) {
    const AgentText text = PTC_TRY(read_stored_agent(agent));
    PTC_CHECK(rows_elsewhere(text.row));
    std::map<std::string, Datum::List> replies;
    // Programs are looked for from here, where a missing one is seen at once.
    AgentPtr made = PTC_TRY(make_agent(text, without_replies(agent_part(text.row, ""), replies), nullptr));
    const ModelCatalog catalog = PTC_TRY(catalog_of(context)).models;
    const Models models = models_of(text.row, context, "");
    std::vector<std::string> specs = models.fallbacks;
    if (!models.llm.empty()) specs.push_back(models.llm);
    for (const std::string& named : models.named)
        specs.push_back(named.substr(std::min(named.size(), named.find('=') + 1)));
    for (const std::string& spec : specs) {
        // Keys are the worker's: a provider's model need not be callable here.
        if (catalog.is_spec(spec))
            PTC_CHECK(catalog.find(spec));
        else
            PTC_CHECK(read_model(spec, catalog));
    }
    return made;
}

Result<std::vector<std::pair<std::string, std::string>>> StoredAgents::agents_of_missions(const std::string& agent) {
    std::vector<std::pair<std::string, std::string>> all;
    const AgentText text = PTC_TRY(read_stored_agent(agent));
    for (const auto& [name, tool] : PTC_TRY(rows_elsewhere(text.row))) {
        if (!tool.find("mission")) continue;
        const std::string content = agent_of_mission(text, tool);
        all.emplace_back(name, content);
        std::ranges::move(PTC_TRY(agents_of_missions(content)), std::back_inserter(all));
    }
    return all;
}

std::vector<std::string> StoredAgents::signatures_of(const std::string& agent, const std::string& tool) {
    const Result<AgentText> text = read_stored_agent(agent);
    std::vector<std::string> signatures;
    if (!text.ok()) return signatures;
    (void)rewritten(text.value().row, [&](Datum::Map& map) {
        const Datum* const tools = member_of(map, "tools");
        const Datum* const found = tools ? tools->find(tool) : nullptr;
        if (!found) return;
        const Datum* const called = found->find("agent") ? found->find("agent") : found->find("mission");
        signatures.push_back(text_of(called ? *called : *found, "signature"));
    });
    return signatures;
}

bool StoredAgents::has_model(const std::string& agent, const StoredContext& context) {
    const Result<AgentText> text = read_stored_agent(agent);
    if (!text.ok()) return false;
    const Models models = models_of(text.value().row, context, "");
    return models.replies || !models.llm.empty();
}

namespace {

bool has_firewalled_names(const std::string& text) {
    const Result<SignaturePtr> compiled = compile_signature(text);
    if (!compiled.ok()) return false;
    const Signature& signature = signature_of(*compiled.value());
    const auto is_hidden = [](const Type& type) { return !firewalled_paths(type).empty(); };
    return is_hidden(signature.returns) || std::ranges::any_of(signature.params, [&](const auto& parameter) {
               return is_firewalled(parameter.name) || is_hidden(parameter.type);
           });
}

} // namespace

bool StoredAgents::has_firewalled(const std::string& agent, const StoredContext& context) {
    if (public_view(context.context) != context.context) return true;
    const Result<AgentText> text = read_stored_agent(agent);
    if (!text.ok()) return false;
    bool found = false;
    (void)rewritten(text.value().row, [&](Datum::Map& map) {
        const Datum* const signature = member_of(map, "signature");
        found = found || (signature && signature->text() && has_firewalled_names(*signature->text()));
    });
    return found;
}

} // namespace ptc
