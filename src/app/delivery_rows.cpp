#include <exportd/app/config_key.hpp>

#include "config_rows.hpp"
#include <array>

namespace exportd::app {

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t MiB = 1024 * 1024;
constexpr std::uint64_t GiB = 1024 * MiB;
constexpr bool optional = true;
constexpr bool secret = true;

bool set_store(config& c, std::string_view word) {
    if (word != "directory" && word != "s3") return false;
    c.jobs.store = word == "s3" ? store_kind::s3 : store_kind::directory;
    return true;
}

const std::array rows{
    config_key{"jobs", "store", "directory", choice_value{set_store, "\"directory\" or \"s3\""},
               "Where the files of background exports are; replicas share them through an S3 "
               "object store, or a directory that all of them see."},
    config_key{"jobs", "directory", "/var/lib/exportd/files",
               path_value{at<&config::jobs, &jobs_config::directory>},
               "Directory for these files and nothing else, relative to the directory of this "
               "file; made if it is missing."},
    config_key{"jobs", "keep_free", "1GiB",
               size_value{at<&config::jobs, &jobs_config::keep_free>, 0, 1024 * 1024 * GiB},
               "Room on the file system of that directory that is left to others."},

    config_key{"jobs", "url", "", text_value{at<&config::jobs, &jobs_config::url>, true},
               "Where the job table is, as database.url, which it is by default; a secret.", true},
    config_key{"jobs", "per_caller", "4",
               count_value{at<&config::jobs, &jobs_config::per_caller>, 1, 10'000},
               "Background exports of one caller that may wait or run; one more is answered 429."},
    config_key{"jobs", "max_queued", "1000",
               count_value{at<&config::jobs, &jobs_config::max_queued>, 1, 1'000'000},
               "Background exports of all callers that may wait; one more is answered 503."},
    config_key{"jobs", "expiry", "7d",
               duration_value{at<&config::jobs, &jobs_config::expiry>, 1s, 8760h},
               "Time that the file of a background export can be fetched before it is deleted."},
    config_key{"jobs", "retention", "30d",
               duration_value{at<&config::jobs, &jobs_config::retention>, 1s, 87600h},
               "Time after which an ended background export without a file is forgotten."},
    config_key{"jobs", "deadline", "6h",
               duration_value{at<&config::jobs, &jobs_config::deadline>, 1s, 168h},
               "Longest time that one try of a background export may take."},
    config_key{"jobs", "attempts", "3",
               count_value{at<&config::jobs, &jobs_config::attempts>, 1, 100},
               "Tries of a background export before it has failed."},
    config_key{
        "jobs", "lease", "30s", duration_value{at<&config::jobs, &jobs_config::lease>, 1s, 1h},
        "Silence of the process that runs a background export after which another takes over."},
    config_key{"jobs", "poll", "2s",
               duration_value{at<&config::jobs, &jobs_config::poll>, 50ms, 1h},
               "Time between two looks for background exports that other processes took in."},

    config_key{"s3", "endpoint", "", text_value{at<&config::s3, &s3_config::endpoint>, optional},
               "URL of the object store, https://host[:port]; buckets are asked for in the path."},
    config_key{"s3", "region", "us-east-1", text_value{at<&config::s3, &s3_config::region>},
               "Region that requests are signed for."},
    config_key{"s3", "bucket", "", text_value{at<&config::s3, &s3_config::bucket>, optional},
               "Bucket for the files; it has to be there."},
    config_key{"s3", "prefix", "exportd/",
               text_value{at<&config::s3, &s3_config::prefix>, optional},
               "What the names of all objects begin with, ending in a slash; nothing else may be "
               "kept under it."},
    config_key{"s3", "access_key", "",
               text_value{at<&config::s3, &s3_config::access_key>, optional},
               "Id of the access key."},
    config_key{"s3", "secret_key", "",
               text_value{at<&config::s3, &s3_config::secret_key>, optional},
               "The access key's secret; a secret.", secret},
    config_key{"s3", "part_size", "8MiB",
               size_value{at<&config::s3, &s3_config::part_size>, 5 * MiB, 1 * GiB},
               "Bytes of one part of an upload, held in memory for each file that is written; a "
               "file has 10,000 parts at most."},
    config_key{"s3", "allow_http", "false", flag_value{at<&config::s3, &s3_config::allow_http>},
               "Whether the endpoint may be http:// elsewhere than on loopback."},
    config_key{"s3", "ca_file", "", path_value{at<&config::s3, &s3_config::ca_file>, optional},
               "Certificates (PEM) that the endpoint's has to lead to; empty is the system's."},

    config_key{"mail", "url", "", text_value{at<&config::mail, &mail_config::url>, optional},
               "The mail server, smtp://host[:port] (with STARTTLS) or smtps://host[:port]; empty "
               "is no mail."},
    config_key{"mail", "from", "", text_value{at<&config::mail, &mail_config::from>, optional},
               "Sender of the letters, an address or Name <address>."},
    config_key{"mail", "username", "",
               text_value{at<&config::mail, &mail_config::username>, optional},
               "Name to sign in to the mail server with; empty is not to sign in."},
    config_key{"mail", "password", "",
               text_value{at<&config::mail, &mail_config::password>, optional},
               "Password to sign in with; a secret.", secret},
    config_key{"mail", "domains", "",
               text_value{at<&config::mail, &mail_config::domains>, optional},
               "Domains that letters may go to, separated by commas; * is any, empty is no mail."},
    config_key{"mail", "timeout", "30s",
               duration_value{at<&config::mail, &mail_config::timeout>, 1s, 10min},
               "Longest time that handing over one letter may take."},
    config_key{"mail", "allow_plain", "false",
               flag_value{at<&config::mail, &mail_config::allow_plain>},
               "Whether letters may go to a server elsewhere than on loopback that has no TLS."},
    config_key{"mail", "ca_file", "",
               path_value{at<&config::mail, &mail_config::ca_file>, optional},
               "Certificates (PEM) that the mail server's has to lead to; empty is the system's."},
};

}  // namespace

std::span<const config_key> delivery_rows() {
    return rows;
}

}  // namespace exportd::app
