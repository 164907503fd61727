// Approval: calls of tools that somebody decides about before they are made (Tool::approval).
//
//   tool.approval = true;
//   options.approve = [](const ptc::ApprovalRequest& request) -> std::optional<ptc::ApprovalAnswer> {
//       return ask_user(request) ? ptc::ApprovalAnswer::approve() : ptc::ApprovalAnswer::deny("not this customer");
//   };
//
// A program that calls such a tool is suspended where it stands: in a loop, in a branch of pmap or pcalls, in an agent
// that another one called. It goes on from there when there is an answer; nothing is run again. So do native calls. The
// request is a need of the mission (ptc/needs.h), which a host may answer after days: Mission::save keeps it, and it
// comes up again when the mission was restored. The time in which a mission waits for nothing but approvals does not
// count against any limit, and a program's time does not pass while it waits for one.
//
// - Approved, the call is made: with its own arguments, or with changed ones, which must fit the tool's signature.
// Those
//   that do not are asked for again, with `problem`; after kMostChanges tries the call is denied.
// - Denied, the call fails with the reason `approval_denied`, which a program can catch as any failure of a tool.
// - Without MissionOptions::approve, Agent::run denies each call: nobody is there who could approve it.
// - What a cache answers (AgentTool::cache) was approved before, and is not asked for again.
//
// A guard (ptc/guard.h) may ask such a question about a call, and about four things that are none: what a model is to
// read, its reply, a program that is to run, and the result of the mission. Approved, the mission goes on with it, or
// with the `value` of the answer's arguments, which is a text for the first three. Denied, the first ends the mission
// with `approval_denied`; of the others the model reads the reason and has another turn, and nothing of a denied reply
// is done. What a program defined stays where its result is denied. Of a reply the request has the text alone, not the
// calls that it asks for.
#pragma once
#include "ptc/shared_function.h"
#include "ptc/step.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptc {

/// What is asked. Holds no firewalled values, and nothing of it outgrows a screen by much: fit to be shown and logged.
struct ApprovalRequest {
    static constexpr std::size_t kMaxArguments = std::size_t{16} << 10; ///< bytes of JSON
    static constexpr std::size_t kMaxProgram = std::size_t{16} << 10;
    static constexpr std::size_t kMostDone = 20;
    static constexpr unsigned kMostChanges = 3;

    std::string mission{}; ///< MissionOptions::id
    std::string agent{};   ///< the name of the agent that calls
    std::uint64_t run = 0; ///< which of the mission's agents at work, as MissionEvent::run
    unsigned depth = 0;
    std::size_t turn = 0;
    std::string tool{};
    std::string description{}; ///< of the tool
    /// Of a guard's question about what is no call: "before_model", "after_model", "before_program" or "result".
    /// `tool` is "" then, `arguments` are {"value": what passes}, and an answer may give other ones. "" for a call.
    std::string point{};
    Datum arguments{};      ///< a map; of arguments longer than kMaxArguments a preview, a text
    bool is_cut = false;    ///< `arguments` are a preview
    std::string program{};  ///< that waits, at most kMaxProgram of it; "" for a native call
    std::uint32_t line = 0; ///< of the call in it, from 1; 0 where it is not known
    std::uint32_t column = 0;
    std::vector<ToolUse> done{}; ///< the last kMostDone calls that this turn had answers to
    std::size_t done_before = 0; ///< calls before those
    std::string problem{};       ///< why the last answer could not be followed, or what a guard asks; "" for none
    /// The tool, or the point, for lists and logs.
    [[nodiscard]] const std::string& subject() const { return point.empty() ? tool : point; }
};

/// What somebody decided.
struct ApprovalAnswer {
    bool is_approved = false;
    std::string reason{}; ///< why it is denied: the program and the model read it, at most kMaxReason bytes of it
    /// Of a call that is approved with other arguments: all of them. Where they say `<Firewalled>`, as the request did,
    /// they are as they were. None: as they were asked for.
    std::optional<Datum> arguments{};
    std::string by{}; ///< who says so, for people; "" when that is not known

    static constexpr std::size_t kMaxReason = 2000;
    static ApprovalAnswer approve();
    static ApprovalAnswer approve_with(Datum changed);
    static ApprovalAnswer deny(std::string why);
};

/// Decides. None: not now. What throws denies.
using Approver = SharedFunction<std::optional<ApprovalAnswer>(const ApprovalRequest& request)>;

} // namespace ptc
