#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <deque>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace exportd::jobs::test {

// An HTTP server on loopback that gives the answers of a script, one for each request in the order
// they come, over one connection at a time. For what no real object store does on demand.
class scripted_server {
public:
    inline static const std::string hang_up;             // closes without an answer
    inline static const std::string silence{"silence"};  // never answers

    explicit scripted_server(std::vector<std::string> answers)
        : answers_{answers.begin(), answers.end()}, listener_{::socket(AF_INET, SOCK_STREAM, 0)} {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* generic = reinterpret_cast<sockaddr*>(&address);
        if (::bind(listener_, generic, size) != 0 || ::listen(listener_, 16) != 0 ||
            ::getsockname(listener_, generic, &size) != 0)
            throw std::runtime_error{"no port for the scripted server"};
        port_ = ntohs(address.sin_port);
        thread_ = std::thread{[this] { serve(); }};
    }

    ~scripted_server() {
        {
            const std::lock_guard lock{mutex_};
            stopped_ = true;
            ::shutdown(listener_, SHUT_RDWR);
            if (client_ >= 0) ::shutdown(client_, SHUT_RDWR);
        }
        thread_.join();
        ::close(listener_);
    }

    std::string endpoint() const { return "http://127.0.0.1:" + std::to_string(port_); }

    // The requests so far: header and body.
    std::vector<std::string> requests() const {
        const std::lock_guard lock{mutex_};
        return requests_;
    }

private:
    void serve() {
        for (;;) {
            const int client = ::accept(listener_, nullptr, nullptr);
            if (client < 0) return;
            {
                const std::lock_guard lock{mutex_};
                client_ = client;
                if (stopped_) ::shutdown(client, SHUT_RDWR);
            }
            while (answer_next(client)) {
            }
            const std::lock_guard lock{mutex_};
            client_ = -1;
            ::close(client);
        }
    }

    bool answer_next(int client) {
        auto request = read_request(client);
        if (!request) return false;
        std::string answer = hang_up;
        {
            const std::lock_guard lock{mutex_};
            requests_.push_back(*request);
            if (!answers_.empty()) {
                answer = answers_.front();
                answers_.pop_front();
            }
        }
        if (answer == hang_up) return false;
        if (answer == silence) {
            char byte = 0;
            return ::recv(client, &byte, 1, 0) > 0;
        }
        return ::send(client, answer.data(), answer.size(), MSG_NOSIGNAL) ==
               static_cast<ssize_t>(answer.size());
    }

    static std::optional<std::string> read_request(int client) {
        std::string text;
        std::size_t wanted = std::string::npos;
        while (text.size() < wanted) {
            char bytes[65536];
            const ssize_t got = ::recv(client, bytes, sizeof bytes, 0);
            if (got <= 0) return std::nullopt;
            text.append(bytes, static_cast<std::size_t>(got));
            const std::size_t end = text.find("\r\n\r\n");
            if (wanted == std::string::npos && end != std::string::npos) {
                const std::string name = "Content-Length: ";
                const std::size_t at = text.find(name);
                wanted = end + 4 + (at < end ? std::stoul(text.substr(at + name.size())) : 0);
            }
        }
        return text;
    }

    mutable std::mutex mutex_;
    std::deque<std::string> answers_;
    std::vector<std::string> requests_;
    bool stopped_ = false;
    int client_ = -1;
    const int listener_;
    unsigned port_ = 0;
    std::thread thread_;
};

}  // namespace exportd::jobs::test
