// Where objects get their memory. Small objects come from free lists, one for each multiple of 16 bytes, else from the
// end of the current chunk; medium ones from free lists of four sizes to each doubling; anything above is a block of
// its own. The start of a chunk or block says which heap it belongs to, so an object's address alone leads to its heap.
// What is counted is the size class, not the request: equal programs on equal data have equal peaks.
#include "runtime/heap.h"
#include "runtime/chunk_pool.h"
#include "runtime/system_memory.h"
#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace ptc {

// Chunks and big blocks start alike; the owner comes first so that Heap::of is one load. Of a group of chunks the first
// one is linked and has the bytes of all.
struct Heap::ChunkHeader {
    Heap* owner;
    ChunkHeader* next;
    ChunkHeader* previous;
    std::size_t bytes;
};

static constexpr std::size_t kHeaderBytes = 32;

// From this size on a heap takes its chunks as groups of a huge page each (system_memory.h): before, the rest of a
// group that no object is in would be a large part of what the heap holds.
static constexpr std::size_t kGroupsFrom = 4 * kHugePage;

Heap::~Heap() {
    if (text_places) lose_text_places();
    for (const Finalizer& f : finalizers_)
        f.close(f.object);
    for (ChunkHeader* c = big_; c;) {
        ChunkHeader* next = c->next;
        free_big_block(c);
        c = next;
    }
    for (ChunkHeader* c = chunks_; c;) {
        ChunkHeader* next = c->next;
        if (pool_ && c->bytes == kChunkSize)
            pool_->give(c);
        else
            ChunkPool::give_memory(c);
        c = next;
    }
}

// Medium classes: four to each doubling above 1 KiB. Blocks of their own have these sizes too: few, so that freed ones
// fit the next.
std::size_t Heap::medium_class(std::size_t bytes) {
    std::size_t log = std::bit_width(bytes - 1) - 1; // 2^log < bytes <= 2^(log+1)
    std::size_t step = std::size_t{1} << (log - 2);
    std::size_t quarter = (bytes - (std::size_t{1} << log) + step - 1) / step; // 1..4
    return kSmallClasses + (log - 10) * 4 + quarter - 1;
}

std::size_t Heap::class_size(std::size_t cls) {
    if (cls < kSmallClasses) return cls * 16;
    std::size_t index = cls - kSmallClasses;
    std::size_t base = std::size_t{1024} << (index / 4);
    return base + base / 4 * (index % 4 + 1);
}

std::size_t Heap::size_of(const Object* object) {
    if (object->size_class != kBigClass) return class_size(object->size_class);
    auto* header = reinterpret_cast<const ChunkHeader*>(reinterpret_cast<const char*>(object) - kHeaderBytes);
    return header->bytes;
}

// Fragmentation is bounded as well: memory held may not exceed twice the cap, whatever the sizes asked for.
bool Heap::commit(std::size_t bytes) {
    if (limit_ < SIZE_MAX / 8 && committed_ + bytes > 2 * limit_ + 16 * kChunkSize) return false;
    committed_ += bytes;
    return true;
}

/// Notes whether the system gave the memory that was committed, and takes it back if not.
bool Heap::note_given(const void* memory, std::size_t bytes) {
    is_system_out_ = !memory;
    if (!memory) committed_ -= bytes;
    return memory != nullptr;
}

/// Memory for chunks that is given back as a whole.
void Heap::add_chunks(void* memory, std::size_t bytes) {
    chunks_ = new (memory) ChunkHeader{this, chunks_, nullptr, bytes};
    next_chunk_ = static_cast<char*>(memory);
    last_chunk_end_ = next_chunk_ + bytes;
}

bool Heap::take_group() {
    if (committed_ < kGroupsFrom) return false;
    void* const group = ChunkPool::take_memory(kHugePage);
    if (group) add_chunks(group, kHugePage);
    return group != nullptr;
}

