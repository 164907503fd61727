// Reads the folder of an evaluation. What a case does not say, the suite says; what the command line says about agents
// stands above both. Files that they name are relative to the folder. Everything that can be wrong is found here,
// before a model is called: members that nobody reads, graders that do not compile, ids that are there twice.
#include "tools/evals/suite.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "subagent/engine/invalid_request.h"
#include "tools/agent/agent_parts.h"
#include "tools/agent/agent_setup.h"
#include "tools/batch.h"
#include "tools/io.h"
#include "tools/members.h"
#include <algorithm>
#include <filesystem>
#include <set>

namespace ptc {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostIdBytes = 100;
constexpr std::int64_t kMostRuns = 10'000;
constexpr std::string_view kSuiteMembers[] = {"name", "note",      "agent", "tools",    "data", "preludes",
                                              "llm",  "judge_llm", "runs",  "min_rate", "grade"};
constexpr std::string_view kCaseMembers[] = {"id",     "note", "agent",     "prompt", "signature", "context",
                                             "expect", "llm",  "judge_llm", "runs",   "min_rate",  "grade"};

/// What is wrong with something that has a name.
Error in(const std::string& where, Error error) {
    error.message = where + ": " + error.message;
    return error;
}

/// A case before it is read.
struct CaseRow {
    std::string where; ///< FILE or FILE:LINE
    std::string id;    ///< when it has none
    Datum row;
};

class SuiteReader {
public:
    SuiteReader(std::string folder, const EvalRequest& request) : folder_(std::move(folder)), request_(request) {}

    Result<EvalSuite> read() {
        if (!is_folder(folder_)) return invalid_request(folder_ + " is no folder.");
        EvalSuite suite;
        PTC_CHECK(read_common(suite));
        std::vector<CaseRow> rows;
        PTC_CHECK(find_cases(rows));
        if (rows.empty()) return invalid_request(folder_ + " has no cases: neither cases.jsonl nor files in cases/.");
        std::set<std::string> ids;
        for (const CaseRow& row : rows) {
            Result<EvalCase> read = read_case(row);
            if (!read.ok()) return in(row.where, read.error());
            if (!ids.insert(read.value().id).second)
                return invalid_request(row.where + ": there are two cases `" + read.value().id + "`.");
            if (is_wanted(read.value().id)) suite.cases.push_back(std::move(read).value());
        }
        for (const std::string& id : request_.only) {
            if (!ids.contains(id)) return invalid_request("There is no case `" + id + "`.");
        }
        return suite;
    }

private:
    [[nodiscard]] std::string path_of(const std::string& name) const {
        return fs::path(name).is_absolute() ? name : (fs::path(folder_) / name).string();
    }
    [[nodiscard]] bool is_wanted(const std::string& id) const {
        return request_.only.empty() || std::ranges::find(request_.only, id) != request_.only.end();
    }

    Result<void> read_common(EvalSuite& suite) {
        const std::string path = path_of("suite.json");
        suite.name = fs::path(folder_).lexically_normal().filename().string();
        if (suite.name.empty()) suite.name = fs::path(folder_).lexically_normal().parent_path().filename().string();
        if (is_there(path)) common_ = PTC_TRY(read_object(path));
        if (const Result<void> known = check_members(common_, kSuiteMembers, "a suite"); !known.ok())
            return in(path, known.error());
        if (common_.find("name")) suite.name = text_of(common_, "name");
        if (const Result<void> files = read_files(suite); !files.ok()) return in(path, files.error());
        Result<Datum::Map> agent = agent_members(common_);
        if (!agent.ok()) return in(path, agent.error());
        agent_ = std::move(agent).value();
        // An agent of the command line takes the place of the suite's.
        if (!request_.agent.file.empty()) agent_ = *PTC_TRY(read_object(request_.agent.file)).map();
        return {};
    }
    Result<void> read_files(EvalSuite& suite) const {
        if (const Datum* data = common_.find("data")) {
            if (!data->map()) return invalid_request("`data` is a map of names and files.");
            for (const auto& [name, file] : *data->map()) {
                if (!file.text()) return invalid_request("`data` is a map of names and files.");
                suite.data.push_back(*name.text() + "=" + path_of(*file.text()));
            }
        }
        for (const Datum& file : items_of(common_, "preludes")) {
            if (!file.text()) return invalid_request("`preludes` is a list of files.");
            suite.preludes.push_back(path_of(*file.text()));
        }
        return {};
    }

    /// The members of `agent` and `tools`, each a map or the name of a file.
    [[nodiscard]] Result<Datum::Map> agent_members(const Datum& row) const {
        Datum::Map members;
        if (const Datum* agent = row.find("agent")) members = PTC_TRY(object_of("agent", *agent));
        if (const Datum* tools = row.find("tools")) {
            std::erase_if(members, [](const auto& member) { return *member.first.text() == "tools"; });
            members.emplace_back(Datum("tools"), Datum(PTC_TRY(object_of("tools", *tools))));
        }
        return members;
    }
    [[nodiscard]] Result<Datum::Map> object_of(const std::string& member, const Datum& value) const {
        if (value.map()) return *value.map();
        if (!value.text()) return invalid_request("`" + member + "` is a map, or the name of a file that has one.");
        return *PTC_TRY(read_object(path_of(*value.text()))).map();
    }

