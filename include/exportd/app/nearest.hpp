#pragma once

#include <span>
#include <string>
#include <string_view>

namespace exportd::app {

// `; did you mean "x"?` with the candidate that is nearest to `word` by Levenshtein's distance, or
// an empty text when even that one differs in more than a third of its letters.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace exportd::app
