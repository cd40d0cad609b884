#pragma once

#include <exportd/app/config.hpp>
#include <exportd/jobs/file_store.hpp>
#include <exportd/jobs/mailer.hpp>

#include <memory>

namespace exportd::app {

// The store that jobs.store names. The configuration is one that validate() has no fault in, and a
// curl::library is there.
std::unique_ptr<jobs::file_store> make_file_store(const config& c);

// What hands letters to mail.url; null if no letters are sent (no mail.url, or no mail.domains).
std::unique_ptr<jobs::mailer> make_mailer(const config& c);

}  // namespace exportd::app
