#include "vm/lane_host.h"
#include "vm/vm_errors.h"
#include <algorithm>

namespace ptc {
namespace {
constexpr std::size_t kMostIdBytes = 1000;
} // namespace

bool Lane::Host::has_task(std::string_view id) {
    if (!has_journal_) return false;
    const TaskNote* note = find(id);
    const bool is_kept = note ? note->said != nullptr : run_.has_task(id);
    if (!is_kept && id.size() <= kMostIdBytes) // a longer one cannot be kept
        lane_.in_force_->open_tasks.push_back({std::string(id), lane_.vm_.fiber_.depth});
    return is_kept;
}

Result<Value> Lane::Host::task_value(Heap& heap, ShapeTable& shapes, std::string_view id) {
    const TaskNote* note = find(id);
    return note && note->said ? run_.value_of(heap, *note->said) : run_.task_value(heap, shapes, id);
}

Result<void> Lane::Host::keep_task(std::string_view id, std::unique_ptr<SaidTask> said) {
    std::vector<OpenTask>& open = lane_.in_force_->open_tasks;
    const auto own = std::find_if(open.rbegin(), open.rend(), [id](const OpenTask& task) { return task.id == id; });
    const bool is_refused = own != open.rend() && own->is_refused;
    if (own != open.rend()) open.erase(std::prev(own.base()));
    if (is_refused) return second_task(id);
    return add(id, std::move(said));
}

void Lane::Host::forget_task(std::string_view id) {
    if (has_journal_) (void)add(id, nullptr); // without memory for it, the task stays
}

void Lane::Host::end(const Branch& branch) {
    for (Entry& entry : entries_) {
        if (entry.owner == &branch) entry.owner = parent_of(&branch);
    }
}

std::vector<TaskNote> Lane::Host::take() {
    std::vector<TaskNote> notes;
    notes.reserve(entries_.size());
    for (Entry& entry : entries_)
        notes.push_back(std::move(entry.note));
    entries_.clear();
    places_.clear();
    lane_.vm_.heap.refund_bytes(std::exchange(charged_, 0));
    return notes;
}

const TaskNote* Lane::Host::find(std::string_view id) const {
    const auto places = places_.find(id);
    if (places == places_.end()) return nullptr;
    for (std::size_t i = places->second.size(); i-- > 0;) {
        const Entry& entry = entries_[places->second[i]];
        for (const Branch* branch = lane_.in_force_; branch; branch = parent_of(branch)) {
            if (entry.owner == branch) return &entry.note;
        }
    }
    return nullptr;
}

Result<void> Lane::Host::add(std::string_view id, std::unique_ptr<SaidTask> said) {
    constexpr std::size_t kEntryBytes = 256; // its places, and what allocators add
    const std::size_t bytes = kEntryBytes + 2 * id.size() + (said ? said->bytes : 0);
    Heap& heap = lane_.vm_.heap;
    if (!heap.charge_bytes(bytes)) return heap.out_of_memory();
    charged_ += bytes;
    places_[std::string(id)].push_back(entries_.size());
    entries_.push_back({lane_.in_force_, {std::string(id), std::move(said)}});
    return {};
}

} // namespace ptc
