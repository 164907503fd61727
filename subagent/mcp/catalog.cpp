// What servers list becomes what programs call. A file of a catalogue is JSON: {"format": 1, "servers": {NAME:
// [{"name", "description", "inputSchema", "outputSchema"?, "learnt"?}]}, "apart": {NAME: [{"name", "learnt",
// "missed"?}]}}, where the names are the servers' own and `learnt` is a type (learnt_types.h); `apart` is of tools that
// are not there. What it says is read like what a server says: nothing in it is trusted.
#include "subagent/mcp/catalog.h"
#include "frontend/json_writer.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "frontend/utf8.h"
#include "frontend/visible_text.h"
#include "ptc/schema_reader.h"
#include "runtime/signature/field_names.h"
#include "runtime/signature/malli.h"
#include "subagent/mcp/json_parts.h"
#include "subagent/mcp/kept_file.h"
#include "subagent/mcp/learnt_types.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <set>
#include <sys/stat.h>

namespace ptc::mcp {
namespace {

constexpr std::size_t kMostDescription = 300;
constexpr std::size_t kMostInFull = 2000;          ///< bytes of a description whose beginning alone prompts show
constexpr std::size_t kMostOfParameter = 300;      ///< bytes that are said of a parameter
constexpr std::size_t kMostDetails = 6000;         ///< bytes of details, for one tool
constexpr std::size_t kMostDetailsOfAll = 8 << 20; ///< of a server
constexpr int kMostLevels = 3;                     ///< of parameters within parameters
constexpr std::size_t kMostNameBytes = 120;
constexpr std::size_t kMostSignature = 16u << 10; ///< of one tool in a prompt
constexpr std::size_t kMostLearnt = 1500;
constexpr std::size_t kMostApart = 1000;    ///< types of tools that are not there, of a server
constexpr std::size_t kMostMissed = 20;     ///< clients for which they are kept
constexpr std::size_t kMostLeftOut = 10;    ///< names in a notice
constexpr std::size_t kMostWeakened = 2000; ///< parameters that are looked at one by one
constexpr const char* kResult = "the result";
constexpr std::size_t kMostSchemas = std::size_t{4} << 20; ///< bytes of signatures that a server's schemas may say
constexpr std::size_t kMostFileBytes = std::size_t{256} << 20;
constexpr std::string_view kFormat = "1"; ///< of the file

/// Anything, or nothing where the type allows that.
Type opened(const Type& type) {
    Type any(TypeKind::Any);
    any.is_optional = type.is_optional;
    return any;
}

bool holds(const std::string& text) { return text.size() <= kMostSignature && compile_signature(text).ok(); }

/// A parameter of a signature, or its result, that holds by itself.
struct Part {
    Type* type;
    std::string name;
    std::size_t bytes; ///< of a signature that has it alone
};

/// Makes `:any` of what does not hold by itself, which `left_out` names; gives the rest.
std::vector<Part> without_faults(Signature& signature, std::vector<std::string>& left_out) {
    std::vector<Part> parts;
    const Type kept = std::exchange(signature.returns, Type(TypeKind::Any));
    for (Field& field : signature.params) {
        Signature alone;
        alone.params.push_back(field);
        alone.returns = Type(TypeKind::Any);
        const std::string text = signature_text(alone);
        if (holds(text)) {
            parts.push_back({&field.type, quoted_excerpt(field.name), text.size()});
            continue;
        }
        field.type = opened(field.type);
        left_out.push_back(quoted_excerpt(field.name));
    }
    Signature alone;
    alone.returns = kept;
    if (const std::string text = signature_text(alone); holds(text)) {
        signature.returns = kept;
        parts.push_back({&signature.returns, kResult, text.size()});
    } else if (left_out.empty() || left_out.front() != kResult) {
        left_out.emplace_back(kResult);
    }
    return parts;
}

/// Of a signature that does not hold as a whole: makes `:any` of what does not hold by itself, then of what is longest,
/// until the rest holds. `left_out` names it. "" where nothing is left to check, or there are too many parameters.
std::string weakened(Signature signature, std::vector<std::string>& left_out) {
    if (signature.params.size() > kMostWeakened) return "";
    std::vector<Part> parts = without_faults(signature, left_out);
    std::ranges::stable_sort(parts, std::ranges::greater(), &Part::bytes);
    std::string text = signature_text(signature);
    std::size_t size = text.size();
    for (std::size_t next = 0; !holds(text) && next < parts.size(); text = signature_text(signature)) {
        // A quarter of the rest in each round: there may be hundreds of them, and each round reads all.
        const std::size_t least = next + std::max<std::size_t>(1, (parts.size() - next) / 4);
        const bool is_long = size > kMostSignature;
        while (next < parts.size() && (is_long ? size > kMostSignature : next < least)) {
            const Part& part = parts[next++];
            const std::size_t before = type_text(*part.type).size();
            *part.type = opened(*part.type);
            size -= before - std::min(before, type_text(*part.type).size());
            left_out.push_back(part.name);
        }
    }
    return left_out.size() <= signature.params.size() && holds(text) ? text : "";
}

/// Whether its schema names parameters, or says in another way which arguments there may be.
bool says_parameters(const ListedTool& tool) {
    const Result<Datum> schema = Datum::from_json(tool.input_schema);
    if (!schema.ok()) return false;
    constexpr std::array<const char*, 5> kSaying = {"properties", "allOf", "anyOf", "oneOf", "$ref"};
    return std::ranges::any_of(kSaying, [&](const char* name) { return schema.value()[name].size() > 0; });
}

/// What the names of parameters became.
std::string told_of(const ListedTool& tool, const std::vector<RenamedParameter>& renamed) {
    std::vector<std::string> names;
    for (const RenamedParameter& one : renamed)
        names.push_back(quoted_excerpt(one.in_schema) + " is " + quoted_excerpt(one.name));
    return "Programs write parameters of " + quoted_excerpt(tool.name) + " so: " + first_of(names, kMostLeftOut) + ".";
}

/// Names that no signature can write, of fields within arguments and of results.
std::string told_of_unwritten(const ListedTool& tool, const SignatureReading& read) {
    std::vector<std::string> names;
    const auto add = [&](const std::vector<UnwrittenField>& fields, const char* of) {
        for (const UnwrittenField& field : fields) {
            if (field.name == kAnyField) continue;
            names.push_back(quoted_excerpt(field.name) +
                            (field.path.empty() ? of : " of " + quoted_excerpt(field.path)));
        }
    };
    add(read.unwritten_arguments, "");
    add(read.unwritten_results, " of the result");
    if (names.empty()) return "";
    return "No signature of " + quoted_excerpt(tool.name) + " can name " + first_of(names, kMostLeftOut) +
           ": programs use the name as a text, and nothing is checked there.";
}

/// Fields of results whose names are one for programs.
std::string told_of_twins(const ListedTool& tool, const std::vector<RenamedParameter>& fields) {
    std::vector<std::string> names;
    for (const RenamedParameter& one : fields)
        if (one.name != one.in_schema)
            names.push_back(quoted_excerpt(one.in_schema) + " is " + quoted_excerpt(one.name));
    if (names.empty()) return "";
    return "Results of " + quoted_excerpt(tool.name) +
           " have fields that differ by hyphens alone; programs read them so: " + first_of(names, kMostLeftOut) + ".";
}

/// What the schemas say, as a signature; "" when they say nothing, or what no signature can. What a signature cannot
/// say is `:any` in it, and `notice` names it, as it does parameters that programs write in another way. References may
/// double with each step, so what schemas say is taken from `budget`.
std::string signature_of(const ListedTool& tool, std::size_t& budget, std::string& notice,
                         std::vector<RenamedParameter>& renamed, CatalogTool& of) {
    Result<SignatureReading> read = read_tool_schemas(tool.input_schema, tool.output_schema, ParameterNames::Written);
    std::vector<std::string> left_out;
    if (!read.ok() && !tool.output_schema.empty()) {
        read = read_tool_schemas(tool.input_schema, "", ParameterNames::Written);
        left_out.emplace_back(kResult);
    }
    if (!read.ok()) {
        notice = "The schemas of " + quoted_excerpt(tool.name) +
                 " cannot be read, so nothing is checked: " + read.error().message;
        return "";
    }
    constexpr std::size_t kBytesOfPart = 32; // what a part costs to read and to keep, in bytes of what it says
    budget -= std::min(budget, kBytesOfPart * read.value().parts);
    const Signature& signature = read.value().signature;
    const bool is_open = signature.params.size() == 1 && signature.params[0].name.empty();
    const bool has_faults = is_open && says_parameters(tool);
    if (has_faults)
        notice =
            "The parameters of " + quoted_excerpt(tool.name) + " make no signature, so nothing is checked of them.";
    if (is_open && signature.returns.is(TypeKind::Any)) return "";
    // The usual text would say that there are no parameters.
    std::string text = is_open ? malli_text(signature) : signature_text(signature);
    budget -= std::min(budget, text.size());
    if (!holds(text)) text = is_open ? "" : weakened(signature, left_out);
    if (text.empty())
        notice = "The schemas of " + quoted_excerpt(tool.name) + " make no signature, so nothing is checked.";
    else if (!left_out.empty())
        notice = "The schemas of " + quoted_excerpt(tool.name) + " say more than a signature can, so of " +
                 first_of(left_out, kMostLeftOut) + " nothing is checked.";
    if (!text.empty()) {
        renamed = std::move(read.value().written);
        of.argument_names = std::move(read.value().argument_names);
        of.result_names = std::move(read.value().result_names);
        std::ranges::copy_if(of.argument_names, std::back_inserter(renamed),
                             [](const RenamedParameter& one) { return one.name != one.in_schema; });
    }
    const auto add_notice = [&notice](const std::string& sentence) {
        if (!sentence.empty()) notice += (notice.empty() ? "" : " ") + sentence;
    };
    if (!renamed.empty()) add_notice(told_of(tool, renamed));
    if (text.empty()) return text;
    add_notice(told_of_unwritten(tool, read.value()));
    add_notice(told_of_twins(tool, of.result_names));
    of.unwritten = std::move(read.value().unwritten_results);
    for (UnwrittenField& field : read.value().unwritten_arguments)
        if (field.path.empty()) of.other_arguments.push_back(std::move(field.name));
    for (const RenamedParameter& one : of.argument_names)
        if (one.name == one.in_schema) of.other_arguments.push_back(one.in_schema);
    for (const UnwrittenField& field : of.unwritten)
        budget -= std::min(budget, kBytesOfPart + field.path.size() + field.name.size());
    return text;
}

/// What nobody sees is spelled out: people and models are to read what is there.
std::string excerpt(std::string_view said, std::size_t most) {
    const std::string text = spelled_out(said);
    std::string line;
    for (const char c : utf8::prefix(text, most)) {
        const bool is_blank = static_cast<unsigned char>(c) <= 0x20;
        if (!is_blank || (!line.empty() && line.back() != ' ')) line += is_blank ? ' ' : c;
    }
    while (line.ends_with(' '))
        line.pop_back();
    return line.size() < text.size() && text.size() > most ? line + "…" : line;
}

/// What a schema says of its properties and of what is in them, each on a line that begins with its path.
void describe_properties(const Datum& schema, const std::string& path, int levels, const OtherNames& apart,
                         std::string& lines) {
    const Datum::Map& properties = schema["properties"].entries();
    std::vector<std::string> keys;
    for (const auto& [key, property] : properties)
        if (key.text()) keys.push_back(*key.text());
    const OtherNames names = names_of_object(keys, apart, path.empty());
    for (const auto& [key, property] : properties) {
        if (lines.size() >= kMostDetails || !key.text() || !property.map()) continue;
        const auto other = names.find(*key.text());
        const std::string name = path + excerpt(other != names.end() ? other->second : *key.text(), kMostNameBytes);
        const std::string* said = property["description"].text();
        const std::string line = said ? excerpt(*said, kMostOfParameter) : "";
        if (!line.empty()) lines += "\n  " + name + ": " + json_string(line);
        if (levels == 1) continue;
        describe_properties(property, name + ".", levels - 1, apart, lines);
        describe_properties(property["items"], name + "[].", levels - 1, apart, lines);
    }
}

/// What a server says of its tool beyond what prompts show. All of it is quoted.
std::string details_of(const std::string& server, const ListedTool& tool, std::span<const RenamedParameter> names) {
    std::string details;
    const std::string in_full = excerpt(tool.description, kMostInFull);
    if (in_full.size() > kMostDescription) details = "In full: " + json_string(in_full);
    std::string lines;
    OtherNames apart;
    for (const RenamedParameter& one : names)
        apart.emplace(one.in_schema, one.name);
    const Result<Datum> schema = Datum::from_json(tool.input_schema);
    if (schema.ok()) describe_properties(schema.value(), "", kMostLevels, apart, lines);
    if (!lines.empty())
        details +=
            (details.empty() ? "" : "\n") + std::string("The server ") + server + " says of its parameters:" + lines;
    return details;
}

std::string tool_json(const CatalogTool& tool) {
    JsonObject out;
    out.text("name", tool.listed->name).text("description", tool.listed->description);
    out.raw("inputSchema", tool.listed->input_schema);
    if (!tool.listed->output_schema.empty()) out.raw("outputSchema", tool.listed->output_schema);
    if (tool.listed->is_read_only) out.boolean("readOnly", true);
    if (tool.learnt) out.raw("learnt", learnt_json(*tool.learnt));
    return out.finish();
}

std::string apart_json(const std::string& tool, const LearntType& learnt) {
    JsonObject out;
    out.text("name", tool).raw("learnt", learnt_json(learnt.type));
    if (learnt.missed > 0) out.raw("missed", std::to_string(learnt.missed));
    return out.finish();
}

ListedTool listed_of(const Datum& row) {
    ListedTool tool{.name = row["name"].text() ? *row["name"].text() : "",
                    .description = row["description"].text() ? *row["description"].text() : "",
                    .input_schema = row["inputSchema"].map() ? row["inputSchema"].to_json() : R"({"type":"object"})",
                    .output_schema = row["outputSchema"].map() ? row["outputSchema"].to_json() : ""};
    tool.is_read_only = row["readOnly"] == Datum(true);
    return tool;
}

Error wrong(const std::string& path, const std::string& why) { return {Reason::InvalidRequest, path + ": " + why}; }

} // namespace

std::string program_name_part(std::string_view name, bool may_have_dots) {
    std::string out;
    for (const char c : utf8::prefix(name, kMostNameBytes)) {
        const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
        const bool is_dot = c == '.' && may_have_dots && !out.empty() && out.back() != '.';
        out += is_plain || is_dot ? c : '-';
    }
    if (out.ends_with('.')) out.back() = '-';
    if (out.empty()) out = "-";
    const bool is_first = std::isalpha(static_cast<unsigned char>(out[0])) || out[0] == '_';
    return is_first || may_have_dots ? out : "_" + out;
}

std::string program_name_of(const McpServer& server) {
    return server.program_name.empty() ? program_name_part(server.name, false) : server.program_name;
}

std::map<std::string, std::string> program_names(const std::vector<std::string>& servers) {
    std::map<std::string, std::string> names;
    std::set<std::string> taken;
    for (const std::string& server : servers)
        if (program_name_part(server, false) == server && taken.insert(server).second) names.emplace(server, server);
    for (const std::string& server : servers) {
        if (names.contains(server)) continue;
        const std::string plain = program_name_part(server, false);
        std::string name = plain;
        for (int number = 2; !taken.insert(name).second; ++number)
            name = plain + "-" + std::to_string(number);
        names.emplace(server, std::move(name));
    }
    return names;
}

std::vector<CatalogTool> catalog_of(const std::string& server, Listing listing, std::vector<std::string>& notices,
                                    const std::string& program_name) {
    std::vector<CatalogTool> tools;
    std::map<std::string, int> numbers; // the last one of each name that many tools have
    std::size_t budget = kMostSchemas, details_left = kMostDetailsOfAll;
    std::ranges::move(listing.notices, std::back_inserter(notices));
    const std::string of_server = program_name.empty() ? program_name_part(server, false) : program_name;
    const std::string prefix = of_server + ".";
    if (of_server != server)
        notices.push_back("The server " + quoted_excerpt(server) + " is `" + of_server + "` in programs.");
    std::set<std::string> names, written; // `written`: of tools that are called as they are listed
    for (const ListedTool& listed : listing.tools)
        if (program_name_part(listed.name, true) == listed.name) names.insert(prefix + listed.name);
    for (ListedTool& listed : listing.tools) {
        CatalogTool tool;
        const std::string plain = prefix + program_name_part(listed.name, true);
        tool.name = plain;
        const bool is_its_own = plain == prefix + listed.name && written.insert(plain).second;
        for (int& number = numbers[plain]; !is_its_own && !names.insert(tool.name).second;)
            tool.name = plain + "-" + std::to_string(number = std::max(number, 1) + 1);
        if (tool.name != prefix + listed.name)
            notices.push_back("The tool " + quoted_excerpt(listed.name) + " is `" + tool.name + "` in programs.");
        std::string notice;
        std::vector<RenamedParameter> renamed;
        if (budget > 0) {
            tool.signature = signature_of(listed, budget, notice, renamed, tool);
            if (budget == 0)
                notices.push_back("Schemas behind that of " + quoted_excerpt(listed.name) +
                                  " are not read, as those before say too much; nothing is checked there.");
        }
        for (RenamedParameter& one : renamed)
            tool.other_arguments.push_back(one.in_schema);
        if (!notice.empty()) notices.push_back(std::move(notice));
        if (details_left > 0) tool.details = details_of(server, listed, tool.argument_names);
        details_left -= std::min(details_left, tool.details.size());
        tool.listed = std::make_shared<const ListedTool>(std::move(listed));
        tools.push_back(std::move(tool));
    }
    return tools;
}

std::string hint_of(const CatalogTool& tool) {
    if (!tool.learnt || !tool.listed->output_schema.empty()) return "";
    const std::string type = shown_type(*tool.learnt, kMostLearnt);
    return type.empty() ? "" : "Results so far (seen, not promised): " + type;
}

std::string description_of(const std::string& server, const ListedTool& tool, const std::string& hint) {
    const std::string said = excerpt(tool.description, kMostDescription);
    std::string text = said.empty() ? "" : "The server " + server + " says of it: " + json_string(said);
    // The first line is the server's: what a call does is told from what was learnt by that.
    if (!hint.empty()) text += (said.empty() ? "The server " + server + " does not describe it." : "") + ("\n" + hint);
    return text;
}

Tool described(const std::string& server, const CatalogTool& tool) {
    return {.name = tool.name,
            .description = description_of(server, *tool.listed, hint_of(tool)),
            .signature = tool.signature,
            .keeps_keys = true,
            .unwritten = tool.unwritten,
            .other_arguments = tool.other_arguments,
            .details = tool.details};
}

bool is_offered(const McpServer& server, const std::string& tool) {
    const auto is_among = [&](const std::vector<std::string>& names) {
        return std::ranges::find(names, tool) != names.end();
    };
    return (!server.only_tools || is_among(*server.only_tools)) && !is_among(server.hidden_tools);
}

std::vector<std::shared_ptr<const ListedTool>> take_hidden(Listing& listing,
                                                           const std::function<bool(const std::string&)>& is_offered) {
    std::vector<std::shared_ptr<const ListedTool>> hidden;
    const auto others = std::stable_partition(listing.tools.begin(), listing.tools.end(),
                                              [&](const ListedTool& tool) { return is_offered(tool.name); });
    for (auto tool = others; tool != listing.tools.end(); ++tool)
        hidden.push_back(std::make_shared<const ListedTool>(std::move(*tool)));
    listing.tools.erase(others, listing.tools.end());
    return hidden;
}

void set_apart(LearntOfServer& apart, const std::string& tool, LearntType learnt) {
    if (apart.size() < kMostApart) apart.emplace(tool, std::move(learnt));
}

void count_missed(LearntOfServer& apart) {
    for (auto& [tool, learnt] : apart)
        ++learnt.missed;
    std::erase_if(apart, [](const auto& one) { return one.second.missed > kMostMissed; });
}

/// Calls `visit` with the rows of the servers of one member of the file, one after the other: all of it as values would
/// take many times as much. Whether it is a catalogue.
template <class Visit> static bool visit_rows(std::string_view text, std::string_view member, Visit visit) {
    if (find_member(text, "format") != kFormat) return false;
    bool are_rows = true;
    const bool are_servers = visit_members(find_member(text, member), [&](std::string_view key, std::string_view rows) {
        const Result<Datum> name = Datum::from_json(key);
        are_rows = name.ok() && name.value().text() &&
                   visit_items(rows,
                               [&](std::string_view item) {
                                   const Result<Datum> row = Datum::from_json(item);
                                   are_rows = row.ok();
                                   if (are_rows) visit(*name.value().text(), row.value());
                                   return are_rows;
                               }) &&
                   are_rows;
        return are_rows;
    });
    return are_servers && are_rows;
}

static std::optional<Type> learnt_of(const Datum& row) { return read_learnt(row["learnt"]); }

/// From the member that no older file has.
static void read_apart(std::string_view text, LearntTypes& apart) {
    visit_rows(text, "apart", [&](const std::string& server, const Datum& row) {
        std::optional<Type> type = learnt_of(row);
        if (!type || !row["name"].text()) return;
        std::int64_t missed = 0;
        if (!row["missed"].to_int64(&missed) || missed < 0) missed = 0;
        set_apart(apart[server], *row["name"].text(), {*std::move(type), static_cast<std::size_t>(missed)});
    });
}

/// Whether the text is a catalogue of another version of this library, perhaps a newer one.
static bool is_of_another_format(std::string_view text) {
    const std::string_view format = find_member(text, "format");
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    return !format.empty() && format != kFormat && std::ranges::all_of(format, is_digit) &&
           find_member(text, "servers").starts_with('{');
}
static Error another_format(const std::string& path, std::string_view text) {
    return wrong(path, "this catalogue of tools has the format " +
                           std::string(find_member(text, "format").substr(0, 20)) + ", and format " +
                           std::string(kFormat) + " is known. It is left alone.");
}

Result<void> check_may_keep(const std::string& path) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0 && errno == ENOENT) return {};
    if (S_ISLNK(info.st_mode) && ::stat(path.c_str(), &info) != 0) return {}; // it points nowhere, and is replaced
    const std::string text = PTC_TRY(read_kept_file(path, kMostFileBytes));
    if (is_of_another_format(text)) return another_format(path, text);
    return {};
}

