// Texts to their distinct words or n-grams.
//
// Words are compared as bytes: UTF-8 or, where words are hashed, the four bytes of the row. N-grams are of
// words, of the characters between blanks, or both. For Python, those of characters have a mark, and their rows
// follow those of words.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <unordered_set>

#include "python/objects.hpp"

namespace river_hier {

// CRC-32 as in zlib, the same in every process.
inline uint32_t checksum(const char* text, size_t size) {
    static const auto of_byte = [] {
        std::array<uint32_t, 256> sums;
        for (uint32_t byte = 0; byte < 256; ++byte) {
            sums[byte] = byte;
            for (int bit = 0; bit < 8; ++bit)
                sums[byte] = sums[byte] & 1 ? 0xEDB88320u ^ sums[byte] >> 1 : sums[byte] >> 1;
        }
        return sums;
    }();
    uint32_t sum = ~0u;
    for (size_t i = 0; i < size; ++i)
        sum = of_byte[(sum ^ static_cast<unsigned char>(text[i])) & 0xFF] ^ sum >> 8;
    return ~sum;
}

class TextReader {
  public:
    static constexpr uint32_t none = ~0u;

    using Lengths = std::pair<size_t, size_t>;  // of n-grams: the smallest and the largest

    struct Gram {  // a distinct word of a text
        size_t begin = 0, size = 0;
        uint32_t hash = 0, count = 1, word = none;
        double weight = 0.0;
        bool of_characters = false;
    };

    // `tokenize.ascii` is None or has, for each character of ASCII, 0 or the character of a word. Then
    // words are runs of at least two letters of `tokenize.prepared(text)`, which ASCII texts do not need.
    // `tokenize.characters` is None, or the range of n-grams of characters; without that of words, all are.
    TextReader(nb::object tokenize, std::optional<Lengths> ngram_range, uint32_t n_features,
               const nb::tuple& stop_words)
        : n_features(n_features),
          tokenize_(tokenize),
          words_(ngram_range),
          characters_(nb::cast<std::optional<Lengths>>(tokenize.attr("characters"))),
          seed_(static_cast<uint64_t>(PyObject_Hash(nb::str("the texts").ptr()))) {
        if (const nb::object ascii = tokenize.attr("ascii"); !ascii.is_none())
            ascii_.assign(nb::cast<nb::bytes>(ascii).c_str(), 128);
        for (nb::handle word : stop_words) stop_words_.insert(encoded(word));
    }

    const uint32_t n_features;  // 0: words are not hashed; else a power of 2

    // The words of a text, unless it is the one that was read last.
    void read(nb::handle text) {
        if (last_.is_valid() && PyUnicode_Compare(last_.ptr(), text.ptr()) == 0) return;
        nb::object words = nb::borrow(text), pieces;  // first what runs Python's code
        if (ascii_.empty()) {
            pieces = words = tokenize_(text);
        } else if (!nb::cast<bool>(text.attr("isascii")())) {
            words = tokenize_.attr("prepared")(text);
            if (characters_) pieces = words.attr("split")();
        }
        last_.reset();
        text_.clear();
        tokens_.clear();
        pieces_.clear();
        grams_.clear();
        if (!ascii_.empty()) text_ = encoded(words) + '\0';
        const size_t end = text_.size();
        if (characters_ && pieces.is_valid())
            for (nb::handle piece : nb::cast<nb::list>(pieces)) add_piece(encoded(piece));
        else if (characters_)
            add_ascii_pieces(end);
        if (words_ && !ascii_.empty())
            add_words(end);
        else if (words_)
            for (nb::handle word : nb::cast<nb::list>(words)) {
                const size_t begin = text_.size();
                text_ += encoded(word);
                add_token(begin, text_.size() - begin);
            }
        if (words_) add_grams(*words_);
        if (characters_) add_character_grams(*characters_);
        last_ = nb::borrow(text);
    }

    std::vector<Gram>& grams() { return grams_; }  // of the text read last
    const char* bytes_of(const Gram& gram) const { return &text_[gram.begin]; }

