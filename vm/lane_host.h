// What the branches of a lane see of their host.
#pragma once
#include "vm/lane.h"
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

/// Reads the journal as it was when the round began, and in front of it what the branch in force, or one around it, has
/// done since; collects that for the run, and charges the lane's heap for it meanwhile. What other branches do is not
/// seen before it has been handed over: so nothing depends on which branches share a lane.
class Lane::Host final : public HostServices {
public:
    Host(Lane& lane, HostServices& run) : lane_(lane), run_(run), has_journal_(run.has_journal()) {}

    bool print(std::string_view) override { return true; }
    std::int64_t now_millis() override { return run_.now_millis(); }
    Result<Value> budget(Heap& heap, ShapeTable& shapes) override { return run_.budget(heap, shapes); }
    bool has_task(std::string_view id) override;
    Result<Value> task_value(Heap& heap, ShapeTable& shapes, std::string_view id) override;
    [[nodiscard]] bool has_journal() const override { return has_journal_; }
    Result<std::unique_ptr<SaidTask>> say_task(Heap& heap, std::string_view id, const Value& value) override {
        return run_.say_task(heap, id, value);
    }
    Result<Value> value_of(Heap& heap, const SaidTask& said) override { return run_.value_of(heap, said); }
    Result<void> keep_task(std::string_view id, std::unique_ptr<SaidTask> said) override;
    void forget_task(std::string_view id) override;
    [[nodiscard]] bool may_return() const override { return false; }

    /// Between rounds: whether the run's journal has it.
    [[nodiscard]] bool is_done(std::string_view id) { return run_.has_task(id); }
    /// What the branch did, the one around it has done.
    void end(const Branch& branch);
    [[nodiscard]] std::vector<TaskNote> take();

private:
    struct Entry {
        const Branch* owner; ///< null: a branch of the fork that has ended
        TaskNote note;
    };
    /// The last one that the branch in force sees; null for none.
    [[nodiscard]] const TaskNote* find(std::string_view id) const;
    Result<void> add(std::string_view id, std::unique_ptr<SaidTask> said);

    Lane& lane_;
    HostServices& run_;
    const bool has_journal_;
    std::vector<Entry> entries_;
    std::map<std::string, std::vector<std::size_t>, std::less<>> places_; ///< in `entries_`, by id
    std::size_t charged_ = 0;                                             ///< to the lane's heap
};

} // namespace ptc