Result<Catalog> read_catalog_file(const std::string& path, const IsOffered& is_offered,
                                  const NameInPrograms& name_in_programs) {
    std::string text = PTC_TRY(read_kept_file(path, kMostFileBytes));
    std::map<std::string, Listing> listings;
    LearntTypes learnt;
    const bool is_catalog = visit_rows(text, "servers", [&](const std::string& server, const Datum& row) {
        ListedTool tool = listed_of(row);
        if (tool.name.empty()) return;
        if (std::optional<Type> type = learnt_of(row)) learnt[server].emplace(tool.name, LearntType{*std::move(type)});
        listings[server].tools.push_back(std::move(tool));
    });
    if (is_of_another_format(text)) return another_format(path, text);
    if (!is_catalog)
        return wrong(path, "this is no catalogue of tools. Remove it: the next command with --mcp makes it anew.");
    read_apart(text, learnt);
    std::string().swap(text);
    Catalog catalog;
    for (auto& [server, listing] : listings) {
        std::vector<std::string> told; // when it was made
        ServerCatalog& made = catalog[server];
        made.hidden = take_hidden(listing, [&](const std::string& tool) { return is_offered(server, tool); });
        made.tools = catalog_of(server, std::move(listing), told, name_in_programs ? name_in_programs(server) : "");
    }
    for (const auto& [server, types] : learnt)
        catalog[server]; // also where it has no tool now
    add_learnt(catalog, learnt);
    return catalog;
}

