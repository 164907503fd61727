// What a public class has behind it.
#pragma once
#include <memory>
#include <utility>

namespace ptc {

/// Owns a T, whose definition hosts do not see. A std::unique_ptr would do the same; with its tuple and its deleter,
/// each costs a host's file some twenty million instructions of its compiler, and this one a million.
template <class T> class Owned {
public:
    Owned() = default;
    Owned(std::unique_ptr<T> owned) noexcept : owned_(owned.release()) {}
    Owned(Owned&& other) noexcept : owned_(std::exchange(other.owned_, nullptr)) {}
    Owned& operator=(Owned&& other) noexcept {
        delete std::exchange(owned_, std::exchange(other.owned_, nullptr));
        return *this;
    }
    ~Owned() { delete owned_; }

    [[nodiscard]] T* operator->() const { return owned_; }
    [[nodiscard]] T& operator*() const { return *owned_; }
    [[nodiscard]] explicit operator bool() const { return owned_ != nullptr; }

private:
    T* owned_ = nullptr;
};

} // namespace ptc
