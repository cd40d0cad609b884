#pragma once

#include <exportd/exports/catalog.hpp>
#include <exportd/jobs/letter_sender.hpp>

#include <string>

namespace exportd::app {

// Writes the letters about jobs. The catalog outlives it.
jobs::letter_sender::compose_letter letter_writer(const exports::catalog& catalog,
                                                  std::string public_url);

}  // namespace exportd::app
