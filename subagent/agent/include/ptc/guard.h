// Guards: callables of the host that look at what passes between model, programs and tools, and may change or refuse
// it.
//
//   options.guards.push_back({.name = "budget", .points = {ptc::GuardPoint::BeforeTool}, .check = [](const
//   ptc::Guarded& seen) {
//       std::int64_t amount = 0;
//       const ptc::Datum* given = seen.value.find("amount");
//       const bool is_small = !given || (given->to_int64(&amount) && amount <= 100);
//       return is_small ? ptc::Verdict::allow() : ptc::Verdict::refuse("Payments of more than 100 are for people.");
//   }});
//
// What passes may come with images and files, at before_model and after_tool. A guard sees them and says which stay:
//
//   .check = [](const ptc::Guarded& seen) {
//       const auto is_image = [](const ptc::Attachment& one) { return one.kind == ptc::Attachment::Kind::Image; };
//       std::vector<ptc::Attachment> others(seen.attachments.begin(), seen.attachments.end());
//       return std::erase_if(others, is_image) > 0 ? ptc::Verdict::attach(others) : ptc::Verdict::allow();
//   }
#pragma once
#include "ptc/attachment.h"
#include "ptc/datum.h"
#include "ptc/result.h"
#include "ptc/shared_function.h"
#include <any>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

/// Where guards look, declared once in guard_points.def.
enum class GuardPoint : std::uint8_t {
#define PTC_GUARD_POINT(Name, name, doc) Name,
#include "ptc/guard_points.def"
#undef PTC_GUARD_POINT
};
std::string_view guard_point_name(GuardPoint point); ///< "before_model", ..
std::string_view guard_point_doc(GuardPoint point);
std::optional<GuardPoint> guard_point_named(std::string_view name);
const std::vector<GuardPoint>& guard_points(); ///< all of them, in the order of the table

/// What a guard says.
struct Verdict {
    enum class Kind : std::uint8_t {
        Allow,
        Change, ///< `value` instead, or `attachments`, or both
        Refuse, ///< `message` says why: the model reads it
        /// Somebody has to approve it (ptc/approval.h). Of AfterProgram and AfterTool, and of a result that an agent
        /// gave that took over, a refusal that says so.
        Ask,
    };
    Kind kind = Kind::Allow;
    Datum value{};
    std::string message{};
    bool keeps_value = false;                             ///< of Change: `value` is nothing, what passes stays as it is
    std::optional<std::vector<Attachment>> attachments{}; ///< of Change: instead of those that came; none: as they are

    static Verdict allow();
    static Verdict change(Datum value);
    /// These instead of those that came with the value, which stays; {} takes all off.
    static Verdict attach(std::vector<Attachment> attachments);
    static Verdict refuse(std::string why);
    static Verdict ask(std::string question);
};
std::string_view verdict_name(Verdict::Kind kind); ///< "allow", ..

/// What a guard looks at. References hold while it is called.
struct Guarded {
    GuardPoint point;
    const Datum& value;               ///< what passes, firewalled values included: a text at before_model, after_model
                                      ///< and before_program
    std::string_view tool{};          ///< of BeforeTool and AfterTool
    const Datum* arguments = nullptr; ///< of AfterTool
    std::string_view agent{};         ///< its name
    std::uint64_t run = 0;            ///< as of MissionEvent
    unsigned depth = 0;
    std::size_t turn = 0;           ///< from 1; of BeforeModel the one that is about to begin
    const std::any* host = nullptr; ///< MissionOptions::host_value
    /// Images and files that come with it: of BeforeModel those of the message, of AfterTool the tool's.
    std::span<const Attachment> attachments{};
};

/// Guards of a mission look first, at all of its agents, then those of the agent, in order, each at what the one before
/// left; the first refusal decides. They are called on the thread that drives the mission, which waits for them: what
/// takes time belongs into a tool. One that throws has refused. They are callables: Agent::restore gets them from agent
/// and options, as recordings do; with other ones a mission goes another way.
struct Guard {
    std::string name; ///< in events, traces and refusals
    std::vector<GuardPoint> points;
    SharedFunction<Verdict(const Guarded& seen)> check;
};

/// A guard that is a program. It reads data/value, data/point, data/agent, data/turn, data/tool, data/arguments and
/// data/attachments, and gives true, false, or a map with one of :change VALUE, :refuse "why" and :ask "why". Of
/// attachments it sees {:kind "image" :media_type ".." :name ".." :url ".." :bytes 1834}, of those that are texts the
/// :text, too; :keep [0 2], alone or beside :change, says which stay, counted from 0. Anything else, and a failure of
/// the program, is a refusal. invalid_request: it does not compile.
Result<Guard> program_guard(std::string name, std::vector<GuardPoint> points, std::string_view program);

} // namespace ptc