// Chunks of a group are counted as they are begun, as if each were by itself: whether a program fits its limit must not
// depend on where its memory comes from.
Object* Heap::take_slow(std::size_t size) {
    if (!commit(kChunkSize)) return nullptr;
    if (next_chunk_ == last_chunk_end_ && !take_group()) {
        void* const chunk = pool_ ? pool_->take() : ChunkPool::take_memory(kChunkSize);
        if (!note_given(chunk, kChunkSize)) return nullptr;
        add_chunks(chunk, kChunkSize);
    }
    char* const chunk = std::exchange(next_chunk_, next_chunk_ + kChunkSize);
    reinterpret_cast<ChunkHeader*>(chunk)->owner = this;
    bump_ = chunk + kHeaderBytes + size;
    bump_end_ = chunk + kChunkSize;
    return reinterpret_cast<Object*>(chunk + kHeaderBytes);
}

Object* Heap::allocate_big(ObjectType type, std::size_t bytes) {
    if (bytes <= kMaxMedium) {
        std::size_t cls = medium_class(bytes);
        return take(type, cls, class_size(cls));
    }
    if (bytes > SIZE_MAX / 4) return nullptr;
    std::size_t size = usable_size(bytes);
    if (live_ + size > limit_ || !commit(size)) return nullptr;
    void* block = pool_ ? pool_->take_big(size + kHeaderBytes) : ChunkPool::take_memory(size + kHeaderBytes);
    if (!note_given(block, size)) return nullptr;
    auto* header = static_cast<ChunkHeader*>(block);
    *header = ChunkHeader{this, big_, nullptr, size};
    if (big_) big_->previous = header;
    big_ = header;
    live_ += size;
    peak_ = std::max(peak_, live_);
    auto* object = reinterpret_cast<Object*>(reinterpret_cast<char*>(header) + kHeaderBytes);
    *object = Object{initial_refs_, type, 0, kBigClass};
    return object;
}

void Heap::free_large(Object* object) noexcept {
    if (const std::size_t cls = object->size_class; cls != kBigClass) {
        live_ -= class_size(cls);
        return put_back(object, cls);
    }
    auto* header = reinterpret_cast<ChunkHeader*>(reinterpret_cast<char*>(object) - kHeaderBytes);
    if (header->previous)
        header->previous->next = header->next;
    else
        big_ = header->next;
    if (header->next) header->next->previous = header->previous;
    live_ -= header->bytes;
    committed_ -= header->bytes;
    free_big_block(header);
}

void Heap::free_big_block(ChunkHeader* header) noexcept {
    if (pool_)
        pool_->give_big(header, header->bytes + kHeaderBytes);
    else
        ChunkPool::give_memory(header);
}

bool Heap::charge_bytes(std::size_t bytes) {
    if (bytes > limit_ || live_ + bytes > limit_) return false;
    live_ += bytes;
    peak_ = std::max(peak_, live_);
    return true;
}

Error Heap::out_of_memory() const {
    if (meter.has_run_out()) return meter.error();
    if (is_system_out_)
        return Error(Reason::MemoryExceeded,
                     "The system has no more memory for the program, which holds " + std::to_string(live_) +
                         " bytes of the " + std::to_string(limit_) +
                         " that it may. Run fewer programs at once, or give them lower limits.");
    return Error(Reason::MemoryExceeded,
                 "The program needs more memory than its limit of " + std::to_string(limit_) + " bytes.");
}

void Heap::add_finalizer(Object* object, void (*close)(Object*)) { finalizers_.push_back({object, close}); }

void Heap::run_finalizer(Object* object) noexcept {
    auto it =
        std::find_if(finalizers_.begin(), finalizers_.end(), [&](const Finalizer& f) { return f.object == object; });
    if (it == finalizers_.end()) return;
    it->close(object);
    *it = finalizers_.back();
    finalizers_.pop_back();
}

} // namespace ptc