std::vector<KeptServer> read_other_servers(const std::string& path, const std::set<std::string>& servers) {
    constexpr std::size_t kMostOthers = 100, kMostBytes = std::size_t{64} << 20;
    std::vector<KeptServer> others;
    const Result<std::string> text = read_kept_file(path, kMostFileBytes);
    if (!text.ok() || find_member(text.value(), "format") != kFormat) return others;
    std::size_t bytes = 0;
    const auto visit_others = [&](const char* member, auto visit) {
        visit_members(find_member(text.value(), member), [&](std::string_view key, std::string_view rows) {
            const Result<Datum> name = Datum::from_json(key);
            const bool is_other = name.ok() && name.value().text() && !servers.contains(*name.value().text());
            if (is_other && rows.starts_with('[') && rows.size() <= kMostBytes - bytes && is_json(std::string(rows))) {
                bytes += rows.size();
                visit(*name.value().text(), std::string(rows));
            }
            return true;
        });
    };
    visit_others("servers", [&](const std::string& name, std::string rows) {
        if (others.size() < kMostOthers) others.push_back({.name = name, .tools = std::move(rows), .apart = {}});
    });
    visit_others("apart", [&](const std::string& name, std::string rows) {
        const auto known = std::ranges::find(others, name, &KeptServer::name);
        if (known != others.end()) known->apart = std::move(rows);
    });
    return others;
}

