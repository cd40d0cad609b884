#include <exportd/jobs/directory_store.hpp>

#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "../app/temporary_directory.hpp"
#include "../catch.hpp"
#include "own_process.hpp"
#include <csignal>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <unistd.h>

using namespace exportd::jobs;
using namespace std::chrono_literals;
using exportd::app::test::temporary_directory;
using exportd::jobs::test::in_own_process;

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t no_reserve = 0;

std::string text_of(const fs::path& file) {
    std::ostringstream out;
    out << std::ifstream{file, std::ios::binary}.rdbuf();
    return out.str();
}

std::vector<std::string> names_in(const fs::path& directory) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator{directory})
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

mode_t mode_of(const fs::path& file) {
    struct stat found {};
    REQUIRE(::lstat(file.c_str(), &found) == 0);
    return found.st_mode & 07777;
}

void put(file_store& store, const std::string& key, std::string_view bytes) {
    const auto writer = store.create(key, bytes.size(), {});
    writer->write(bytes);
    writer->publish();
}

std::string get(file_store& store, const std::string& key, std::uint64_t offset = 0) {
    const auto reader = store.open(key, {});
    std::string bytes(static_cast<std::size_t>(reader->size()), '?');
    bytes.resize(reader->read(offset, bytes));
    return bytes;
}

void make_old(const fs::path& file) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - 2h);
}

// Runs `work` in a process of its own with a file system of its own in `directory`, which ends with
// the process and which no other one sees. Says so, and returns 0, where no such thing is
// permitted.
template <class Work>
int on_small_disk(const fs::path& directory, const char* options, Work work) {
    constexpr int not_permitted = 77;
    const int outcome = in_own_process([&] {
        if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
            return not_permitted;
        if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
            ::mount("none", directory.c_str(), "tmpfs", 0, options) != 0)
            return not_permitted;
        return work();
    });
    if (outcome != not_permitted) return outcome;
    WARN("not tested: no file system may be mounted here");
    return 0;
}

// How many chunks of that many bytes there was room for; 1000 if there was no end of it.
int chunks_until_full(file_writer& writer, std::size_t bytes) {
    const std::string chunk(bytes, 'x');
    for (int chunks = 0; chunks < 1000; ++chunks) {
        try {
            writer.write(chunk);
        } catch (const store_full&) {
            return chunks;
        }
    }
    return 1000;
}

constexpr auto keep_none = [](const std::string&) { return false; };

}  // namespace

TEST_CASE("A file is seen when it is published, not before, and for its owner alone",
          "[jobs][directory_store]") {
    const temporary_directory parent;
    const fs::path directory = parent.path() / "files";
    directory_store store{directory, no_reserve};

    const auto writer = store.create("job-1.csv", std::nullopt, {});
    writer->write("id,total\n");
    writer->write("1,2.50\n");
    CHECK_THROWS_AS(store.open("job-1.csv", {}), no_such_file);
    writer->publish();

    CHECK(names_in(directory) == std::vector<std::string>{"job-1.csv"});
    CHECK(text_of(directory / "job-1.csv") == "id,total\n1,2.50\n");
    CHECK(mode_of(directory) == 0700);
    CHECK(mode_of(directory / "job-1.csv") == 0600);
    CHECK_THROWS_AS(writer->write("more"), store_error);
    CHECK_THROWS_AS(writer->publish(), store_error);
}

TEST_CASE("Without publish() nothing stays", "[jobs][directory_store]") {
    const temporary_directory directory;
    directory_store store{directory.path(), no_reserve};
    {
        const auto writer = store.create("a", std::nullopt, {});
        writer->write("x");
        CHECK(names_in(directory.path()).size() == 1);
    }
    CHECK(names_in(directory.path()).empty());

    const auto writer = store.create("a", std::nullopt, {});
    writer->discard();
    writer->discard();
    CHECK(names_in(directory.path()).empty());
    CHECK_THROWS_AS(writer->publish(), store_error);
}

