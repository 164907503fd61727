// The changes that a mutator makes. Each takes the text as it is, splits it into forms (text_tree.h) and gives another
// text; a few are made one after the other, and those that would make it too long are left out.
#include "tests/fuzz/mutator.h"
#include <algorithm>
#include <vector>

namespace ptc::fuzz {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == ','; }

class Change {
public:
    Change(const Grammar& grammar, std::string_view text, std::string_view other, std::size_t max_size, Random& random)
        : grammar_(grammar), text_(text), other_(other), max_size_(max_size), random_(random),
          forms_(forms_of(text, grammar.dialect)) {}

    /// One of all changes. The text itself when it does not apply.
    std::string any() {
        switch (random_.below(16)) {
        case 0:
        case 1: return replaced(any_form(), atom());
        case 2: return replaced(any_form(), text_of(any_form()));
        case 3:
        case 4: return replaced(any_form(), borrowed());
        case 5: return replaced(any_form(), "");
        case 6: return repeated();
        case 7: return swapped();
        case 8:
        case 9:
        case 10: return wrapped();
        case 11: return unwrapped();
        case 12: return with_other_head();
        case 13: return broken();
        case 14: return renamed();
        default: return with_more();
        }
    }

    /// A form of the other text in the place of one of this.
    std::string spliced() { return replaced(any_form(), borrowed()); }

private:
    [[nodiscard]] bool fits(std::size_t size) const { return size <= max_size_; }
    [[nodiscard]] std::string whole() const { return std::string(text_); }
    std::size_t any_form() { return forms_.empty() ? kNoForm : random_.below(forms_.size()); }
    std::size_t any_list() {
        for (int tries = 0; tries < 8; ++tries) {
            const std::size_t form = any_form();
            if (form != kNoForm && forms_[form].is_list()) return form;
        }
        return kNoForm;
    }
    [[nodiscard]] std::string text_of(std::size_t form) const {
        return form == kNoForm ? std::string()
                               : whole().substr(forms_[form].begin, forms_[form].end - forms_[form].begin);
    }

    std::string name() { return grammar_.names.empty() ? literal() : random_.pick(grammar_.names); }
    std::string literal() { return random_.pick(grammar_.literals); }
    std::string atom() { return random_.one_in(2) ? name() : literal(); }
    std::string example() { return grammar_.forms.empty() ? literal() : random_.pick(grammar_.forms); }

    /// A form from somewhere else: the other text, or the examples of the grammar; as often a part of one.
    std::string borrowed() {
        const std::string source = !other_.empty() && !random_.one_in(3) ? std::string(other_) : example();
        const std::vector<TextForm> forms = forms_of(source, grammar_.dialect);
        if (forms.empty()) return literal();
        const TextForm& form = random_.one_in(3) ? forms[0] : random_.pick(forms);
        return source.substr(form.begin, form.end - form.begin);
    }

    /// The text with `with` in the place of [begin, end), set off by blanks where it would run into its neighbours.
    std::string spliced_at(std::size_t begin, std::size_t end, std::string_view with) {
        if (!fits(text_.size() - (end - begin) + with.size() + 2)) return whole();
        std::string out(text_.substr(0, begin));
        const auto is_bracket = [](char c) { return std::string_view("()[]{}\"").find(c) != std::string_view::npos; };
        const auto touch = [&](char a, char b) {
            return !is_blank(a) && !is_blank(b) && !is_bracket(a) && !is_bracket(b);
        };
        if (!with.empty() && begin > 0 && touch(text_[begin - 1], with.front())) out += ' ';
        out += with;
        if (!with.empty() && end < text_.size() && touch(with.back(), text_[end])) out += ' ';
        return out.append(text_.substr(end));
    }
    std::string replaced(std::size_t form, std::string_view with) {
        if (form == kNoForm) return spliced_at(0, 0, with);
        return spliced_at(forms_[form].begin, forms_[form].end, with);
    }

    /// A form again behind itself: mostly once, sometimes often, as work that grows too fast shows in many.
    std::string repeated() {
        const std::size_t form = any_form();
        if (form == kNoForm) return whole();
        const std::string once = text_of(form);
        const std::string_view separator = separated();
        const std::size_t count = random_.one_in(4) ? 1 + random_.below(64) : 1;
        std::string all;
        for (std::size_t i = 0; i < count && fits(text_.size() + all.size() + once.size() + 2); ++i)
            all.append(separator).append(once);
        return spliced_at(forms_[form].end, forms_[form].end, all);
    }
    [[nodiscard]] std::string_view separated() const { return grammar_.dialect.comment == '\0' ? "," : " "; }

    std::string swapped() {
        std::size_t a = any_form(), b = any_form();
        if (a == kNoForm || a == b) return whole();
        if (a > b) std::swap(a, b);
        if (b < forms_[a].next) return replaced(a, text_of(b)); // one within the other: what was around it is gone
        std::string out(text_.substr(0, forms_[a].begin));
        out += text_of(b);
        out += text_.substr(forms_[a].end, forms_[b].begin - forms_[a].end);
        out += text_of(a);
        return out.append(text_.substr(forms_[b].end));
    }

