// Memory of one VM, one program's constants or one data set: an allocator with an exact byte count and a cap, and the
// meter that work on its objects is charged to. Small allocations are inline; the rest is in heap.cpp.
#pragma once
#include "ptc/result.h"
#include "runtime/meter.h"
#include "runtime/value.h"
#include <array>
#include <cstddef>
#include <vector>

namespace ptc {

inline constexpr std::size_t kChunkSize = 64 * 1024; ///< also the alignment: an object's address gives its chunk

class ChunkPool;
class ShapeTable;
class TextPlaces;

/// Size-class allocator over 64 KiB chunks with an exact byte count. Every byte is charged before it is taken, so the
/// same program on the same data has the same peak. Counted mode: objects are reference counted and reused. Frozen mode
/// (`Mode::Frozen`): objects are made with the frozen tag, live until the heap dies, and may then be read by any
/// thread. Destroying a heap gives back its chunks without visiting objects (only external resources are closed).
/// Belongs to one thread at a time.
class Heap {
public:
    enum class Mode : std::uint8_t { Counted, Frozen };
    static constexpr std::uint32_t kMaxDigits = 10'000;
    explicit Heap(Mode mode = Mode::Counted, ChunkPool* pool = nullptr)
        : initial_refs_(mode == Mode::Counted ? 1 : kImmortal), pool_(pool), mode_(mode) {}
    ~Heap();
    Heap(const Heap&) = delete;
    Heap& operator=(const Heap&) = delete;

    /// `bytes` of uninitialised memory behind an initialised header {refs, type, flags 0}, where refs is 1, or
    /// kImmortal in a frozen heap; null when the cap is reached or the system has no more (see out_of_memory). `bytes`
    /// includes the header.
    template <class T> [[nodiscard]] T* allocate(ObjectType type, std::size_t bytes = sizeof(T)) {
        return static_cast<T*>(static_cast<void*>(allocate_object(type, bytes)));
    }
    [[nodiscard]] Object* allocate_object(ObjectType type, std::size_t bytes) {
        if (bytes <= kMaxSmall) [[likely]] {
            std::size_t cls = (bytes + 15) / 16;
            return take(type, cls, cls * 16);
        }
        return allocate_big(type, bytes);
    }
    /// A value of a fresh object, with this heap's tag.
    [[nodiscard]] Value value_of(Object* object) const { return Value::adopt(tag() | reinterpret_cast<Bits>(object)); }
    [[nodiscard]] Bits tag() const { return mode_ == Mode::Counted ? bits::kCounted : bits::kFrozen; }
    [[nodiscard]] bool is_frozen() const { return mode_ == Mode::Frozen; }
    /// From now on new objects are frozen. The caller has turned every value of this heap into a frozen one.
    void freeze() {
        mode_ = Mode::Frozen;
        initial_refs_ = kImmortal;
    }

    /// Memory for `object` is given back at once; what it owns must have been released.
    void free_object(Object* object) noexcept {
        const std::size_t cls = object->size_class;
        if (cls >= kSmallClasses) [[unlikely]]
            return free_large(object);
        live_ -= cls * 16;
        put_back(object, cls);
    }
    /// What an object of `bytes` really takes: use the slack instead of growing.
    [[nodiscard]] static std::size_t usable_size(std::size_t bytes) {
        return bytes <= kMaxSmall ? (bytes + 15) / 16 * 16 : class_size(medium_class(bytes));
    }
    /// The bytes that `object` takes.
    [[nodiscard]] static std::size_t size_of(const Object* object);
    [[nodiscard]] static Heap& of(const Object* object) {
        return **reinterpret_cast<Heap**>(reinterpret_cast<std::uintptr_t>(object) & ~(kChunkSize - 1));
    }

    /// Counts memory that lives elsewhere (a compiled regex, a std::vector in a builtin); false when over the cap.
    [[nodiscard]] bool charge_bytes(std::size_t bytes);
    void refund_bytes(std::size_t bytes) { live_ -= bytes; }

    /// Forgets the places in texts.
    void forget_text_places() {
        if (text_places) drop_text_places();
    }

    void set_limit(std::size_t bytes) {
        limit_ = bytes;
        is_system_out_ = false;
    }
    [[nodiscard]] std::size_t limit() const { return limit_; }
    [[nodiscard]] std::size_t live_bytes() const { return live_; }
    [[nodiscard]] std::size_t peak_bytes() const { return peak_; }
    void reset_peak() { peak_ = live_; }
    /// Counts what heaps that share this one's limit held beside it.
    void note_peak(std::size_t bytes) {
        if (bytes > peak_) peak_ = bytes;
    }
    /// Chunks and big blocks held, in bytes.
    [[nodiscard]] std::size_t committed_bytes() const { return committed_; }
    /// The error behind an allocation that gave null: of the meter when that has run out, which some functions answer
    /// with null as well.
    [[nodiscard]] Error out_of_memory() const;
    [[nodiscard]] ChunkPool* pool() const { return pool_; }