LearntTypes read_learnt_types(const std::string& path) {
    LearntTypes learnt;
    const Result<std::string> text = read_kept_file(path, kMostFileBytes);
    if (!text.ok()) return learnt;
    const bool is_catalog = visit_rows(text.value(), "servers", [&](const std::string& server, const Datum& row) {
        std::optional<Type> type = learnt_of(row);
        if (type && row["name"].text()) learnt[server].emplace(*row["name"].text(), LearntType{*std::move(type)});
    });
    if (!is_catalog) return {};
    read_apart(text.value(), learnt);
    return learnt;
}

void add_learnt(Catalog& catalog, const LearntTypes& learnt) {
    for (auto& [server, known] : catalog) {
        const auto of_server = learnt.find(server);
        if (of_server == learnt.end()) continue;
        std::set<std::string_view> names;
        for (CatalogTool& tool : known.tools) {
            names.insert(tool.listed->name);
            const auto found = of_server->second.find(tool.listed->name);
            if (found != of_server->second.end())
                tool.learnt = tool.learnt ? merged(*tool.learnt, found->second.type) : found->second.type;
        }
        for (const auto& [tool, one] : of_server->second) {
            if (names.contains(tool) || one.missed >= kMostMissed) continue; // those may be dropped here already
            const auto own = known.apart.find(tool);
            if (own == known.apart.end())
                set_apart(known.apart, tool, one);
            else
                own->second.type = merged(own->second.type, one.type);
        }
    }
}

