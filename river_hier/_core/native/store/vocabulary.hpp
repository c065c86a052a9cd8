// The words of texts, and in how many texts each word has occurred.
//
// A word is stored as bytes. The str or int that Python sees is made when the word first gets a weight.
#pragma once

#include "python/objects.hpp"
#include "store/text_reader.hpp"

namespace river_hier {

class Vocabulary : TextReader {
  public:
    Vocabulary(nb::object tokenize, std::optional<Lengths> ngram_range, uint32_t n_features,
               const nb::tuple& stop_words, uint64_t min_count, uint64_t max_rare, nb::object counts,
               double least_idf)
        : TextReader(tokenize, ngram_range, n_features, stop_words),
          options(nb::make_tuple(tokenize, ngram_range, n_features, stop_words, min_count, max_rare)),
          least_idf(least_idf), min_count_(min_count), max_rare_(max_rare), slots_(1024, none) {
        if (!counts.is_none()) set_counts(nb::cast<nb::tuple>(counts));
    }

    const nb::tuple options;
    const double least_idf;  // of a word of all documents; else log(n / df) more
    uint64_t n = 0;  // texts learned

    void learn(const nb::str& text) {
        read(text);
        const size_t before = words_.size();
        for (Gram& gram : grams()) gram.word = insert(gram);
        ++n;
        n_rare_ += words_.size() - before;
        for (const Gram& gram : grams()) {
            Word& word = words_[gram.word];
            if (!frequent(word)) {
                word.occurrences += gram.count;
                n_rare_ -= frequent(word);
            }
            ++word.documents;
        }
        if (n_rare_ > max_rare_) forget_rare();
    }

    // log(1 + tf) (least_idf + log(n / df)) of each word that has occurred often enough, in the order of the text. The text
    // is the last one that was `counted`, or is weighted as if it were counted too.
    nb::object weights(const nb::str& text, bool normalize, bool counted) {
        nb::object found = nb::steal(PyDict_New());  // first: it may collect garbage
        weigh(text, normalize, counted);
        for (const Gram& gram : grams()) {
            if (gram.weight == 0.0) continue;
            const nb::object weight = nb::steal(PyFloat_FromDouble(gram.weight));
            if (!weight.is_valid() || PyDict_SetItem(found.ptr(), name(gram).ptr(), weight.ptr()))
                throw nb::python_error();
        }
        return found;
    }

    // The same of several texts, of which each may be learned first, as the parts of a sparse matrix with a
    // column for each word.
    nb::tuple matrix(const nb::list& texts, bool normalize, bool learning) {
        Numbers weights;
        std::vector<int32_t> columns;
        std::vector<int64_t> start{0};
        nb::dict column_of;
        for (nb::handle text : texts) {
            if (PyErr_CheckSignals()) throw nb::python_error();
            if (learning) learn(nb::borrow<nb::str>(text));
            weigh(text, normalize, learning);
            for (const Gram& gram : grams()) {
                if (gram.weight == 0.0) continue;
                const nb::object word = name(gram);
                if (!column_of.contains(word)) column_of[word] = nb::len(column_of);
                weights.push_back(gram.weight);
                columns.push_back(nb::cast<int32_t>(column_of[word]));
            }
            start.push_back(static_cast<int64_t>(weights.size()));
        }
        return nb::make_tuple(array(std::move(weights)), array(std::move(columns)), array(std::move(start)),
                              column_of.keys());
    }

    nb::dict dfs() {
        nb::dict found;
        for (Word& word : words_) if (frequent(word)) found[nb::handle(name(word))] = word.documents;
        return found;
    }

    // Names, occurrences and documents of all words, the rare ones included.
    nb::tuple counts() {
        nb::list names, occurrences, documents;
        for (Word& word : words_) {
            names.append(nb::handle(name(word)));
            occurrences.append(word.occurrences);
            documents.append(word.documents);
        }
        return nb::make_tuple(n, names, occurrences, documents);
    }

    size_t bytes() const {
        size_t bytes = TextReader::bytes() + heap_bytes(words_, slots_) + bytes_.capacity();
        for (const Word& word : words_) if (word.name.is_valid()) bytes += 50 + word.size;
        return bytes;
    }

