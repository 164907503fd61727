#include "tests/fuzz/text_tree.h"

namespace ptc::fuzz {
namespace {

class Splitter {
public:
    Splitter(std::string_view text, const Dialect& dialect) : text_(text), dialect_(dialect) {}

    std::vector<TextForm> split() {
        while (skip_blanks())
            form();
        while (open_ != kNoForm)
            close(text_.size());
        return std::move(forms_);
    }

private:
    static bool is_in(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }
    [[nodiscard]] bool ends_atom(char c) const {
        return is_in(dialect_.blanks, c) || is_in("()[]{}\"", c) || (c == dialect_.comment && c != '\0');
    }

    bool skip_blanks() {
        while (at_ < text_.size()) {
            if (dialect_.comment != '\0' && text_[at_] == dialect_.comment)
                at_ = std::min(text_.find('\n', at_), text_.size());
            else if (is_in(dialect_.blanks, text_[at_]))
                ++at_;
            else
                return true;
        }
        return false;
    }

    void form() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && is_in(dialect_.prefixes, text_[at_]))
            ++at_;
        const char c = at_ < text_.size() ? text_[at_] : ' ';
        if (is_in("([{", c)) return open(begin);
        if (c == '"') return leaf(begin, text_end());
        if (is_in(")]}", c)) {
            if (at_ > begin) return leaf(begin, at_);
            if (open_ == kNoForm) return leaf(begin, at_ + 1);
            return close(at_ + 1);
        }
        leaf(begin, atom_end());
    }

    void open(std::size_t begin) {
        forms_.push_back({.begin = begin, .inside = at_ + 1, .parent = open_});
        open_ = forms_.size() - 1;
        ++at_;
    }
    void close(std::size_t end) {
        TextForm& form = forms_[open_];
        form.end = end;
        form.next = forms_.size();
        open_ = form.parent;
        at_ = end;
    }
    void leaf(std::size_t begin, std::size_t end) {
        forms_.push_back({.begin = begin, .end = end, .inside = 0, .parent = open_, .next = forms_.size() + 1});
        at_ = end;
    }

    [[nodiscard]] std::size_t text_end() const {
        for (std::size_t i = at_ + 1; i < text_.size(); ++i) {
            if (text_[i] == '\\')
                ++i;
            else if (text_[i] == '"')
                return i + 1;
        }
        return text_.size();
    }
    [[nodiscard]] std::size_t atom_end() const {
        std::size_t i = at_;
        if (i < text_.size() && text_[i] == '\\') i = std::min(i + 2, text_.size()); // a character: \( is one
        while (i < text_.size() && !ends_atom(text_[i]))
            ++i;
        return i;
    }

    std::string_view text_;
    const Dialect& dialect_;
    std::vector<TextForm> forms_;
    std::size_t at_ = 0;
    std::size_t open_ = kNoForm;
};

} // namespace

std::vector<TextForm> forms_of(std::string_view text, const Dialect& dialect) {
    return Splitter(text, dialect).split();
}

} // namespace ptc::fuzz