Result<void> write_catalog_file(const std::string& path, const Catalog& catalog,
                                const std::vector<KeptServer>& others) {
    // One text, which may be large: its room is made at once, as growing would take that of two.
    std::size_t bytes = 0;
    const auto count = [&bytes](const ListedTool& tool) {
        constexpr std::size_t kAround = 100;
        bytes +=
            tool.name.size() + tool.description.size() + tool.input_schema.size() + tool.output_schema.size() + kAround;
    };
    for (const auto& [name, known] : catalog) {
        for (const CatalogTool& tool : known.tools)
            count(*tool.listed);
        for (const auto& tool : known.hidden)
            count(*tool);
    }
    for (const KeptServer& other : others)
        bytes += other.tools.size() + other.apart.size();
    std::string json;
    json.reserve(bytes + bytes / 16);
    const auto add_row = [&json](const std::string& row) { json.append(json.back() == '[' ? "" : ",").append(row); };
    const auto begin_rows = [&json](const std::string& name) {
        if (json.back() != '{') json += ',';
        append_json_string(json, name);
        json += ':';
    };
    const auto begin_server = [&](const std::string& name) {
        begin_rows(name);
        json += '[';
    };
    json.append(R"({"format":)").append(kFormat).append(R"(,"servers":{)");
    for (const auto& [name, known] : catalog) {
        begin_server(name);
        for (const CatalogTool& tool : known.tools)
            add_row(tool_json(tool));
        for (const auto& tool : known.hidden)
            add_row(tool_json(CatalogTool{.listed = tool, .name = "", .signature = ""}));
        json += ']';
    }
    for (const KeptServer& other : others) {
        begin_rows(other.name);
        json += other.tools;
    }
    json += R"(},"apart":{)";
    for (const auto& [name, known] : catalog) {
        if (known.apart.empty()) continue;
        begin_server(name);
        for (const auto& [tool, learnt] : known.apart)
            add_row(apart_json(tool, learnt));
        json += ']';
    }
    for (const KeptServer& other : others) {
        if (other.apart.empty()) continue;
        begin_rows(other.name);
        json += other.apart;
    }
    return write_kept_file(path, json.append("}}\n"));
}

} // namespace ptc::mcp