  private:
    void set_counts(const nb::tuple& counts) {
        const auto names = nb::cast<nb::list>(counts[1]);
        for (size_t i = 0; i < names.size(); ++i) {
            Word& word = words_[insert(gram_of(names[i]))];
            ensure(words_.size() == i + 1, "a word comes twice");
            word.occurrences = nb::cast<uint64_t>(counts[2][i]);
            word.documents = nb::cast<uint64_t>(counts[3][i]);
            n_rare_ += !frequent(word);
        }
        n = nb::cast<uint64_t>(counts[0]);
        for (const Word& word : words_)
            ensure(word.occurrences && word.documents && word.documents <= n, "counts from 1 to the number of texts");
    }

    struct Word {
        nb::object name;  // null until it is needed
        size_t begin, size;
        uint64_t occurrences, documents;  // occurrences: until there are `min_count_`
        uint32_t hash;
        bool of_characters;
    };

    void weigh(nb::handle text, bool normalize, bool counted) {
        read(text);
        double norm2[2] = {0.0, 0.0};  // of words, and of characters
        for (Gram& gram : grams()) {
            if (gram.word == none) gram.word = slots_[slot(gram)];
            gram.weight = 0.0;
            uint64_t occurrences = counted ? 0 : gram.count, documents = !counted;
            if (gram.word != none) {
                occurrences += words_[gram.word].occurrences;
                documents += words_[gram.word].documents;
            }
            if (occurrences < min_count_) continue;
            const double idf = static_cast<double>(n + !counted) / static_cast<double>(documents);
            gram.weight = std::log1p(static_cast<double>(gram.count)) * (least_idf + std::log(idf));
            norm2[gram.of_characters] += gram.weight * gram.weight;
        }
        if (!normalize) return;
        for (Gram& gram : grams())
            if (gram.weight != 0.0) gram.weight /= std::sqrt(norm2[gram.of_characters]);
    }

    bool frequent(const Word& word) const { return word.occurrences >= min_count_; }

    PyObject* name(Word& word) {
        if (!word.name.is_valid()) word.name = name_of(&bytes_[word.begin], word.size, word.of_characters);
        return word.name.ptr();
    }

    nb::object name(const Gram& gram) {  // that of an unknown word is not kept
        return gram.word == none ? name_of(bytes_of(gram), gram.size, gram.of_characters) : nb::borrow(name(words_[gram.word]));
    }

    size_t slot(const Gram& gram) const {
        return probe(slots_, gram.hash, [&](uint32_t at) {
            const Word& word = words_[at];
            return word.hash == gram.hash && word.size == gram.size && word.of_characters == gram.of_characters &&
                   std::memcmp(&bytes_[word.begin], bytes_of(gram), gram.size) == 0;
        });
    }

    uint32_t insert(const Gram& gram) {
        uint32_t& at = slots_[slot(gram)];
        if (at != none) return at;
        const uint32_t word = static_cast<uint32_t>(words_.size());
        if (word == none) throw std::length_error("more than 2**32 - 1 words");
        words_.push_back({nb::object(), bytes_.size(), gram.size, 0, 0, gram.hash, gram.of_characters});
        bytes_.append(bytes_of(gram), gram.size);
        at = word;
        if (2 * words_.size() > slots_.size()) index(2 * slots_.size());
        return word;
    }

    void index(size_t n_slots) {
        slots_.assign(n_slots, none);
        for (uint32_t i = 0; i < words_.size(); ++i)
            slots_[probe(slots_, words_[i].hash, [](uint32_t) { return false; })] = i;
    }

    void forget_rare() {  // needs no memory
        size_t kept = 0;
        for (Word& word : words_) {
            if (!frequent(word)) continue;
            std::memmove(&bytes_[kept], &bytes_[word.begin], word.size);
            word.begin = kept;
            kept += word.size;
        }
        words_.erase(std::remove_if(words_.begin(), words_.end(), [&](const Word& word) { return !frequent(word); }),
                     words_.end());
        bytes_.resize(kept);
        n_rare_ = 0;
        index(slots_.size());
        for (Gram& gram : grams()) gram.word = none;
    }

    const uint64_t min_count_, max_rare_;
    std::vector<Word> words_;
    std::string bytes_;            // of the words
    std::vector<uint32_t> slots_;  // of a hash table: the words
    size_t n_rare_ = 0;
};

}  // namespace river_hier