    /// From now on, once the meter's time is over, what dies is put aside: to give back a full heap takes tens of
    /// milliseconds. For work that ends with the time, as the meter is told then (see Meter::ends_here).
    void put_aside_when_late(bool does) { puts_aside_ = does; }
    [[nodiscard]] bool has_put_aside() const { return aside_ != nullptr; }
    [[nodiscard]] bool puts_aside() const { return puts_aside_; }
    /// What was put aside, as release.cpp threads it: a list of objects that nobody owns.
    [[nodiscard]] Object* aside() const { return aside_; }
    void set_aside(Object* list) { aside_ = list; }
    /// Gives back what was put aside; where it is told to put aside, for as long as the meter's time lasts.
    void give_back_the_rest() noexcept;

    /// An object with something outside of this heap (a compiled regex): `close` is run when it or the heap dies.
    void add_finalizer(Object* object, void (*close)(Object*));
    void run_finalizer(Object* object) noexcept;

    std::uint32_t max_digits = kMaxDigits; ///< of an integer that a text spells; whatever runs programs sets it
    Meter meter;                           ///< work done on behalf of this heap's owner
    TextPlaces* text_places = nullptr;     ///< owned; null: none are known
    ShapeTable* shapes = nullptr; ///< the table that maps of this heap take their shapes from; set by the table itself

private:
    static constexpr std::size_t kMaxSmall = 1024;
    static constexpr std::size_t kMaxMedium = 32 * 1024;
    static constexpr std::size_t kSmallClasses = kMaxSmall / 16 + 1;
    static constexpr std::size_t kClasses = kSmallClasses + 20;
    static constexpr std::uint16_t kBigClass = 0xFFFF;
    struct ChunkHeader;
    struct Finalizer {
        Object* object;
        void (*close)(Object*);
    };

    Object* take(ObjectType type, std::size_t cls, std::size_t size) {
        if (live_ + size > limit_) [[unlikely]]
            return nullptr;
        Object* object = free_[cls];
        if (object) [[likely]] {
            free_[cls] = *next_of(object);
        } else if (static_cast<std::size_t>(bump_end_ - bump_) >= size) {
            object = reinterpret_cast<Object*>(bump_);
            bump_ += size;
        } else {
            object = take_slow(size);
            if (!object) return nullptr;
        }
        live_ += size;
        if (live_ > peak_) peak_ = live_;
        *object = Object{initial_refs_, type, 0, static_cast<std::uint16_t>(cls)};
        return object;
    }
    static Object** next_of(Object* object) { return reinterpret_cast<Object**>(object + 1); }
    void put_back(Object* object, std::size_t cls) noexcept {
        object->type = ObjectType::Free;
        *next_of(object) = free_[cls];
        free_[cls] = object;
    }
    // text_places.cpp
    void drop_text_places();
    void lose_text_places(); ///< of a heap that ends, with its texts
    void free_large(Object* object) noexcept;
    static std::size_t class_size(std::size_t cls);
    static std::size_t medium_class(std::size_t bytes);
    Object* take_slow(std::size_t size);
    void add_chunks(void* memory, std::size_t bytes);
    bool take_group();
    bool note_given(const void* memory, std::size_t bytes);
    Object* allocate_big(ObjectType type, std::size_t bytes);
    bool commit(std::size_t bytes);
    void free_big_block(ChunkHeader* header) noexcept;

    std::array<Object*, kClasses> free_{};
    char* bump_ = nullptr;
    char* bump_end_ = nullptr;
    std::size_t live_ = 0;
    std::size_t peak_ = 0;
    std::size_t limit_ = SIZE_MAX / 4;
    std::size_t committed_ = 0;
    char* next_chunk_ = nullptr; ///< of the memory for chunks that was taken last, up to its end
    char* last_chunk_end_ = nullptr;
    ChunkHeader* chunks_ = nullptr;
    ChunkHeader* big_ = nullptr;
    Object* aside_ = nullptr;
    std::vector<Finalizer> finalizers_;
    std::uint32_t initial_refs_;
    ChunkPool* pool_;
    Mode mode_;
    bool puts_aside_ = false;
    bool is_system_out_ = false; ///< the system did not give what was asked for last, under this limit
};

} // namespace ptc
