#include <exportd/csv/formula.hpp>
#include <exportd/csv/writer.hpp>

#include <cstdint>
#include <cstring>

namespace exportd::csv {
namespace {

// 16 bytes compared at once; GCC and clang lower this to SSE2 or NEON.
using byte_vector = std::uint8_t __attribute__((vector_size(16)));
constexpr std::size_t vector_bytes = sizeof(byte_vector);

// The lanes of `v` that are a comma, a double quote, LF or CR.
byte_vector special_lanes(byte_vector v) noexcept {
    const auto lanes = (v == ',') | (v == '"') | (v == '\n') | (v == '\r');
    return reinterpret_cast<byte_vector>(lanes);
}

bool any_lane(byte_vector v) noexcept {
    std::uint64_t halves[2];
    std::memcpy(halves, &v, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

// Copies the first and the last sizeof(Word) bytes of a text that is at least that and at most
// twice that long, so they meet or overlap; the copied bytes as a vector.
template <class Word>
byte_vector copy_ends(char* out, const char* text, std::size_t size) noexcept {
    Word ends[2];
    std::memcpy(&ends[0], text, sizeof(Word));
    std::memcpy(&ends[1], text + size - sizeof(Word), sizeof(Word));
    std::memcpy(out, &ends[0], sizeof(Word));
    std::memcpy(out + size - sizeof(Word), &ends[1], sizeof(Word));
    byte_vector v{};
    std::memcpy(&v, ends, sizeof ends);
    return v;
}

byte_vector copy_block(char* out, const char* text) noexcept {
    byte_vector v;
    std::memcpy(&v, text, sizeof v);
    std::memcpy(out, &v, sizeof v);
    return v;
}

// Copies a text that is not empty. Returns whether it holds a comma, a double quote, LF or CR.
bool copy_and_look(char* out, const char* text, std::size_t size) noexcept {
    if (size < 2) return any_lane(special_lanes(copy_ends<std::uint8_t>(out, text, size)));
    if (size < 4) return any_lane(special_lanes(copy_ends<std::uint16_t>(out, text, size)));
    if (size < 8) return any_lane(special_lanes(copy_ends<std::uint32_t>(out, text, size)));
    if (size < vector_bytes) {
        return any_lane(special_lanes(copy_ends<std::uint64_t>(out, text, size)));
    }
    byte_vector found{};
    const std::size_t last = size - vector_bytes;
    for (std::size_t i = 0; i < last; i += vector_bytes)
        found |= special_lanes(copy_block(out + i, text + i));
    found |= special_lanes(copy_block(out + last, text + last));
    return any_lane(found);
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

    char* at = out.ensure(text.size());
    if (copy_and_look(at, text.data(), text.size())) return append_quoted(out, {}, text);
    out.commit(at + text.size());
}

}  // namespace exportd::csv
