#include "cell_encoders.hpp"

#include <exportd/csv/text_slices.hpp>
#include <exportd/format/decimal.hpp>
#include <exportd/format/iso.hpp>
#include <exportd/rows/wire.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace exportd::exports {
namespace {

using rows::byte_buffer;
using rows::value_kind;

[[noreturn]] void malformed(const cell_place& at) {
    throw std::runtime_error{
        fmt::format("column {} holds bytes that its type does not allow", at.name)};
}

// An integer or numeric of the wire as a decimal. nullopt: malformed.
std::optional<format::decimal> to_decimal(value_kind kind, std::string_view wire) noexcept {
    if (kind == value_kind::numeric) return format::parse_numeric(wire);
    if (kind == value_kind::int8 && wire.size() == 8)
        return format::decimal::from_int64(rows::load_big<std::int64_t>(wire.data()));
    if (kind == value_kind::int4 && wire.size() == 4)
        return format::decimal::from_int64(rows::load_big<std::int32_t>(wire.data()));
    if (kind == value_kind::int2 && wire.size() == 2)
        return format::decimal::from_int64(rows::load_big<std::int16_t>(wire.data()));
    if (kind == value_kind::oid && wire.size() == 4) {
        return format::decimal::from_int64(
            static_cast<std::uint32_t>(rows::load_big<std::int32_t>(wire.data())));
    }
    return std::nullopt;
}

// A field whose writer tells afterwards whether it has to be quoted.
template <class Write>
format::text_flags append_field(byte_buffer& out, Write write) {
    const std::size_t mark = csv::begin_field(out);
    const format::text_flags flags = write();
    csv::end_field(out, mark, flags.needs_quotes);
    return flags;
}

class text_field_slices final : public field_slices {
public:
    text_field_slices(std::string_view text, csv::formula_guard guard) : slices_{text, guard} {}
    bool append_some(byte_buffer& out, std::size_t budget) override {
        return slices_.append_some(out, budget);
    }

private:
    csv::text_slices slices_;
};

// A bytea as append_bytea() writes it.
class hex_field_slices final : public field_slices {
public:
    explicit hex_field_slices(std::string_view bytes) : bytes_{bytes} {}

    bool append_some(byte_buffer& out, std::size_t budget) override {
        constexpr std::string_view digits = "0123456789abcdef";
        if (written_ == 0) out.append("\\x");
        const auto slice = bytes_.substr(written_, std::max<std::size_t>(budget / 2, 1));
        char* at = out.ensure(2 * slice.size());
        for (const char c : slice) {
            const auto byte = static_cast<unsigned char>(c);
            *at++ = digits[byte >> 4U];
            *at++ = digits[byte & 15U];
        }
        out.commit(at);
        written_ += slice.size();
        return written_ == bytes_.size();
    }

private:
    std::string_view bytes_;
    std::size_t written_ = 0;
};

class text_encoder final : public column_encoder {
public:
    text_encoder(cell_place at, value_kind kind, csv::formula_guard guard)
        : at_{std::move(at)}, skip_{kind == value_kind::jsonb ? 1U : 0U}, guard_{guard} {}

    void append(byte_buffer& out, const rows::cell* row) override {
        const auto& c = row[at_.index];
        if (!c.is_null()) csv::append_text(out, text_of(c), guard_);
    }

    std::unique_ptr<field_slices> slices(const rows::cell* row) const override {
        const auto& c = row[at_.index];
        if (c.is_null()) return nullptr;
        return std::make_unique<text_field_slices>(text_of(c), guard_);
    }

private:
    std::string_view text_of(const rows::cell& c) const {
        const auto bytes = c.bytes();
        if (bytes.size() < skip_) malformed(at_);
        return bytes.substr(skip_);
    }

    cell_place at_;
    std::size_t skip_;  // jsonb begins with its version
    csv::formula_guard guard_;
};

// Types whose text never holds a special character.
using append_plain_bytes = bool (*)(byte_buffer&, std::string_view);

class plain_encoder final : public column_encoder {
public:
    plain_encoder(cell_place at, append_plain_bytes write) : at_{std::move(at)}, write_{write} {}

    void append(byte_buffer& out, const rows::cell* row) override {
        const auto& c = row[at_.index];
        if (!c.is_null() && !write_(out, c.bytes())) malformed(at_);
    }

private:
    cell_place at_;
    append_plain_bytes write_;
};

class bytea_encoder final : public column_encoder {
public:
    explicit bytea_encoder(cell_place at) : at_{std::move(at)} {}

    void append(byte_buffer& out, const rows::cell* row) override {
        const auto& c = row[at_.index];
        if (!c.is_null()) format::append_bytea(out, c.bytes());
    }

    std::unique_ptr<field_slices> slices(const rows::cell* row) const override {
        const auto& c = row[at_.index];
        if (c.is_null()) return nullptr;
        return std::make_unique<hex_field_slices>(c.bytes());
    }

private:
    cell_place at_;
};

append_plain_bytes plain_writer(value_kind kind) {
    switch (kind) {
        case value_kind::boolean:
            return format::append_boolean;
        case value_kind::int2:
        case value_kind::int4:
        case value_kind::int8:
            return format::append_integer;
        case value_kind::oid:
            return format::append_oid;
        case value_kind::numeric:
            return format::append_numeric;
        case value_kind::float4:
            return format::append_float4;
        case value_kind::float8:
            return format::append_float8;
        case value_kind::uuid:
            return format::append_uuid;
        case value_kind::date:
            return format::append_iso_date;
        case value_kind::time:
            return format::append_iso_time;
        case value_kind::timestamp:
            return format::append_iso_timestamp;
        case value_kind::timestamptz:
            return format::append_iso_timestamptz;
        case value_kind::interval:
            return format::append_iso_interval;
        case value_kind::bytea:
        case value_kind::text:
        case value_kind::jsonb:
        case value_kind::unsupported:
            break;
    }
    throw std::logic_error{"a text has no plain writer"};
}

class number_encoder final : public column_encoder {
public:
    number_encoder(cell_place at, value_kind kind, const format::number_formatter& f)
        : at_{std::move(at)}, kind_{kind}, formatter_{f} {}

