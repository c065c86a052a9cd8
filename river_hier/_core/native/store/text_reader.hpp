// Texts to their distinct words or n-grams.
//
// Words are compared as bytes: UTF-8 or, where words are hashed, the four bytes of the row. N-grams are of
// words, of the characters between blanks, or both. For Python, those of characters have a mark, and their rows
// follow those of words. What is a word depends on the kinds of characters; those that are not ASCII are asked of
// Python once.
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
    // words are runs of letters of `tokenize.prepared(text)`, which ASCII texts do not need, and what is a word
    // alone, as `tokenize.kind(character)` says.
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
        nb::list words, pieces;  // first what runs Python's code
        std::string prepared;
        const bool by_kinds = !ascii_.empty(), ascii = by_kinds && nb::cast<bool>(text.attr("isascii")());
        if (!by_kinds) {
            words = nb::cast<nb::list>(tokenize_(text));
            if (characters_) pieces = nb::cast<nb::list>(tokenize_.attr("pieces")(text));
        } else if (!ascii) {
            prepared = encoded(tokenize_.attr("prepared")(text));
            ask_kinds(prepared);
        }
        last_.reset();
        text_.clear();
        tokens_.clear();
        pieces_.clear();
        grams_.clear();
        if (ascii) {
            text_ = encoded(text) + '\0';
            const size_t end = text_.size();
            if (characters_) add_ascii_pieces(end);
            if (words_) add_ascii_words(end);
        } else if (by_kinds) {
            if (words_) add_words(prepared);
            if (characters_) add_pieces(prepared);
        } else {
            for (nb::handle piece : pieces) add_piece(encoded(piece), false);
            for (nb::handle word : words) {
                const size_t begin = text_.size();
                text_ += encoded(word);
                add_token(begin, text_.size() - begin);
            }
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
        gram.of_characters = characters_ && (!words_ || text_.compare(0, 1, prefix) == 0);
        if (gram.of_characters && !n_features) text_.erase(0, 1);
        gram.size = text_.size();
        gram.hash = hash(text_.data(), text_.size());
        return gram;
    }

    // The name that Python sees.
    nb::object name_of(const char* bytes, size_t size, bool of_characters) const {
        uint32_t row = 0;
        if (n_features) std::memcpy(&row, bytes, sizeof row);
        const std::string text = (of_characters && !n_features ? prefix : "") + std::string(bytes, size);
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

    size_t bytes() const { return heap_bytes(grams_, seen_, tokens_, pieces_, starts_, kinds_) + text_.capacity(); }

  private:
    struct Piece {  // what stands between blanks
        size_t begin, size;
        bool of_short_runs;
    };

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

    // Of characters, as in feature_extraction/texts.py; `shorter` says how long runs of them are.
    enum Kind : uint8_t { blank, separator, letter, alone, mark, ignored, shorter = 8, unknown = 255 };

    static size_t length(char first) {  // of a character, in bytes
        const auto byte = static_cast<uint8_t>(first);
        return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    }

    // Calls visit(bytes, number of bytes, code point) for each character.
    template <class Visit>
    static void each_character(const std::string& text, Visit visit) {
        for (size_t i = 0, size; i < text.size(); i += size) {
            size = length(text[i]);
            uint32_t point = static_cast<uint8_t>(text[i]) & (size == 1 ? 0x7F : 0x7F >> size);
            for (size_t k = 1; k < size; ++k) point = point << 6 | (static_cast<uint8_t>(text[i + k]) & 0x3F);
            visit(&text[i], size, point);
        }
    }

    void ask_kinds(const std::string& text) {
        each_character(text, [&](const char* bytes, size_t size, uint32_t point) {
            if (point < kinds_.size() && kinds_[point] != unknown) return;
            const nb::object one = nb::steal(PyUnicode_DecodeUTF8(bytes, size, "surrogatepass"));
            if (!one.is_valid()) throw nb::python_error();
            const auto kind = nb::cast<uint8_t>(tokenize_.attr("kind")(one));
            if (point >= kinds_.size()) kinds_.resize(point + 1, unknown);
            kinds_[point] = kind;
        });
    }

    // Letters with their marks, and what is a word alone.
    void add_words(const std::string& text) {
        size_t begin = text_.size();
        uint8_t last = separator;
        const auto end_word = [&] {
            if (text_.size() > begin) add_token(begin, text_.size() - begin);
            begin = text_.size();
        };
        each_character(text, [&](const char* bytes, size_t size, uint32_t point) {
            const uint8_t kind = kinds_[point] & ~shorter;
            if (kind == ignored) return;
            if (kind != mark && (kind != letter || last != letter)) end_word();
            if (kind > separator) text_.append(bytes, size);
            if (kind != mark) last = kind;
        });
        end_word();
    }

    // What stands between blanks, divided where the length of runs changes.
    void add_pieces(const std::string& text) {
        std::string piece;
        uint8_t runs = 0;
        each_character(text, [&](const char* bytes, size_t size, uint32_t point) {
            const uint8_t kind = kinds_[point] & ~shorter;
            if (kind == ignored) return;
            const uint8_t now = kind == blank ? 0 : kind == letter || kind == alone ? kinds_[point] & shorter : runs;
            if (kind == blank || now != runs) {
                add_piece(piece, runs);
                piece.clear();
            }
            if (kind != blank) piece.append(bytes, size);
            runs = now;
        });
        add_piece(piece, runs);
    }

    // The words of the text before `last`, which is ASCII.
    void add_ascii_words(size_t last) {
        for (size_t i = 0; i < last; ++i) text_[i] = ascii_[static_cast<uint8_t>(text_[i])];  // 0 separates words
        for (size_t begin = 0, end; begin < last; begin = end + 1) {
            end = begin + std::strlen(&text_[begin]);
            if (end > begin) add_token(begin, end - begin);
        }
    }

    // What stands between blanks in the text before `last`, which is ASCII.
    void add_ascii_pieces(size_t last) {
        const auto is_blank = [](char c) { return (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= ' '); };
        for (size_t begin = 0, end; begin + 1 < last; begin = end + 1) {
            for (end = begin; end + 1 < last && !is_blank(text_[end]); ++end) {}
            if (end == begin) continue;
            token_.assign(text_, begin, end - begin);
            for (char& c : token_)
                if (const char letter = ascii_[static_cast<uint8_t>(c)]) c = letter;
            add_piece(token_, false);
        }
    }

    void add_piece(const std::string& piece, bool of_short_runs) {
        if (piece.empty() || (!stop_words_.empty() && stop_words_.count(piece))) return;
        pieces_.push_back({text_.size(), piece.size() + 2, of_short_runs});
        text_.append(1, ' ').append(piece).append(1, ' ');
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
    // than n is its own n-gram, once. Where runs are shorter, n is one less.
    void add_character_grams(const Lengths& lengths) {
        size_t n_grams = 0;
        for (const Piece& piece : pieces_)
            n_grams += piece.size * std::min(lengths.second - lengths.first + 1, piece.size);
        seen_.assign(slots_for(n_grams), none);
        for (const Piece& piece : pieces_) {
            const size_t less = piece.of_short_runs, low = std::max<size_t>(lengths.first - less, 1),
                         high = std::max<size_t>(lengths.second - less, 1), end = piece.begin + piece.size;
            starts_.clear();
            for (size_t at = piece.begin; at < end; at += length(text_[at])) starts_.push_back(at);
            starts_.push_back(end);
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

    static constexpr const char* prefix = "~";
    const nb::object tokenize_;
    const std::optional<Lengths> words_, characters_;
    const uint64_t seed_;
    std::string ascii_;
    std::vector<uint8_t> kinds_;  // of code points
    std::unordered_set<std::string> stop_words_;

    nb::object last_;  // the text
    std::string text_, token_;
    std::vector<std::pair<size_t, size_t>> tokens_;  // words
    std::vector<Piece> pieces_;
    std::vector<size_t> starts_;  // of the characters of a piece
    std::vector<Gram> grams_;
    std::vector<uint32_t> seen_;  // of a hash table: the grams
};

}  // namespace river_hier
