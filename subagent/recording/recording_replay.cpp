// Recordings read, and missions repeated from them: ptc/recording.h. The mission runs with a tape that gives time and
// chance as they were kept; a follower compares each call with the next line of the file and hands out the recorded
// answers in their order. The first call that is another one ends the replay with the difference.
#include "frontend/try.h"
#include "ptc/recording.h"
#include "subagent/agent/taped_mission.h"
#include "subagent/agent/whole_file.h"
#include "subagent/engine/convert.h"
#include "subagent/engine/invalid_request.h"
#include "subagent/recording/datum_difference.h"
#include "subagent/recording/exact_json.h"
#include "subagent/recording/recording_lines.h"
#include <algorithm>
#include <filesystem>

namespace ptc {
namespace {

Error too_long() {
    return invalid_request("The recording is longer than " + std::to_string(Recording::kMaxBytes) + " bytes.");
}

/// When a replay ends, whatever the recording says.
class ReplayEnd {
public:
    ReplayEnd(std::stop_token stop, Millis timeout) : stop_(std::move(stop)) {
        if (timeout.count() > 0) deadline_ = system_now() + std::min(timeout, Millis(std::chrono::days(10'000)));
    }
    [[nodiscard]] std::optional<Error> error() const {
        if (stop_.stop_requested()) return Error(Reason::Interrupted, "The replay was stopped.");
        if (deadline_ && system_now() >= *deadline_)
            return Error(Reason::Timeout, "Repeating the mission took longer than its time limit.");
        return std::nullopt;
    }
    [[nodiscard]] const std::stop_token& stop() const { return stop_; }
    /// 0 is no limit, which is what a limit of nothing would be.
    [[nodiscard]] Millis time_left() const {
        return deadline_ ? std::max(Millis(1), *deadline_ - system_now()) : Millis(0);
    }

private:
    std::stop_token stop_;
    std::optional<Millis> deadline_{};
};

/// Gives time and chance as they were kept.
class RepeatingTape : public MissionTape {
public:
    RepeatingTape(const std::vector<TapeSegment>& segments, const std::map<std::uint64_t, std::int64_t>& timeouts,
                  std::int64_t started_ms, const ReplayEnd& end)
        : segments_(segments), timeouts_(timeouts), started_ms_(started_ms), end_(end) {}
    void next() {
        if (at_ + 1 < segments_.size()) ++at_;
        polls_ = slices_ = draws_ = 0;
        is_late_ = false;
    }

    [[nodiscard]] Millis now() const override { return is_late_ ? segments_[at_].late->at : segments_[at_].at; }
    double random() override {
        const auto& kept = segments_[at_].random;
        return draws_ < kept.size() ? kept[draws_++] : 1.0;
    }
    bool is_interrupted() override {
        const auto& after = segments_[at_].interrupted_after;
        if (after && polls_++ >= *after) is_interrupted_ = true;
        return is_interrupted_ || end_.error();
    }
    [[nodiscard]] std::stop_token stop() const override { return end_.stop(); }
    [[nodiscard]] std::int64_t wall_millis() const override { return started_ms_ + now().count(); }
    ProgramTime begin_program() override {
        ProgramTime time{.number = ++programs_, .timeout = end_.time_left(), .timeout_after_fuel = {}};
        if (const auto found = timeouts_.find(time.number); found != timeouts_.end())
            time.timeout_after_fuel = found->second;
        return time;
    }
    std::optional<std::vector<Tool>> changed_tools(std::uint64_t run, std::size_t turn,
                                                   const std::function<std::optional<std::vector<Tool>>()>&) override {
        for (const TapeSegment::Fed& fed : segments_[at_].fed) {
            if (fed.run == run && fed.turn == turn) return fed.tools;
        }
        return std::nullopt;
    }
    void program_timed_out(std::size_t, std::int64_t) override {}
    bool goes_on(std::optional<Millis> deadline) override {
        const auto& late = segments_[at_].late;
        is_late_ = is_late_ || (deadline && late && ++slices_ >= late->after);
        return !is_late_ && !end_.error();
    }

private:
    const std::vector<TapeSegment>& segments_;
    const std::map<std::uint64_t, std::int64_t>& timeouts_;
    const std::int64_t started_ms_;
    const ReplayEnd& end_;
    std::size_t at_ = 0;
    std::uint64_t polls_ = 0;
    std::uint64_t slices_ = 0;
    std::size_t draws_ = 0;
    std::size_t programs_ = 0;
    bool is_interrupted_ = false;
    bool is_late_ = false;
};

struct RecordedLine {
    enum class Kind : std::uint8_t { Call, Answer, End };
    Kind kind;
    std::size_t number; ///< in the file, from 1
    std::uint64_t id;   ///< of a call or answer
    std::string_view text;
};

} // namespace

struct Recording::Impl {
    std::string text;
    Datum note;
    std::int64_t started_ms = 0;
    std::vector<RecordedLine> lines;
    std::vector<TapeSegment> segments{TapeSegment{}}; ///< the first is before any answer
    std::map<std::uint64_t, std::int64_t> timeouts;
    bool is_cut = false; ///< the last line is not whole

    Result<void> read();
    Result<void> read_header(std::string_view line);
    Result<void> read_line(std::size_t number, std::string_view line, const Datum& members);
};

Result<void> Recording::Impl::read_header(std::string_view line) {
    const Result<Datum> header = Datum::from_json(line);
    if (!header.ok() && header.error().reason == Reason::Timeout) return header.error();
    if (!header.ok()) return invalid_request("1: this is no recording of a mission: " + header.error().message);
    std::int64_t version = 0;
    const Datum* given = header.value().find("ptc_recording");
    if (!given || !given->to_int64(&version)) return invalid_request("1: this is no recording of a mission.");
    if (version != kRecordingVersion)
        return invalid_request("1: this recording has the format " + std::to_string(version) +
                               ", which is not known here.");
    const Datum* started = header.value().find("started_ms");
    constexpr std::int64_t kMost = std::int64_t{1} << 52;
    if (!started || !started->to_int64(&started_ms) || started_ms < 0 || started_ms > kMost)
        return invalid_request("1: `started_ms` is malformed.");
    if (const Datum* kept = header.value().find("note")) note = PTC_TRY(read_exact(*kept));
    return {};
}

Result<void> Recording::Impl::read_line(std::size_t number, std::string_view line, const Datum& members) {
    const auto at_line = [number](const Error& error) {
        return error.reason == Reason::Timeout ? error
                                               : invalid_request(std::to_string(number) + ": " + error.message + ".");
    };
    const auto add = [&](RecordedLine::Kind kind, std::uint64_t id) { lines.push_back({kind, number, id, line}); };
    if (!lines.empty() && lines.back().kind == RecordedLine::Kind::End)
        return invalid_request(std::to_string(number) + ": nothing may follow the end of a recording.");
    if (members.find("chance")) {
        TapeSegment& segment = segments.back();
        const Result<void> read = read_chance(members, segment);
        if (!read.ok()) return at_line(read.error());
        timeouts.insert(segment.timeouts.begin(), segment.timeouts.end());
    } else if (members.find("end")) {
        add(RecordedLine::Kind::End, 0);
    } else if (const std::uint64_t call = number_of(members, "call")) {
        add(RecordedLine::Kind::Call, call);
    } else if (const std::uint64_t answer = number_of(members, "answer")) {
        const Result<Millis> at = read_time(members);
        if (!at.ok()) return at_line(at.error());
        if (at.value() < segments.back().at) return invalid_request(std::to_string(number) + ": time goes backwards.");
        segments.push_back(TapeSegment::beginning_at(at.value()));
        add(RecordedLine::Kind::Answer, answer);
    } else {
        return invalid_request(std::to_string(number) + ": this is no line of a recording.");
    }
    return {};
}

Result<void> Recording::Impl::read() {
    std::string_view rest = text;
    for (std::size_t number = 1; !rest.empty() || number == 1; ++number) {
        const std::size_t end = rest.find('\n');
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        if (number == 1) {
            PTC_CHECK(read_header(line));
            continue;
        }
        const Result<Datum> members = Datum::from_json(line);
        if (!members.ok() && members.error().reason == Reason::Timeout) return members.error();
        if (members.ok() && members.value().map()) {
            PTC_CHECK(read_line(number, line, members.value()));
        } else if (end == std::string_view::npos) {
            is_cut = true;
        } else {
            return invalid_request(std::to_string(number) +
                                   (members.ok() ? ": this is no JSON object." : ": " + members.error().message));
        }
    }
    return {};
}

Recording::Recording(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Recording::~Recording() = default;

Result<std::shared_ptr<const Recording>> Recording::parse(std::string text, const ImportLimits& limits) {
    const ImportScope reading(limits);
    if (text.size() > kMaxBytes) return too_long();
    auto impl = std::make_unique<Impl>();
    impl->text = std::move(text);
    PTC_CHECK(impl->read());
    return std::shared_ptr<const Recording>(new Recording(std::move(impl)));
}

Result<std::shared_ptr<const Recording>> Recording::open(const std::string& path, const ImportLimits& limits) {
    std::error_code no_file;
    const std::uintmax_t size = std::filesystem::file_size(path, no_file);
    if (!no_file && size > kMaxBytes) return too_long();
    Result<std::string> text = read_whole_file(path, kMaxBytes);
    if (!text.ok()) return invalid_request("Cannot read the recording `" + path + "`.");
    Result<std::shared_ptr<const Recording>> read = parse(std::move(text).value(), limits);
    if (!read.ok()) read.error().message = path + ":" + read.error().message;
    return read;
}

const Datum& Recording::note() const { return impl_->note; }

bool Recording::is_complete() const {
    return !impl_->lines.empty() && impl_->lines.back().kind == RecordedLine::Kind::End;
}

// ---- Replaying

namespace {

void say(const RecordedAnswer& answer, const TextSink& on_text) {
    const auto* result = std::get_if<LlmResult>(&answer);
    const auto* reply = result ? std::get_if<LlmReply>(result) : nullptr;
    if (reply && !reply->text.empty()) on_text(reply->text);
}

/// Follows the lines of a recording while a mission goes on.
class Follower {
public:
    explicit Follower(const std::vector<RecordedLine>& lines) : lines_(lines) {}
    [[nodiscard]] const RecordedLine* next() const { return at_ < lines_.size() ? &lines_[at_] : nullptr; }
    void advance() { ++at_; }

    /// The mission asks for what `line` says.
    Result<void> expect_call(std::uint64_t id, const std::string& line, TextSink on_text = {}) {
        open_.insert_or_assign(id, OpenCall{line, std::move(on_text)});
        return expect(line);
    }
    Result<void> expect(const std::string& line) {
        const RecordedLine* recorded = next();
        if (!recorded) return ended_early();
        advance();
        if (recorded->text == line) return {};
        return departs(*recorded, line);
    }
    /// The call is answered; gives who wants the text.
    Result<TextSink> take(std::uint64_t id) {
        if (auto call = open_.extract(id)) return std::move(call.mapped().on_text);
        return invalid_request("The recording answers call " + std::to_string(id) + " at line " +
                               std::to_string(lines_[at_].number) + ", which is not asked.");
    }
    [[nodiscard]] Error ended_early() const {
        std::string message = "The recording ends before the mission does";
        if (!open_.empty())
            message += "; the first call without an answer is " +
                       call_text(Datum::from_json(open_.begin()->second.line).value());
        return invalid_request(message + ".");
    }

private:
    /// The recording says one thing, and the mission another.
    [[nodiscard]] Result<void> departs(const RecordedLine& recorded, const std::string& line) const {
        const Datum before = PTC_TRY(Datum::from_json(recorded.text));
        const Datum now = PTC_TRY(Datum::from_json(line));
        const std::string where = "line " + std::to_string(recorded.number) + " of the recording";
        if (is_of_another_kind(before, now))
            return invalid_request("The mission departs from " + where + ": there it was " + what(before) +
                                   ", now it is " + what(now) + ".");
        const auto difference = first_difference(before, now);
        if (!difference) return {}; // written in another way
        return invalid_request("The mission departs from " + where + " at " + what(now) + ": `" + difference->path +
                               "` was " + difference->a + " and is " + difference->b + ".");
    }
    static bool is_of_another_kind(const Datum& a, const Datum& b) {
        const auto has = [](const Datum& line, const char* name) { return line.find(name) != nullptr; };
        for (const char* name : {"call", "answer", "end", "tool", "approval"}) {
            if (has(a, name) != has(b, name)) return true;
        }
        return false;
    }
    static std::string what(const Datum& line) {
        if (line.find("end")) return "the end of the mission";
        if (line.find("answer")) return "an answer, with no further call before it";
        return call_text(line);
    }

    const std::vector<RecordedLine>& lines_;
    std::size_t at_ = 0;
    struct OpenCall {
        std::string line;
        TextSink on_text;
    };
    std::map<std::uint64_t, OpenCall> open_; ///< calls that have no answer yet
};

/// Gives the mission what was recorded, until one of them ends.
Result<Step> follow(const std::vector<RecordedLine>& lines, RepeatingTape& tape, Mission mission) {
    TapedMission::attach(mission, tape);
    Follower follower(lines);
    CallLines calls;
    mission.start();
    while (true) {
        const Needs needs = mission.take_needs();
        for (const LlmNeed& need : needs.llm)
            PTC_CHECK(follower.expect_call(need.id, calls.line(need), need.request.on_text));
        for (const ToolNeed& need : needs.tools)
            PTC_CHECK(follower.expect_call(need.id, calls.line(need)));
        for (const ApprovalNeed& need : needs.approvals)
            PTC_CHECK(follower.expect_call(need.id, calls.line(need)));
        if (mission.is_done()) break;
        const RecordedLine* line = follower.next();
        if (!line) return follower.ended_early();
        const Datum members = PTC_TRY(Datum::from_json(line->text));
        if (line->kind != RecordedLine::Kind::Answer)
            return invalid_request(
                "The mission departs from line " + std::to_string(line->number) + " of the recording, where " +
                (line->kind == RecordedLine::Kind::End ? "it ended" : "it went on with " + call_text(members)) +
                ": now it waits for answers.");
        const TextSink on_text = PTC_TRY(follower.take(line->id));
        Result<RecordedAnswer> answer = read_recorded_answer(members);
        if (!answer.ok()) return invalid_request(std::to_string(line->number) + ": " + answer.error().message + ".");
        follower.advance();
        tape.next();
        if (on_text) say(answer.value(), on_text);
        std::visit([&](auto& result) { mission.answer(line->id, std::move(result)); }, answer.value());
    }
    PTC_CHECK(follower.expect(end_line(mission.step())));
    return mission.take_step();
}

} // namespace

Result<Step> Recording::replay(const AgentPtr& agent, MissionOptions options, std::chrono::milliseconds timeout) const {
    const ReplayEnd end(options.stop, timeout);
    RepeatingTape tape(impl_->segments, impl_->timeouts, impl_->started_ms, end);
    Result<Step> step = follow(impl_->lines, tape, Mission(agent, std::move(options)));
    if (step.ok()) return step;
    // What departs when it was cut off says nothing of the recording.
    if (std::optional<Error> ended = end.error()) return std::move(*ended);
    return step;
}

} // namespace ptc