    void append(byte_buffer& out, const rows::cell* row) override {
        const auto& c = row[at_.index];
        if (c.is_null()) return;
        const auto value = to_decimal(kind_, c.bytes());
        if (!value) malformed(at_);
        append_field(out, [&] { return formatter_.append(out, *value); });
    }

private:
    cell_place at_;
    value_kind kind_;
    const format::number_formatter& formatter_;
};

class money_encoder final : public column_encoder {
public:
    money_encoder(cell_place at, value_kind kind, cell_place currency,
                  const format::money_formatter& f, csv::formula_guard guard)
        : at_{std::move(at)},
          kind_{kind},
          currency_{std::move(currency)},
          formatter_{f},
          guard_{guard} {}

    void append(byte_buffer& out, const rows::cell* row) override {
        const auto& c = row[at_.index];
        if (c.is_null()) return;
        const auto amount = to_decimal(kind_, c.bytes());
        if (!amount) malformed(at_);
        const auto& code = row[currency_.index];
        const std::size_t mark = csv::begin_field(out);
        const auto flags = formatter_.append(
            out, *amount, code.is_null() ? std::nullopt : std::optional{code.bytes()});
        if (!flags.fallback) {
            csv::end_field(out, mark, flags.needs_quotes);
            return;
        }
        ++fallbacks_;
        // The stored code is anybody's text and is written again as such. The amount in front of
        // it keeps it from being a formula, unless the amount is negative and the code goes on
        // like one.
        const std::string text{out.view().substr(mark + 1)};
        out.truncate(mark);
        const bool harmless = code.bytes().find_first_of("=+-@|!(") == std::string_view::npos;
        csv::append_text(out, text, harmless ? csv::formula_guard::off : guard_);
    }

private:
    cell_place at_;
    value_kind kind_;
    cell_place currency_;
    const format::money_formatter& formatter_;
    csv::formula_guard guard_;
};

class date_time_encoder final : public column_encoder {
public:
    date_time_encoder(cell_place at, value_kind kind, const format::date_time_formatter& f)
        : at_{std::move(at)}, kind_{kind}, formatter_{f} {}

    void append(byte_buffer& out, const rows::cell* row) override {
        const auto& c = row[at_.index];
        if (c.is_null()) return;
        if (c.size != (kind_ == value_kind::date ? 4 : 8)) malformed(at_);
        append_field(out, [&] { return append_value(out, c.data); });
    }

private:
    format::text_flags append_value(byte_buffer& out, const char* bytes) const {
        switch (kind_) {
            case value_kind::date:
                return formatter_.append_date(out, rows::load_big<std::int32_t>(bytes));
            case value_kind::time:
                return formatter_.append_time(out, rows::load_big<std::int64_t>(bytes));
            case value_kind::timestamp:
                return formatter_.append_local(out, rows::load_big<std::int64_t>(bytes));
            default:
                return formatter_.append(out, rows::load_big<std::int64_t>(bytes));
        }
    }

    cell_place at_;
    value_kind kind_;
    const format::date_time_formatter& formatter_;
};

}  // namespace

std::unique_ptr<column_encoder> make_text_encoder(cell_place at, value_kind kind,
                                                  csv::formula_guard guard) {
    return std::make_unique<text_encoder>(std::move(at), kind, guard);
}

std::unique_ptr<column_encoder> make_plain_encoder(cell_place at, value_kind kind) {
    if (kind == value_kind::bytea) return std::make_unique<bytea_encoder>(std::move(at));
    return std::make_unique<plain_encoder>(std::move(at), plain_writer(kind));
}

std::unique_ptr<column_encoder> make_number_encoder(cell_place at, value_kind kind,
                                                    const format::number_formatter& f) {
    return std::make_unique<number_encoder>(std::move(at), kind, f);
}

std::unique_ptr<column_encoder> make_money_encoder(cell_place at, value_kind kind,
                                                   cell_place currency,
                                                   const format::money_formatter& f,
                                                   csv::formula_guard guard) {
    return std::make_unique<money_encoder>(std::move(at), kind, std::move(currency), f, guard);
}

std::unique_ptr<column_encoder> make_date_time_encoder(cell_place at, value_kind kind,
                                                       const format::date_time_formatter& f) {
    return std::make_unique<date_time_encoder>(std::move(at), kind, f);
}

bool is_text(value_kind kind) noexcept {
    return kind == value_kind::text || kind == value_kind::jsonb;
}

bool is_exact_number(value_kind kind) noexcept {
    return kind == value_kind::int2 || kind == value_kind::int4 || kind == value_kind::int8 ||
           kind == value_kind::oid || kind == value_kind::numeric;
}

bool is_date_or_time(value_kind kind) noexcept {
    return kind == value_kind::date || kind == value_kind::time || kind == value_kind::timestamp ||
           kind == value_kind::timestamptz;
}

}  // namespace exportd::exports
