#pragma once

#include "icu_number.hpp"
#include "number_shape.hpp"
#include <string_view>

namespace exportd::format {

// How many numbers are compared: `every_branch` for the shape of a locale, `affixes` for one
// that differs from a checked shape by its symbols only.
enum class thoroughness { affixes, every_branch };

// Whether the shape writes the same bytes as ICU, with icu.digits(), or with the digits that
// each value has if `own_scale`.
bool agrees_with_icu(const number_shape& shape, const icu_number& icu, bool own_scale,
                     thoroughness how);

// ICU's text of a number, with flags found by looking at it.
text_flags write_through_icu(const icu_number& icu, rows::byte_buffer& out, const decimal& value);

}  // namespace exportd::format
