#pragma once

namespace exportd::curl {

// Has libcurl ready while it lives. One, made before there is a second thread and gone after the
// last object store and mailer. Throws std::runtime_error.
class library {
public:
    library();
    ~library();
    library(const library&) = delete;
    library& operator=(const library&) = delete;
};

}  // namespace exportd::curl
