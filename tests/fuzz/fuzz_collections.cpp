// An input is a program for the collection machine (tests/runtime/collection_machine.h), after two bytes: which kind of
// collection, with how many frozen elements it starts, and whether memory is scarce. Versions that are still held must
// never change, and whatever happens, all memory comes back.
#include "tests/fuzz/fuzz_check.h"
#include "tests/runtime/collection_machine.h"

namespace {

using namespace ptc;
using namespace ptc::test;

template <class T> T must(Result<T> result) {
    FUZZ_CHECK(result.ok());
    return std::move(result).value();
}

Value frozen(VectorKind, Heap& heap, int size, std::vector<int>& model) {
    VectorBuilder builder(heap);
    for (int i = 0; i < size; ++i) {
        FUZZ_CHECK(builder.push(must(item_of(heap, i))));
        model.push_back(i);
    }
    return must(builder.finish());
}

template <bool text_only> Value frozen(MapKind<text_only>, Heap& heap, int size, std::map<int, int>& model) {
    MapBuilder builder(heap);
    for (int i = 0; i < size; ++i) {
        FUZZ_CHECK(builder.put(must(key_of(heap, i, text_only)), must(item_of(heap, i))));
        model[i] = i;
    }
    return must(builder.finish());
}

Value frozen(SetKind, Heap& heap, int size, std::set<int>& model) {
    SetBuilder builder(heap);
    for (int i = 0; i < size; ++i) {
        FUZZ_CHECK(builder.put(must(key_of(heap, i, false))));
        model.insert(i);
    }
    return must(builder.finish());
}

template <class Kind> void run(int size, bool is_scarce, std::span<const std::uint8_t> program) {
    Heap frozen_heap(Heap::Mode::Frozen);
    ShapeTable frozen_shapes(frozen_heap);
    typename Kind::Model model;
    Value value = frozen(Kind{}, frozen_heap, size, model);

    Heap heap;
    if (is_scarce) heap.set_limit(16 * 1024);
    {
        ShapeTable shapes(heap);
        Machine<Kind> machine(heap);
        machine.preset(std::move(value), std::move(model));
        machine.run(ByteStream(program));
        FUZZ_CHECK(machine.problem.empty());
        FUZZ_CHECK(is_scarce || !machine.heap_full);
    }
    FUZZ_CHECK(heap.live_bytes() == 0);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2 || size > 1500) return 0; // Longer programs find nothing that shorter ones do not.
    const bool is_scarce = data[0] & 0x80;
    const int preset = data[1] * (data[0] & 0x40 ? 8 : 1);
    const std::span<const std::uint8_t> program(data + 2, size - 2);
    switch (data[0] & 3) {
    case 0: run<VectorKind>(preset, is_scarce, program); break;
    case 1: run<MapKind<true>>(preset, is_scarce, program); break;
    case 2: run<MapKind<false>>(preset, is_scarce, program); break;
    default: run<SetKind>(preset, is_scarce, program);
    }
    return 0;
}