    // A gram from the name that Python sees.
    Gram gram_of(nb::handle name) {
        text_ = n_features ? row_bytes(nb::cast<uint32_t>(name)) : encoded(name);
        Gram gram;
        gram.of_characters = characters_ && (!words_ || text_.compare(0, 1, mark) == 0);
        if (gram.of_characters && !n_features) text_.erase(0, 1);
        gram.size = text_.size();
        gram.hash = hash(text_.data(), text_.size());
        return gram;
    }

    // The name that Python sees.
    nb::object name_of(const char* bytes, size_t size, bool of_characters) const {
        uint32_t row = 0;
        if (n_features) std::memcpy(&row, bytes, sizeof row);
        const std::string text = (of_characters && !n_features ? mark : "") + std::string(bytes, size);
        const nb::object name =
            nb::steal(n_features ? PyLong_FromUnsignedLong(row)
                                 : PyUnicode_DecodeUTF8(text.data(), text.size(), "surrogatepass"));
        if (!name.is_valid()) throw nb::python_error();
        return name;
    }

    // In a hash table, the slot of the entry that is the same, or a free one.
    template <class Same>
    static size_t probe(const std::vector<uint32_t>& slots, uint32_t hash, Same same) {
        size_t i = hash & (slots.size() - 1);
        while (slots[i] != none && !same(slots[i])) i = (i + 1) & (slots.size() - 1);
        return i;
    }

    size_t bytes() const { return heap_bytes(grams_, seen_, tokens_, pieces_, starts_, letters_) + text_.capacity(); }

  private:
    static std::string encoded(nb::handle word) {  // lone surrogates, too
        const nb::object bytes = nb::steal(PyUnicode_AsEncodedString(word.ptr(), "utf-8", "surrogatepass"));
        if (!bytes.is_valid()) throw nb::python_error();
        return {PyBytes_AsString(bytes.ptr()), static_cast<size_t>(PyBytes_Size(bytes.ptr()))};
    }

    static std::string row_bytes(uint32_t row) { return {reinterpret_cast<char*>(&row), sizeof row}; }

    // Seeded by Python's hashes, so that nobody can choose words that collide.
    uint32_t hash(const char* bytes, size_t size) const {
        uint64_t h = seed_ ^ size;
        for (; size; ) {
            uint64_t part = 0;
            const size_t step = std::min<size_t>(size, sizeof part);
            std::memcpy(&part, bytes, step);
            h = (h ^ part) * 0x9E3779B97F4A7C15u;
            h ^= h >> 32 ^ seed_;
            bytes += step;
            size -= step;
        }
        return static_cast<uint32_t>(h * 0xD6E8FEB86659FD93u >> 32);
    }

    // The bytes of the character at a place of the text.
    size_t length(size_t at) const {
        const auto byte = static_cast<uint8_t>(text_[at]);
        return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    }

    // The words of the text before `last`.
    void add_words(size_t last) {
        for (size_t i = 0, size; i < last; i += size) {  // what is no letter separates them
            size = length(i);
            if (size == 1)
                text_[i] = ascii_[static_cast<uint8_t>(text_[i])];
            else if (!is_letter(i, size))
                std::memset(&text_[i], 0, size);
        }
        for (size_t begin = 0, end; begin < last; begin = end + 1) {
            end = begin + std::strlen(&text_[begin]);
            if (end > begin + length(begin)) add_token(begin, end - begin);
        }
    }

    // What stands between blanks in the text before `last`, which is ASCII.
    void add_ascii_pieces(size_t last) {
        const auto blank = [](char c) { return (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= ' '); };
        for (size_t begin = 0, end; begin + 1 < last; begin = end + 1) {
            for (end = begin; end + 1 < last && !blank(text_[end]); ++end) {}
            if (end == begin) continue;
            token_.assign(text_, begin, end - begin);
            for (char& c : token_)
                if (const char letter = ascii_[static_cast<uint8_t>(c)]) c = letter;
            add_piece(token_);
        }
    }

    void add_piece(const std::string& piece) {
        if (!stop_words_.empty() && stop_words_.count(piece)) return;
        pieces_.push_back({text_.size(), piece.size() + 2});
        text_.append(1, ' ').append(piece).append(1, ' ');
    }

