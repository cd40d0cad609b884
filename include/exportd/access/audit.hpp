#pragma once

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace exportd::access {

// One entry of the record of who took what. Holds personal data (who, from where), never a value
// from a row, a token or a mail address that was given for a letter.
struct audit_record {
    enum class phase {
        start,    // before the first data byte
        end,      // of an attempt that has a start
        refused,  // an attempt that never began
    };
    phase what = phase::start;
    std::string attempt;      // UUID: an end names the attempt of its start
    std::string action;       // export, report, job, job_run, download, cancel, sign_in, sign_out
    std::string who;          // principal::identity(); empty while nobody is told apart
    std::string from;         // the client's address; empty for what a background export does
    std::string request_id;   // empty as well
    std::string export_name;  // empty when it is unknown
    std::string subject;      // id of the export or the job, if there is one
    std::optional<std::chrono::sys_time<std::chrono::microseconds>> range_from;
    std::optional<std::chrono::sys_time<std::chrono::microseconds>> range_to;
    std::string options;  // such as "raw excel", "pdf"; empty for none
    // Of an end or a refusal.
    std::string outcome;  // complete, failed, aborted, refused
    std::string code;     // the stable code of why, if not complete
    std::uint64_t rows = 0;
    std::uint64_t bytes = 0;
    std::chrono::milliseconds duration{0};
};

// Keeps the record. Loop thread only; its sinks write on threads of their own.
class audit {
public:
    virtual ~audit() = default;

    // Records a start. With audit.required it resumes once every sink has it; otherwise at once.
    // False: it could not be recorded although it has to be; nothing may be given out then.
    // The awaiting coroutine may be cancelled.
    virtual boost::asio::awaitable<bool> begin(audit_record r) = 0;

    // Records an end or a refusal, without waiting. What can't be kept is counted and told.
    virtual void note(audit_record r) = 0;
};

}  // namespace exportd::access
