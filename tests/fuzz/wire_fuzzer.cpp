// Any bytes as the binary value of any type: written as one field, or refused as malformed.
#include <exportd/exports/catalog.hpp>
#include <exportd/exports/encoder_factory.hpp>

#include <fuzzer/FuzzedDataProvider.h>

#include "check.hpp"
#include "scratch.hpp"
#include "strict_csv.hpp"
#include <array>

using namespace exportd;
using rows::value_kind;

namespace {

constexpr std::array kinds{value_kind::boolean,     value_kind::int2,    value_kind::int4,
                           value_kind::int8,        value_kind::oid,     value_kind::float4,
                           value_kind::float8,      value_kind::numeric, value_kind::text,
                           value_kind::jsonb,       value_kind::uuid,    value_kind::bytea,
                           value_kind::date,        value_kind::time,    value_kind::timestamp,
                           value_kind::timestamptz, value_kind::interval};

class one_cell : public rows::row_batch {
public:
    explicit one_cell(const std::string& bytes)
        : cell_{bytes.data(), static_cast<std::int32_t>(bytes.size())} {}
    std::size_t row_count() const noexcept override { return 1; }
    std::size_t read_row(std::size_t, rows::cell* out) const noexcept override {
        *out = cell_;
        return static_cast<std::size_t>(cell_.size);
    }

private:
    rows::cell cell_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const auto catalog = [] {
        const fuzz::scratch place;
        place.write("any.toml", "title = \"Any\"\nsql = \"any.sql\"\n");
        place.write("any.sql", "SELECT 1 WHERE $1 < $2");
        return exports::catalog::load(place.directory(), place.directory());
    }();
    static const exports::encoder_factory factory{catalog};
    FuzzedDataProvider in{data, size};
    const auto kind = kinds.at(in.ConsumeIntegralInRange<std::size_t>(0, kinds.size() - 1));
    const auto values = in.ConsumeBool() ? exports::values::raw : exports::values::formatted;
    const auto bytes = in.ConsumeRemainingBytesAsString();
    const auto encoder =
        factory.make(catalog.find("any")->what, values, false, {{"cell", kind, "of a type"}});
    rows::byte_buffer out;
    try {
        const one_cell batch{bytes};
        const exports::turn_budget budget{4096, std::chrono::seconds{1}};
        while (!encoder->encode_some(batch, out, budget)) {
        }
    } catch (const std::runtime_error&) {
        return 0;
    }
    const auto record = fuzz::read_record(out.view(), "\n");
    fuzz::check(record && record->size() == 1, "one field");
    return 0;
}
