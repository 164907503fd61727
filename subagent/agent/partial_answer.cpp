// The beginning of a JSON value, ended so that it can be read. One walk over the text keeps two places: behind the last
// value that is whole, where what is open can be closed, and within a text, where a quote can stand. What is not whole
// (a number that may go on, a name without its value, half an escape) is left out; whether the rest is JSON, the reader
// of JSON finds.
#include "ptc/partial_answer.h"

namespace ptc {
namespace {

/// Goes through the beginning of a JSON value, and remembers where it can be ended. It checks nothing: whoever reads
/// the ended text does.
class Ending {
public:
    explicit Ending(std::string_view json) : json_(json) {
        while (at_ < json_.size() && !is_whole_)
            step();
    }
    [[nodiscard]] bool is_whole() const { return is_whole_; }
    /// The value, ended.
    [[nodiscard]] std::string text() const {
        if (is_in_text_ && !is_key_) return std::string(json_.substr(0, good_)) + '"' + closers(open_);
        return std::string(json_.substr(0, end_)) + closers(open_at_end_);
    }

private:
    static std::string closers(const std::string& open) { return {open.rbegin(), open.rend()}; }
    void can_end(std::size_t at) {
        end_ = at;
        open_at_end_ = open_;
    }
    void step() {
        const char c = json_[at_];
        if (is_in_text_) return step_in_text(c);
        switch (c) {
        case '"':
            is_in_text_ = true;
            good_ = at_ + 1;
            break;
        case '{':
        case '[':
            open_ += c == '{' ? '}' : ']';
            is_key_ = c == '{';
            can_end(at_ + 1);
            break;
        case '}':
        case ']': close(); break;
        case ',':
            end_word();
            is_key_ = open_.ends_with('}');
            break;
        case ':': is_key_ = false; break;
        case ' ':
        case '\t':
        case '\r':
        case '\n': end_word(); break;
        default: is_in_word_ = true;
        }
        ++at_;
    }
    void end_word() {
        if (is_in_word_) can_end(at_);
        is_in_word_ = false;
    }
    void close() {
        end_word();
        if (!open_.empty()) open_.pop_back();
        is_key_ = false;
        can_end(at_ + 1);
        is_whole_ = open_.empty();
    }
    void step_in_text(char c) {
        if (c == '"') {
            is_in_text_ = false;
            if (!is_key_) can_end(at_ + 1);
        } else if (c == '\\') {
            return step_over_escape();
        }
        good_ = ++at_;
    }
    /// An escape is whole or left out; so are the two that are one character.
    void step_over_escape() {
        const bool is_code = json_.substr(at_ + 1).starts_with('u');
        const std::size_t size = is_code ? 6 : 2;
        if (at_ + size > json_.size()) return void(at_ = json_.size());
        const std::string_view code = json_.substr(at_, size);
        const bool is_half = is_code && (code[2] == 'd' || code[2] == 'D') &&
                             std::string_view("89abAB").find(code[3]) != std::string_view::npos;
        at_ += size;
        if (!is_half) good_ = at_;
    }

    std::string_view json_;
    std::size_t at_ = 0;
    std::string open_{};        ///< what closes the brackets that are open
    std::size_t end_ = 0;       ///< where the value can end, outside of a text
    std::string open_at_end_{}; ///< `open_` there
    std::size_t good_ = 0;      ///< in a text: where it can end
    bool is_in_text_ = false;
    bool is_in_word_ = false; ///< a number, true, false or null
    bool is_key_ = false;     ///< the next text, or this one, is a member's name
    bool is_whole_ = false;
};

std::string_view json_in(std::string_view text) {
    const std::size_t begin = text.find_first_of("{[");
    return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

} // namespace

void PartialAnswer::add(const LlmDelta& delta) {
    if (delta.kind == LlmDelta::Kind::Restart) text_.clear();
    if (delta.kind == LlmDelta::Kind::Text) text_ += delta.text;
}

void PartialAnswer::add(const MissionDelta& delta) {
    if (!delta.is_answer) return;
    if (delta.run != run_ || delta.turn != turn_ || delta.attempt != attempt_) text_.clear();
    run_ = delta.run;
    turn_ = delta.turn;
    attempt_ = delta.attempt;
    add(delta.delta);
}

std::optional<Datum> PartialAnswer::value() const {
    const std::string_view json = json_in(text_);
    if (json.empty()) return std::nullopt;
    Result<Datum> read = Datum::from_json(Ending(json).text());
    return read.ok() ? std::optional(std::move(read).value()) : std::nullopt;
}

bool PartialAnswer::is_whole() const {
    const std::string_view json = json_in(text_);
    return !json.empty() && Ending(json).is_whole() && value().has_value();
}

} // namespace ptc
