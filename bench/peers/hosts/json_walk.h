// A small JSON reader for hosts whose language has none: calls a builder, which makes the language's own values. It
// trusts its input, which bench/peers/gen_data.py wrote.
//
// The builder has: null() boolean(b) integer(i) number(d) string(p, n) array_begin() array_item(i) object_begin()
// key(p, n) object_item().
#pragma once
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

namespace bench {

template <class Builder> class JsonWalk {
public:
    JsonWalk(Builder& builder, const std::string& text) : build_(builder), at_(text.data()) {}

    void value() {
        blank();
        switch (*at_) {
        case '{': object(); break;
        case '[': array(); break;
        case '"': text(&Builder::string); break;
        case 't': at_ += 4, build_.boolean(true); break;
        case 'f': at_ += 5, build_.boolean(false); break;
        case 'n': at_ += 4, build_.null(); break;
        default: number();
        }
    }

private:
    void blank() {
        while (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')
            ++at_;
    }
    void object() {
        ++at_;
        build_.object_begin();
        for (blank(); *at_ != '}'; blank()) {
            text(&Builder::key);
            blank();
            ++at_; // :
            value();
            build_.object_item();
            blank();
            if (*at_ == ',') ++at_;
        }
        ++at_;
    }
    void array() {
        ++at_;
        build_.array_begin();
        std::size_t index = 0;
        for (blank(); *at_ != ']'; blank()) {
            value();
            build_.array_item(index++);
            blank();
            if (*at_ == ',') ++at_;
        }
        ++at_;
    }
    void text(void (Builder::*emit)(const char*, std::size_t)) {
        const char* start = ++at_;
        while (*at_ != '"' && *at_ != '\\')
            ++at_;
        if (*at_ == '"') {
            (build_.*emit)(start, static_cast<std::size_t>(at_++ - start));
            return;
        }
        std::string unescaped(start, at_);
        for (; *at_ != '"'; ++at_)
            unescaped += *at_ == '\\' ? escaped(*++at_) : *at_;
        ++at_;
        (build_.*emit)(unescaped.data(), unescaped.size());
    }
    static char escaped(char c) { return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c; }
    void number() {
        const char* start = at_;
        at_ += std::strspn(at_, "+-0123456789");
        if (*at_ != '.' && *at_ != 'e' && *at_ != 'E') {
            build_.integer(std::strtoll(start, nullptr, 10));
            return;
        }
        char* end = nullptr;
        build_.number(std::strtod(start, &end));
        at_ = end;
    }

    Builder& build_;
    const char* at_;
};

} // namespace bench
