#include <exportd/jobs/object_name.hpp>
#include <exportd/jobs/object_store.hpp>
#include <exportd/jobs/server_url.hpp>

#include "file_key.hpp"
#include "object_reader.hpp"
#include "object_writer.hpp"
#include "s3_client.hpp"
#include "s3_xml.hpp"
#include <algorithm>

namespace exportd::jobs {

namespace {

constexpr std::uint64_t most_parts = 10'000;
constexpr std::chrono::milliseconds probing{10'000};

using clock = std::chrono::system_clock;

// Removes what is old under the prefix of a store.
class sweeper {
public:
    sweeper(const std::shared_ptr<const object_store_settings>& settings, std::chrono::seconds age,
            const std::function<bool(const std::string& key)>& keep, std::stop_token stop)
        : prefix_{settings->prefix},
          before_{clock::now() - age},
          keep_{keep},
          stop_{std::move(stop)},
          client_{settings} {}

    std::size_t sweep() {
        sweep_uploads();
        sweep_objects();
        return removed_;
    }

private:
    void sweep_uploads() {
        std::map<std::string, std::string> query{{"uploads", ""}, {"prefix", prefix_}};
        for (;;) {
            const auto page = s3_uploads(list(query));
            for (const s3_upload& each : page.uploads) {
                const auto key = key_of(each.key);
                if (key && each.initiated <= before_ && is_idle(*key, each.id))
                    abort(*key, each.id);
            }
            if (page.next_key.empty()) return;
            query["key-marker"] = page.next_key;
            query["upload-id-marker"] = page.next_id;
        }
    }

    void sweep_objects() {
        std::map<std::string, std::string> query{{"list-type", "2"}, {"prefix", prefix_}};
        for (;;) {
            const auto page = s3_objects(list(query));
            for (const s3_object& each : page.objects) {
                const auto key = key_of(each.key);
                if (!key || each.modified > before_ || keep_(*key)) continue;
                client_.expect(204, "removing a file", {.method = "DELETE", .key = *key}, stop_);
                ++removed_;
            }
            if (page.next.empty()) return;
            query["continuation-token"] = page.next;
        }
    }

    std::string list(const std::map<std::string, std::string>& query) {
        return client_
            .expect(200, "listing files", {.method = "GET", .key = {}, .query = query}, stop_)
            .body;
    }

    // The key of an object, or nothing if it is none of ours.
    std::optional<std::string> key_of(const std::string& object) const {
        if (!object.starts_with(prefix_)) return std::nullopt;
        std::string key = object.substr(prefix_.size());
        if (!is_file_key(key)) return std::nullopt;
        return key;
    }

    // Whether no part came lately.
    bool is_idle(const std::string& key, const std::string& upload) {
        std::map<std::string, std::string> query{{"uploadId", upload}};
        for (;;) {
            const auto answer = client_.send({.method = "GET", .key = key, .query = query}, stop_);
            if (answer.status == 404) return false;  // completed or removed meanwhile
            if (answer.status != 200) throw_refused("listing parts", answer);
            const auto page = s3_parts(answer.body);
            if (page.latest && *page.latest > before_) return false;
            if (page.next.empty()) return true;
            query["part-number-marker"] = page.next;
        }
    }

    void abort(const std::string& key, const std::string& upload) {
        const auto answer =
            client_.send({.method = "DELETE", .key = key, .query = {{"uploadId", upload}}}, stop_);
        if (answer.status == 404) return;
        if (answer.status != 204) throw_refused("removing an upload", answer);
        ++removed_;
    }

    const std::string prefix_;
    const clock::time_point before_;
    const std::function<bool(const std::string& key)>& keep_;
    const std::stop_token stop_;
    s3_client client_;
    std::size_t removed_ = 0;
};

}  // namespace

object_store::object_store(object_store_settings settings)
    : settings_{std::make_shared<const object_store_settings>(std::move(settings))} {
    const auto& s = *settings_;
    const auto server = parse_server_url(s.endpoint);
    const bool known = server && (server->scheme == "https" || server->scheme == "http");
    if (!known || !is_region_name(s.region) || !is_bucket_name(s.bucket) ||
        !is_object_prefix(s.prefix) || !is_access_key(s.access_key) || s.secret_key.empty() ||
        s.part_size == 0 || s.tries < 1)
        throw std::invalid_argument{"a setting of the object store"};
}

std::unique_ptr<file_writer> object_store::create(const std::string& key,
                                                  std::optional<std::uint64_t> expected_bytes,
                                                  std::stop_token stop) {
    require_file_key(key);
    if (expected_bytes.value_or(0) / most_parts > settings_->part_size)
        throw store_full{"a file has 10,000 parts at most"};
    return std::make_unique<object_writer>(settings_, key, std::move(stop));
}

std::unique_ptr<file_reader> object_store::open(const std::string& key, std::stop_token stop) {
    require_file_key(key);
    return std::make_unique<object_reader>(settings_, key, std::move(stop));
}

void object_store::remove(const std::string& key) {
    require_file_key(key);
    s3_client client{settings_};
    const auto answer = client.send({.method = "DELETE", .key = key}, closing_.get_token());
    if (answer.status != 204 && answer.status != 200 && answer.code != "NoSuchKey")
        throw_refused("removing a file", answer);
}

std::size_t object_store::sweep(std::chrono::seconds age,
                                const std::function<bool(const std::string& key)>& keep) {
    try {
        return sweeper{settings_, age, keep, closing_.get_token()}.sweep();
    } catch (const no_such_file& e) {
        throw store_error{e.what()};
    }
}

std::optional<std::string> object_store::fault() {
    try {
        s3_client client{settings_};
        // Not the key of any file.
        const std::string name = ".probe";
        client.expect(200, "storing a probe", {.method = "PUT", .key = name, .whole = probing},
                      closing_.get_token());
        client.expect(204, "removing a probe", {.method = "DELETE", .key = name, .whole = probing},
                      closing_.get_token());
        return std::nullopt;
    } catch (const std::runtime_error& e) {
        return e.what();
    }
}

}  // namespace exportd::jobs