    /// In the order of names: cases.jsonl, then the files of cases/.
    Result<void> find_cases(std::vector<CaseRow>& rows) const {
        std::vector<std::string> files;
        if (const std::string lines = path_of("cases.jsonl"); is_there(lines)) files.push_back(lines);
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(path_of("cases"), error)) {
            const std::string kind = entry.path().extension().string();
            if (kind == ".json" || kind == ".jsonl") files.push_back(entry.path().string());
        }
        std::ranges::sort(files);
        for (const std::string& file : files) {
            if (file.ends_with(".json"))
                rows.push_back({file, fs::path(file).stem().string(), PTC_TRY(read_object(file))});
            else
                PTC_CHECK(read_lines(file, rows));
        }
        return {};
    }
    static Result<void> read_lines(const std::string& file, std::vector<CaseRow>& rows) {
        const std::string text = PTC_TRY(read_file(file, kMaxDataBytes));
        std::string_view rest = text;
        for (std::size_t number = 1; !rest.empty(); ++number) {
            const std::string_view line = rest.substr(0, rest.find('\n'));
            rest.remove_prefix(std::min(line.size() + 1, rest.size()));
            if (is_blank_line(line)) continue;
            const std::string where = file + ":" + std::to_string(number);
            Result<Datum> row = Datum::from_json(line);
            if (!row.ok()) return in(where, row.error());
            if (!row.value().map()) return invalid_request(where + ": a case is a JSON object.");
            rows.push_back({where, "", std::move(row).value()});
        }
        return {};
    }

    [[nodiscard]] Result<EvalCase> read_case(const CaseRow& given) const {
        const Datum& row = given.row;
        PTC_CHECK(check_members(row, kCaseMembers, "a case"));
        EvalCase out;
        out.id = row.find("id") ? text_of(row, "id") : given.id;
        PTC_CHECK(check_id(out.id));
        out.agent = PTC_TRY(agent_of(row));
        out.context = row.find("context") ? *row.find("context") : Datum(Datum::Map{});
        if (!out.context.map()) return invalid_request("`context` is a map.");
        const Datum* expected = row.find("expect");
        if (expected) out.expected = *expected;
        out.llm = member("llm", row);
        out.judge_llm = member("judge_llm", row);
        PTC_CHECK(read_counts(row, out));
        PTC_CHECK(read_graders(row, out));
        return out;
    }
    static Result<void> check_id(const std::string& id) {
        const bool is_name =
            !id.empty() && id.size() <= kMostIdBytes && id.front() != '.' &&
            id.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
                std::string::npos;
        return is_name ? Result<void>()
                       : invalid_request("An `id` is letters, digits, `.`, `_` and `-`, at most 100, not " +
                                         quoted_name(id) + ".");
    }
    /// Of the case, else of the suite.
    [[nodiscard]] Datum member(const char* name, const Datum& row) const {
        const Datum* found = row.find(name);
        if (!found) found = common_.find(name);
        return found ? *found : Datum();
    }
    [[nodiscard]] Result<Datum> agent_of(const Datum& row) const {
        Datum::Map members = agent_;
        const auto set = [&members](const Datum& key, const Datum& value) {
            std::erase_if(members, [&key](const auto& entry) { return entry.first == key; });
            members.emplace_back(key, value);
        };
        for (const auto& [key, value] : PTC_TRY(agent_members(row)))
            set(key, value);
        for (const char* name : {"prompt", "signature"}) {
            if (const Datum* value = row.find(name)) set(Datum(name), *value);
        }
        return agent_row_over(std::move(members), request_.agent);
    }
    Result<void> read_counts(const Datum& row, EvalCase& out) const {
        std::int64_t runs = 1;
        if (const Datum given = member("runs", row);
            !given.is_nil() && (!given.to_int64(&runs) || runs < 1 || runs > kMostRuns))
            return invalid_request("`runs` is a whole number from 1 to 10000.");
        out.runs = request_.runs > 0 ? request_.runs : static_cast<std::size_t>(runs);
        const Datum rate = member("min_rate", row);
        if (!rate.is_nil() && (!rate.to_double(&out.min_rate) || out.min_rate < 0 || out.min_rate > 1))
            return invalid_request("`min_rate` is a number from 0 to 1.");
        return {};
    }
    /// Those of the case, else those of the suite, else that the result is what is expected.
    Result<void> read_graders(const Datum& row, EvalCase& out) const {
        const Datum given = member("grade", row);
        const Datum* expected = row.find("expect");
        Datum::List graders;
        if (given.list())
            graders = *given.list();
        else if (!given.is_nil())
            graders.push_back(given);
        else if (expected)
            graders.push_back(Datum::object({{"exact", *expected}}));
        for (const Datum& grader : graders)
            out.graders.push_back(PTC_TRY(Grader::create(grader, out.graders.size() + 1)));
        return {};
    }

    std::string folder_;
    const EvalRequest& request_;
    Datum common_{Datum::Map{}};
    Datum::Map agent_;
};

} // namespace

std::string EvalCase::prompt() const { return text_of(agent, "prompt"); }

bool EvalCase::takes_failures() const {
    return std::ranges::any_of(graders, [](const Grader& grader) { return grader.takes_failures(); });
}

Result<EvalSuite> read_suite(const std::string& folder, const EvalRequest& request) {
    return SuiteReader(folder, request).read();
}

} // namespace ptc
