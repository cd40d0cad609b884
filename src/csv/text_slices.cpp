#include <exportd/csv/text_slices.hpp>

#include <algorithm>

namespace exportd::csv {

text_slices::text_slices(std::string_view text, formula_guard guard) noexcept
    : text_{text},
      guarded_{guard == formula_guard::on && looks_like_formula(text)},
      quoted_{guarded_ || text.empty() || text.front() == ' ' || text.back() == ' '} {
}

// Decides, over as many calls as it takes, whether the field is quoted; true once it is known.
bool text_slices::look(std::size_t budget) noexcept {
    if (quoted_ || looked_ == text_.size()) return true;
    const auto slice = text_.substr(looked_, budget);
    looked_ += slice.size();
    quoted_ = slice.find_first_of(",\"\r\n") != std::string_view::npos;
    return quoted_;
}

bool text_slices::append_some(rows::byte_buffer& out, std::size_t budget) {
    if (!look(budget)) return false;
    if (!opened_) {
        if (quoted_) out.append("\"");
        if (guarded_) out.append("'");
        opened_ = true;
    }
    const auto slice = text_.substr(written_, budget);
    char* at = out.ensure(2 * slice.size() + 1);
    for (const char c : slice) {
        *at++ = c;
        if (c == '"') *at++ = '"';
    }
    written_ += slice.size();
    const bool complete = written_ == text_.size();
    if (complete && quoted_) *at++ = '"';
    out.commit(at);
    return complete;
}

}  // namespace exportd::csv