    std::string filled(std::string_view wrap, std::string_view form) {
        std::string out;
        for (const char c : wrap) {
            switch (c) {
            case '%': out += form; break;
            case '$': out += name(); break;
            case '&': out += literal(); break;
            case '~': out += borrowed(); break;
            default: out += c;
            }
            if (!fits(out.size())) return std::string(form);
        }
        return out;
    }
    /// A form inside of another one; sometimes many times over. The other one is a shape, or an example whose part the
    /// form takes the place of.
    std::string wrapped() {
        const std::size_t form = any_form();
        std::string inner = form == kNoForm ? literal() : text_of(form);
        const std::size_t depth = random_.one_in(12) ? 2 + random_.below(80) : 1;
        const bool from_example = !grammar_.forms.empty() && random_.one_in(3);
        const std::string& shape = random_.pick(grammar_.wraps);
        for (std::size_t i = 0; i < depth && fits(inner.size() + text_.size()); ++i)
            inner = from_example ? inside_example(inner) : filled(shape, inner);
        return form == kNoForm ? inner : replaced(form, inner);
    }
    std::string inside_example(std::string_view inner) {
        const std::string around = example();
        const std::vector<TextForm> forms = forms_of(around, grammar_.dialect);
        if (forms.size() < 2) return std::string(inner);
        const TextForm& form = forms[1 + random_.below(forms.size() - 1)];
        return around.substr(0, form.begin) + std::string(inner) + around.substr(form.end);
    }

    std::string unwrapped() {
        const std::size_t list = any_list();
        if (list == kNoForm) return whole();
        const std::size_t parts = forms_[list].next - list - 1;
        return replaced(list, parts == 0 ? "" : text_of(list + 1 + random_.below(parts)));
    }

    std::string with_other_head() {
        const std::size_t list = any_list();
        if (list == kNoForm || list + 1 >= forms_[list].next) return whole();
        return replaced(list + 1, name());
    }

    /// Something of the text itself that no form is: a bracket, a quote, a byte, a cut.
    std::string broken() {
        if (text_.empty()) return literal();
        const std::size_t at = random_.below(text_.size());
        static constexpr std::string_view kMarks = "()[]{}\"\\#'@^`~;:/%&|,.\n\x80\xff";
        switch (random_.below(5)) {
        case 0: return spliced_at(at, at + 1, "");
        case 1: return whole().insert(at, 1, kMarks[random_.below(kMarks.size())]);
        case 2: return whole().substr(0, at);
        case 3: return whole().substr(at);
        default: {
            // A bracket of another kind, or none.
            const std::size_t list = any_list();
            if (list == kNoForm) return whole();
            const std::size_t end = random_.one_in(2) ? forms_[list].end - 1 : forms_[list].inside - 1;
            std::string out = whole();
            if (end >= out.size()) return out;
            if (random_.one_in(2)) return out.erase(end, 1);
            out[end] = kMarks[random_.below(6)];
            return out;
        }
        }
    }

    /// One atom, wherever it stands, becomes another: names meet that were two, or an own one hides a builtin.
    std::string renamed() {
        const std::size_t form = any_form();
        if (form == kNoForm || forms_[form].is_list()) return whole();
        const std::string from = text_of(form);
        const std::size_t other = any_form();
        const std::string to =
            other != kNoForm && !forms_[other].is_list() && random_.one_in(2) ? text_of(other) : atom();
        std::string out;
        std::size_t end = 0;
        for (const TextForm& f : forms_) {
            if (f.is_list() || text_.substr(f.begin, f.end - f.begin) != from) continue;
            out.append(text_.substr(end, f.begin - end)).append(to);
            end = f.end;
            if (!fits(out.size() + text_.size() - end)) return whole();
        }
        return out.append(text_.substr(end));
    }

    std::string with_more() {
        const std::size_t form = any_form();
        const std::string more = random_.one_in(2) ? borrowed() : atom();
        if (form == kNoForm) return more;
        return spliced_at(forms_[form].begin, forms_[form].begin, more + std::string(separated()));
    }

    const Grammar& grammar_;
    std::string_view text_;
    std::string_view other_;
    std::size_t max_size_;
    Random& random_;
    std::vector<TextForm> forms_;
};

} // namespace

std::string mutated(const Grammar& grammar, std::string_view text, std::size_t max_size, Random& random) {
    std::string out(text.substr(0, max_size));
    do {
        std::string next = Change(grammar, out, {}, max_size, random).any();
        if (next.size() <= max_size) out = std::move(next);
    } while (random.one_in(2));
    return out;
}

std::string crossed(const Grammar& grammar, std::string_view text, std::string_view other, std::size_t max_size,
                    Random& random) {
    std::string out(text.substr(0, max_size));
    do {
        std::string next = Change(grammar, out, other, max_size, random).spliced();
        if (next.size() <= max_size) out = std::move(next);
    } while (random.one_in(2));
    return out;
}

} // namespace ptc::fuzz