TEST_CASE("A file of the same key is replaced as a whole; who reads the old one reads on",
          "[jobs][directory_store]") {
    const temporary_directory directory;
    directory_store store{directory.path(), no_reserve};
    put(store, "a", "old");
    const auto reader = store.open("a", {});
    put(store, "a", "new text");
    CHECK(get(store, "a") == "new text");

    std::array<char, 8> bytes{};
    CHECK(reader->size() == 3);
    CHECK(reader->read(0, bytes) == 3);
    CHECK(std::string{bytes.data(), 3} == "old");
}

TEST_CASE("Reads give the bytes from an offset on, fewer only at the end",
          "[jobs][directory_store]") {
    const temporary_directory directory;
    directory_store store{directory.path(), no_reserve};
    put(store, "a", "0123456789");
    const auto reader = store.open("a", {});
    std::array<char, 4> bytes{};
    CHECK(reader->read(3, bytes) == 4);
    CHECK(std::string{bytes.data(), 4} == "3456");
    CHECK(reader->read(8, bytes) == 2);
    CHECK(reader->read(10, bytes) == 0);
    CHECK(reader->read(1000, bytes) == 0);

    fs::resize_file(directory.path() / "a", 5);
    CHECK_THROWS_AS(reader->read(3, bytes), store_error);
}

TEST_CASE("Only keys are names of files", "[jobs][directory_store]") {
    const temporary_directory directory;
    directory_store store{directory.path(), no_reserve};
    for (const std::string key : {"", ".", "..", ".hidden", "../a", "a/b", "/etc/passwd", "a b",
                                  "a\n", "\xC3\xA4", "a%2f", "a:b", "a\\b"}) {
        INFO(key);
        CHECK_THROWS_AS(store.create(key, std::nullopt, {}), store_error);
        CHECK_THROWS_AS(store.open(key, {}), store_error);
        CHECK_THROWS_AS(store.remove(key), store_error);
    }
    CHECK_THROWS_AS(store.open(std::string("a\0b", 3), {}), store_error);
    CHECK_THROWS_AS(store.open(std::string(201, 'a'), {}), store_error);
    put(store, std::string(200, 'a'), "x");
    CHECK(get(store, std::string(200, 'a')) == "x");
}

TEST_CASE("Neither symbolic links nor anything but plain files are opened",
          "[jobs][directory_store]") {
    const temporary_directory outside;
    const temporary_directory directory;
    directory_store store{directory.path(), no_reserve};
    fs::create_symlink(outside.write("secret", "s"), directory.path() / "link");
    fs::create_directory(directory.path() / "folder");
    REQUIRE(::mkfifo((directory.path() / "pipe").c_str(), 0600) == 0);
    for (const char* key : {"link", "folder", "pipe"}) {
        INFO(key);
        CHECK_THROWS_AS(store.open(key, {}), store_error);
    }
    put(store, "link", "own");
    CHECK(text_of(outside.path() / "secret") == "s");
    CHECK(text_of(directory.path() / "link") == "own");
}

TEST_CASE("What is removed is gone, twice as well as once", "[jobs][directory_store]") {
    const temporary_directory directory;
    directory_store store{directory.path(), no_reserve};
    put(store, "a", "x");
    store.remove("a");
    store.remove("a");
    CHECK_THROWS_AS(store.open("a", {}), no_such_file);
}

TEST_CASE("A sweep removes old files that nobody keeps, and nothing that is not the store's",
          "[jobs][directory_store]") {
    const temporary_directory directory;
    directory_store store{directory.path(), no_reserve};
    for (const char* key : {"old", "kept", "young"})
        put(store, key, "x");
    directory.write(".snapshot", "theirs");
    directory.write(".nfs0001.part", "theirs");
    fs::create_directory(directory.path() / "lost");
    for (const char* name : {"old", "kept", ".snapshot", ".nfs0001.part", "lost"})
        make_old(directory.path() / name);

    CHECK(store.sweep(1h, [](const std::string& key) { return key == "kept"; }) == 1);
    CHECK(names_in(directory.path()) ==
          std::vector<std::string>{".nfs0001.part", ".snapshot", "kept", "lost", "young"});
}

