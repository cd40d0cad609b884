#include <exportd/csv/formula.hpp>
#include <exportd/csv/writer.hpp>

#include <cstdint>
#include <cstring>

namespace exportd::csv {
namespace {

// 16 bytes compared at once; GCC and clang lower this to SSE2 or NEON.
using byte_vector = std::uint8_t __attribute__((vector_size(16)));
constexpr std::size_t vector_bytes = sizeof(byte_vector);

// Whether the 16 bytes hold a comma, a double quote, LF or CR.
bool any_special(const char* bytes) noexcept {
    byte_vector v;
    std::memcpy(&v, bytes, sizeof v);
    const auto hit = (v == ',') | (v == '"') | (v == '\n') | (v == '\r');
    std::uint64_t halves[2];
    std::memcpy(halves, &hit, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

// The same for `text`, of which `padding` readable bytes that are never special follow.
bool padded_has_special(const char* text, std::size_t size) noexcept {
    for (std::size_t i = 0; i < size; i += vector_bytes) {
        if (any_special(text + i)) return true;
    }
    return false;
}

bool has_outer_space(std::string_view text) noexcept {
    return !text.empty() && (text.front() == ' ' || text.back() == ' ');
}

void append_quoted(rows::byte_buffer& out, std::string_view prefix, std::string_view text) {
    char* at = out.ensure(2 * text.size() + prefix.size() + 2);
    *at++ = '"';
    for (const char c : prefix)
        *at++ = c;
    while (!text.empty()) {
        const auto* quote = static_cast<const char*>(std::memchr(text.data(), '"', text.size()));
        const std::size_t run =
            quote == nullptr ? text.size() : static_cast<std::size_t>(quote - text.data()) + 1;
        std::memcpy(at, text.data(), run);
        at += run;
        if (quote != nullptr) *at++ = '"';
        text.remove_prefix(run);
    }
    *at++ = '"';
    out.commit(at);
}

}  // namespace

bool looks_like_formula(std::string_view text) noexcept {
    return formula::begins_with_trigger(text);
}

void append_text(rows::byte_buffer& out, std::string_view text, formula_guard guard) {
    if (guard == formula_guard::on && looks_like_formula(text)) {
        return append_quoted(out, "'", text);
    }
    if (text.empty() || has_outer_space(text)) return append_quoted(out, {}, text);

    // Copied first and looked through in the copy, behind which there is room for the padding
    // that the last vector needs.
    char* at = out.ensure(text.size() + vector_bytes);
    std::memcpy(at, text.data(), text.size());
    std::memset(at + text.size(), 0, vector_bytes);
    if (padded_has_special(at, text.size())) return append_quoted(out, {}, text);
    out.commit(at + text.size());
}

std::size_t begin_field(rows::byte_buffer& out) {
    const std::size_t mark = out.size();
    char* at = out.ensure(1);
    *at = '"';
    out.commit(at + 1);
    return mark;
}

void end_field(rows::byte_buffer& out, std::size_t mark, bool quoted) {
    if (quoted) {
        char* at = out.ensure(1);
        *at = '"';
        out.commit(at + 1);
        return;
    }
    char* field = out.data() + mark;
    std::memmove(field, field + 1, out.size() - mark - 1);
    out.truncate(out.size() - 1);
}

}  // namespace exportd::csv