    // Whether a character that is not ASCII is a letter or digit, as Python knows.
    bool is_letter(size_t at, size_t size) {
        uint32_t point = static_cast<uint8_t>(text_[at]) & (0x7F >> size);
        for (size_t i = 1; i < size; ++i) point = point << 6 | (static_cast<uint8_t>(text_[at + i]) & 0x3F);
        if (point >= letters_.size()) letters_.resize(point + 1, unknown);
        if (letters_[point] == unknown) {
            const nb::str one = nb::steal<nb::str>(PyUnicode_DecodeUTF8(&text_[at], size, "surrogatepass"));
            if (!one.is_valid()) throw nb::python_error();
            letters_[point] = nb::cast<bool>(one.attr("isalnum")());
        }
        return letters_[point];
    }

    void add_token(size_t begin, size_t size) {
        if (stop_words_.empty() || !stop_words_.count(token_.assign(text_, begin, size)))
            tokens_.push_back({begin, size});
    }

    void add_grams(const Lengths& lengths_of) {
        const auto [low, high] = lengths_of;
        const size_t lengths = std::min(high, tokens_.size());
        seen_.assign(slots_for(tokens_.size() * (lengths + 1 - std::min(low, lengths))), none);
        for (size_t length = low; length <= lengths; ++length)
            for (size_t first = 0; first + length <= tokens_.size(); ++first) {
                auto [begin, size] = tokens_[first];
                if (length > 1) {
                    begin = text_.size();
                    for (size_t i = first; i < first + length; ++i) {
                        if (i > first) text_ += ' ';
                        text_.append(text_, tokens_[i].first, tokens_[i].second);
                    }
                    size = text_.size() - begin;
                }
                add_bytes(begin, size, false);
            }
    }

    // The n-grams of the characters of each piece, with a blank before and after it. One that is not longer
    // than n is its own n-gram, once.
    void add_character_grams(const Lengths& lengths) {
        const auto [low, high] = lengths;
        size_t n_grams = 0;
        for (const auto& [begin, size] : pieces_) n_grams += size * std::min(high - low + 1, size);
        seen_.assign(slots_for(n_grams), none);
        for (const auto& [begin, size] : pieces_) {
            starts_.clear();
            for (size_t at = begin; at < begin + size; at += length(at)) starts_.push_back(at);
            starts_.push_back(begin + size);
            const size_t n = starts_.size() - 1;
            for (size_t width = std::min(low, n); width <= std::min(high, n); ++width)
                for (size_t i = 0; i + width <= n; ++i)
                    add_bytes(starts_[i], starts_[i + width] - starts_[i], true);
        }
    }

    void add_bytes(size_t begin, size_t size, bool of_characters) {
        if (n_features) {
            const uint32_t row = checksum(&text_[begin], size) & (n_features - 1);
            begin = text_.size();
            text_ += row_bytes(of_characters ? row | n_features : row);
            size = text_.size() - begin;
        }
        Gram gram{begin, size, hash(&text_[begin], size)};
        gram.of_characters = of_characters;
        uint32_t& at = seen_[probe(seen_, gram.hash, [&](uint32_t i) {
            const Gram& one = grams_[i];
            return one.hash == gram.hash && one.size == gram.size &&
                   std::memcmp(&text_[one.begin], &text_[gram.begin], gram.size) == 0;
        })];
        if (at != none) {
            ++grams_[at].count;
        } else {
            at = static_cast<uint32_t>(grams_.size());
            grams_.push_back(gram);
        }
    }

    static size_t slots_for(size_t n_grams) {
        size_t n_slots = 16;
        while (n_slots < 2 * n_grams) n_slots *= 2;
        return n_slots;
    }

    static constexpr const char* mark = "~";
    const nb::object tokenize_;
    const std::optional<Lengths> words_, characters_;
    const uint64_t seed_;
    std::string ascii_;
    static constexpr uint8_t unknown = 2;
    std::vector<uint8_t> letters_;  // whether each code point is one
    std::unordered_set<std::string> stop_words_;

    nb::object last_;  // the text
    std::string text_, token_;
    std::vector<std::pair<size_t, size_t>> tokens_, pieces_;  // words, and what stands between blanks
    std::vector<size_t> starts_;  // of the characters of a piece
    std::vector<Gram> grams_;
    std::vector<uint32_t> seen_;  // of a hash table: the grams
};

}  // namespace river_hier