TEST_CASE("A sweep removes what a killed writer left, and not what is still being written",
          "[jobs][directory_store]") {
    const temporary_directory directory;
    directory_store store{directory.path(), no_reserve};
    const auto writer = store.create("running", std::nullopt, {});
    writer->write("x");
    const auto killed = in_own_process([&] {
        const auto lost = store.create("lost", std::nullopt, {});
        lost->write("half a file");
        ::kill(::getpid(), SIGKILL);
        return 0;
    });
    REQUIRE(killed == 128 + SIGKILL);
    REQUIRE(names_in(directory.path()).size() == 2);
    CHECK_THROWS_AS(store.open("lost", {}), no_such_file);

    CHECK(store.sweep(1h, keep_none) == 0);
    CHECK(store.sweep(0s, keep_none) == 1);
    writer->publish();
    CHECK(names_in(directory.path()) == std::vector<std::string>{"running"});
}

TEST_CASE("Room that has to stay free is not written to", "[jobs][directory_store]") {
    const temporary_directory directory;
    directory_store greedy{directory.path(), std::uint64_t{1} << 62};
    CHECK_THROWS_AS(greedy.create("a", std::nullopt, {}), store_full);
    CHECK(greedy.fault() == "less would be free than has to stay so");

    directory_store store{directory.path(), no_reserve};
    CHECK_THROWS_AS(store.create("a", std::uint64_t{1} << 62, {}), store_full);
    CHECK(names_in(directory.path()).empty());
    CHECK(store.fault() == std::nullopt);
    CHECK(names_in(directory.path()).empty());
}

TEST_CASE("A full file system is told as such, and nothing of the file stays",
          "[jobs][directory_store]") {
    const temporary_directory directory;
    CHECK(on_small_disk(directory.path(), "size=1m", [&] {
              directory_store store{directory.path(), no_reserve};
              const auto writer = store.create("big", std::nullopt, {});
              if (chunks_until_full(*writer, 100'000) > 11) return 1;
              try {
                  writer->publish();
                  return 2;
              } catch (const store_error&) {
              }
              if (!names_in(directory.path()).empty()) return 3;
              put(store, "small", "x");
              return get(store, "small") == "x" ? 0 : 4;
          }) == 0);
}

TEST_CASE("Room that has to stay free stays so while a file grows", "[jobs][directory_store]") {
    const temporary_directory directory;
    CHECK(on_small_disk(directory.path(), "size=100m", [&] {
              directory_store store{directory.path(), 50'000'000};
              const auto writer = store.create("big", std::nullopt, {});
              const int chunks = chunks_until_full(*writer, 1'000'000);
              return chunks >= 48 && chunks <= 54 && names_in(directory.path()).empty() ? 0
                                                                                        : chunks;
          }) == 0);
}

TEST_CASE("A file longer than a file may be is no room either", "[jobs][directory_store]") {
    const temporary_directory directory;
    CHECK(in_own_process([&] {
              std::signal(SIGXFSZ, SIG_IGN);
              const rlimit most{1000, 1000};
              ::setrlimit(RLIMIT_FSIZE, &most);
              directory_store store{directory.path(), no_reserve};
              const auto writer = store.create("a", std::nullopt, {});
              writer->write(std::string(1000, 'x'));
              try {
                  writer->write("x");
              } catch (const store_full&) {
                  return 0;
              }
              return 1;
          }) == 0);
    CHECK(names_in(directory.path()).empty());
}

TEST_CASE("A directory that can't be used is a fault with its cause", "[jobs][directory_store]") {
    const temporary_directory parent;
    directory_store orphan{parent.path() / "missing" / "files", no_reserve};
    CHECK(orphan.fault() == "making the directory " +
                                (parent.path() / "missing" / "files").string() +
                                ": No such file or directory");
    CHECK_THROWS_AS(orphan.create("a", std::nullopt, {}), store_error);

    directory_store plain{parent.write("file", "x"), no_reserve};
    CHECK(plain.fault() ==
          "opening the directory " + (parent.path() / "file").string() + ": Not a directory");
}
