// Callables that hosts give: tools, models, events.
#pragma once
#include <cstddef>
#include <memory>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace ptc {

/// Ends in std::bad_function_call.
[[noreturn]] void call_of_empty_function();

template <class Signature> class SharedFunction;

/// Any callable that can be called as R(A...): a function, a lambda, an object, a std::function; also one that can only
/// be moved, such as a lambda that owns a connection. Copies share it, so that options with callables can be copied: a
/// callable that counts its calls counts those of all copies. It is destroyed with the last copy. Whether it may be
/// called on several threads at once is up to whom it is given to: each place that takes one says on which threads it
/// is called. Calling an empty one throws std::bad_function_call.
template <class R, class... A> class SharedFunction<R(A...)> {
public:
    SharedFunction() noexcept = default;
    SharedFunction(std::nullptr_t) noexcept {}
    template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, SharedFunction> && !std::is_member_pointer_v<std::decay_t<F>> &&
             std::is_invocable_r_v<R, std::decay_t<F>&, A...>) SharedFunction(F&& callable) {
        using Callable = std::decay_t<F>;
        if (is_empty<Callable>(callable)) return;
        callable_ = std::make_shared<Callable>(std::forward<F>(callable));
        type_ = &typeid(Callable);
        call_ = [](void* kept, A&&... arguments) -> R {
            if constexpr (std::is_void_v<R>)
                (*static_cast<Callable*>(kept))(std::forward<A>(arguments)...);
            else
                return static_cast<R>((*static_cast<Callable*>(kept))(std::forward<A>(arguments)...));
        };
    }

    R operator()(A... arguments) const {
        if (!callable_) [[unlikely]]
            call_of_empty_function();
        return call_(callable_.get(), std::forward<A>(arguments)...);
    }
    /// What it was made from, if that is an F; else null.
    template <class F> [[nodiscard]] const F* target() const noexcept {
        return type_ && *type_ == typeid(F) ? static_cast<const F*>(callable_.get()) : nullptr;
    }
    [[nodiscard]] explicit operator bool() const noexcept { return callable_ != nullptr; }
    friend bool operator==(const SharedFunction& function, std::nullptr_t) noexcept { return !function; }

private:
    /// A null pointer, or an empty std::function or SharedFunction of another type.
    template <class F> static bool is_empty(const F& callable) {
        if constexpr (std::is_pointer_v<F>)
            return callable == nullptr;
        else if constexpr (requires { callable.operator bool(); })
            return !callable;
        else
            return false;
    }

    std::shared_ptr<void> callable_;
    const std::type_info* type_ = nullptr;
    R (*call_)(void* kept, A&&... arguments) = nullptr;
};

} // namespace ptc
