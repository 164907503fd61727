// Asks the guards of the mission, then those of the agent: each looks at what the one before it left. The first refusal
// ends it; one that asks does not, as those behind it may still refuse.
#include "subagent/agent/guards.h"
#include "frontend/quoted.h"
#include <algorithm>
#include <exception>

namespace ptc {
namespace {

bool looks(const Guard& guard, GuardPoint point) {
    return std::ranges::find(guard.points, point) != guard.points.end();
}

/// A guard that breaks lets nothing pass.
Verdict verdict_of(const Guard& guard, const Guarded& seen) {
    try {
        return guard.check(seen);
    } catch (const std::exception& error) {
        return Verdict::refuse("The guard failed: " + std::string(error.what()));
    } catch (...) {
        return Verdict::refuse("The guard failed.");
    }
}

std::string refusal_of(const Guard& guard, const Verdict& verdict) {
    const std::string by = "The guard " + quoted(guard.name);
    if (verdict.kind == Verdict::Kind::Ask)
        return by + " wants a person to decide, and nobody can be asked here: " + verdict.message;
    return by + " refused this" + (verdict.message.empty() ? "." : ": " + verdict.message);
}

} // namespace

bool Guards::look_at(GuardPoint point) const {
    const auto is_for = [point](const Guard& guard) { return looks(guard, point); };
    return std::ranges::any_of(core_.env.options.guards, is_for) || std::ranges::any_of(core_.options().guards, is_for);
}

/// Makes of what passes what the guard wants; else why that cannot be.
std::optional<std::string> Guards::change(const Guard& guard, Verdict& verdict, Datum& value,
                                          std::vector<Attachment>* attachments, bool& is_changed) {
    if (verdict.attachments) {
        const Result<void> fine = check_attachments(*verdict.attachments);
        const std::string by = "The guard " + quoted(guard.name) + " gave attachments ";
        if (!fine.ok()) return by + "that are not allowed: " + fine.error().message;
        if (!attachments && !verdict.attachments->empty()) return by + "where there can be none.";
        if (attachments) *attachments = std::move(*verdict.attachments);
    }
    if (verdict.keeps_value) return std::nullopt;
    value = std::move(verdict.value);
    is_changed = true;
    return std::nullopt;
}

Guards::Decision Guards::decide(GuardPoint point, Datum& value, std::string_view tool, const Datum* arguments,
                                std::vector<Attachment>* attachments) const {
    Decision decision;
    const auto shown = [&](const std::string& text) { return hidden(text, value, arguments); };
    for (const std::vector<Guard>* guards : {&core_.env.options.guards, &core_.options().guards}) {
        for (const Guard& guard : *guards) {
            if (!looks(guard, point)) continue;
            const Guarded seen{.point = point,
                               .value = value,
                               .tool = tool,
                               .arguments = arguments,
                               .agent = core_.options().name,
                               .run = core_.state.run,
                               .depth = core_.state.depth,
                               // A prompt is of the turn that it begins.
                               .turn = core_.state.turn + (point == GuardPoint::BeforeModel ? 1 : 0),
                               .host = &core_.env.options.host_value,
                               .attachments = attachments ? std::span<const Attachment>(*attachments)
                                                          : std::span<const Attachment>()};
            Verdict verdict = verdict_of(guard, seen);
            if (verdict.kind == Verdict::Kind::Allow) continue;
            tell(guard, seen, verdict, shown(verdict.message));
            if (verdict.kind == Verdict::Kind::Refuse) {
                decision.question.reset();
                decision.refusal = shown(refusal_of(guard, verdict));
                return decision;
            }
            if (verdict.kind == Verdict::Kind::Ask) { // whoever is behind it may still refuse
                if (decision.question) continue;
                decision.refusal = shown(refusal_of(guard, verdict));
                decision.question = shown("The guard " + quoted(guard.name) + " asks: " + verdict.message);
                continue;
            }
            if (auto why = change(guard, verdict, value, attachments, decision.is_changed)) {
                decision.question.reset();
                decision.refusal = std::move(why);
                return decision;
            }
        }
    }
    return decision;
}

/// What a guard says may hold what it looked at, of which the agent may not have learnt the secrets yet.
std::string Guards::hidden(const std::string& text, const Datum& value, const Datum* arguments) const {
    if (text.empty()) return text;
    Secrets secrets = core_.state.secrets;
    learn_secrets(secrets, value);
    if (arguments) learn_secrets(secrets, *arguments);
    return without_secrets(secrets, text);
}

Guards::Decision Guards::decide(GuardPoint point, std::string& text, std::vector<Attachment>* attachments) const {
    if (!look_at(point)) return {};
    Datum value(text);
    Decision decision = decide(point, value, {}, nullptr, attachments);
    if (decision.is_changed && !value.text()) decision.refusal = "A guard made something of the text that is no text.";
    if (decision.is_changed && value.text()) text = *value.text();
    return decision;
}

void Guards::tell(const Guard& guard, const Guarded& seen, const Verdict& verdict, std::string message) const {
    MissionEvent event = core_.event(MissionEvent::Kind::Guard);
    event.ok = verdict.kind == Verdict::Kind::Change;
    event.guard = guard.name;
    event.point = guard_point_name(seen.point);
    event.reason = verdict_name(verdict.kind);
    event.message = std::move(message);
    event.tool = seen.tool;
    core_.env.emit(event);
}

} // namespace ptc
