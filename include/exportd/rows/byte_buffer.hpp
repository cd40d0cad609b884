#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace exportd::rows {

// A growable run of bytes that is written at its end and never initialised before that.
// Unlike std::string it lets a writer ask for room once and then fill it through a plain
// pointer. Pointers into it are valid until the next ensure() or append(). Not thread-safe.
class byte_buffer {
public:
    byte_buffer() = default;
    explicit byte_buffer(std::size_t capacity) { grow(capacity); }

    // The end of the written bytes, with room for at least `n` more behind it.
    char* ensure(std::size_t n) {
        if (capacity_ - size_ < n) grow(size_ + n);
        return bytes_.get() + size_;
    }

    // Ends a write that began at the pointer ensure() returned; `end` is one past its last byte.
    void commit(const char* end) noexcept { size_ = static_cast<std::size_t>(end - bytes_.get()); }

    void append(std::string_view text) {
        char* out = ensure(text.size());
        if (!text.empty()) std::memcpy(out, text.data(), text.size());
        size_ += text.size();
    }

    // Drops what was written behind the first `size` bytes; the storage is kept.
    void truncate(std::size_t size) noexcept { size_ = std::min(size, size_); }
    void clear() noexcept { size_ = 0; }

    char* data() noexcept { return bytes_.get(); }
    const char* data() const noexcept { return bytes_.get(); }
    std::size_t size() const noexcept { return size_; }
    std::size_t capacity() const noexcept { return capacity_; }
    bool empty() const noexcept { return size_ == 0; }
    std::string_view view() const noexcept { return {bytes_.get(), size_}; }

private:
    void grow(std::size_t wanted) {
        const std::size_t capacity = std::max({wanted, capacity_ * 2, std::size_t{256}});
        auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
        if (size_ != 0) std::memcpy(bytes.get(), bytes_.get(), size_);
        bytes_ = std::move(bytes);
        capacity_ = capacity;
    }

    std::unique_ptr<char[]> bytes_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace exportd::rows
