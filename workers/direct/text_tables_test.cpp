// Lookup tables that are filled from files, as a session sees them. What is expected was seen of TensorFlow 2.15.1.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workers/direct/direct_session.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;

struct Filling {
  std::string file;
  std::int64_t key = -2, value = -1, size = -1, offset = 0;
  std::string delimiter = "\t";
};

InputFile words_in(const std::string& name, const std::string& bytes) {
  return {.name = name, .bytes = std::make_shared<const std::string>(bytes)};
}
const std::vector<InputFile> kVocabularies = {words_in("abc", "a\nb\nc\n"),
                                              words_in("no_end", "a\r\nb"),
                                              words_in("none", ""),
                                              words_in("pairs", "x\t1\ny\t2\n"),
                                              words_in("same", "x\t1\nx\t1\n"),
                                              words_in("other", "x\t1\nx\t2\ny\t3\n"),
                                              words_in("words", "x\t1\ny\tq\n"),
                                              words_in("short", "x\t1\ny\n"),
                                              words_in("blank", "x\n\ny\n"),
                                              words_in("reals", "x\t 1.5 \n"),
                                              words_in("commas", "x, 1\n"),
                                              words_in("nul", {'x', '\0', '\t', '1', '\n'}),
                                              words_in("first", "\ty\n"),
                                              {.name = "three_lines", .records = 3},
                                              {.name = "no_lines", .records = 0}};

TensorRef texts_of(const std::vector<std::string>& words) {
  MutableTensor t = make_tensor(DataType::kString, Shape({std::ssize(words)}));
  std::ranges::copy(words, t->mutable_strings().begin());
  return t;
}

class TextTable {
 public:
  explicit TextTable(DataType key = DataType::kString, DataType value = DataType::kInt64, bool has_files = true,
                     const char* op = "HashTableV2")
      : key_(key), value_(value), op_(op), inputs_(has_files ? kVocabularies : std::vector<InputFile>()) {}

  // "ok", or what is wrong; and the number of entries after each filling.
  std::vector<std::string> filled_with(const std::vector<Filling>& fillings) {
    std::vector<NodeSpec> nodes = nodes_of_table();
    for (std::size_t i = 0; i < fillings.size(); ++i) nodes.push_back(node_of(fillings[i], i));
    session_ = *DirectSession::create({nodes}, {"/job:localhost/replica:0/task:0/device:CPU:0"}, {.inputs = inputs_});
    std::vector<std::string> out;
    for (std::size_t i = 0; i < fillings.size(); ++i) {
      out.push_back(fill(fmt::format("fill{}", i), make_string(fillings[i].file)));
      out.back() += ", " + size();
    }
    return out;
  }
  std::string fill(const std::string& node, TensorRef name) {
    const auto got = session_->run({.feeds = {{"name:0", std::move(name)}}, .fetches = {}, .targets = {node}});
    const std::string all(text_of(got.status()));
    return got.ok() ? "ok" : all.substr(0, all.find("\n\t [["));
  }
  std::string size() {
    const auto got = session_->run({.feeds = {}, .fetches = {"size:0"}, .targets = {}});
    return got->at(0)->has_data() ? fmt::format("{}", got->at(0)->as<std::int64_t>()[0]) : "?";
  }
  // Null where its value is not known.
  TensorRef find(TensorRef keys, TensorRef otherwise) {
    const auto got = session_->run({.feeds = {{"keys:0", std::move(keys)}, {"default:0", std::move(otherwise)}},
                                    .fetches = {"find:0"},
                                    .targets = {}});
    return got.ok() ? got->at(0) : nullptr;
  }
  std::vector<std::int64_t> numbers_of(const std::vector<std::string>& words) {
    const TensorRef found = find(texts_of(words), make_scalar(std::int64_t{-7}));
    return {found->as<std::int64_t>().begin(), found->as<std::int64_t>().end()};
  }

 private:
  [[nodiscard]] std::vector<NodeSpec> nodes_of_table() const {
    return {{"table", op_, "", {}, {{"key_dtype", key_}, {"value_dtype", value_}, {"shared_name", std::string("t")}}},
            {"size", "LookupTableSizeV2", "", {"table"}, {}},
            {"keys", "Placeholder", "", {}, {{"dtype", key_}}},
            {"default", "Placeholder", "", {}, {{"dtype", value_}}},
            {"find", "LookupTableFindV2", "", {"table", "keys", "default"}, {{"Tin", key_}, {"Tout", value_}}},
            {"name", "Placeholder", "", {}, {{"dtype", DataType::kString}}}};
  }
  static NodeSpec node_of(const Filling& f, std::size_t i) {
    return {fmt::format("fill{}", i),
            "InitializeTableFromTextFileV2",
            "",
            {"table", "name"},
            {{"key_index", f.key},
             {"value_index", f.value},
             {"vocab_size", f.size},
             {"offset", f.offset},
             {"delimiter", f.delimiter}}};
  }

  DataType key_, value_;
  std::string op_;
  InputFiles inputs_;
  std::unique_ptr<DirectSession> session_;
};

std::string once(const Filling& f, DataType value = DataType::kInt64, DataType key = DataType::kString) {
  return TextTable(key, value).filled_with({f}).at(0);
}

TEST(TextTable, numbers_the_lines_of_a_file) {
  TextTable t;
  EXPECT_THAT(t.filled_with({{"abc"}}), ElementsAre("ok, 3"));
  EXPECT_THAT(t.numbers_of({"c", "a", "d"}), ElementsAre(2, 0, -7));
  EXPECT_THAT(t.filled_with({{.file = "abc", .offset = 10}}), ElementsAre("ok, 3"));
  EXPECT_THAT(t.numbers_of({"c", "a"}), ElementsAre(12, 10));
  EXPECT_THAT(t.filled_with({{"no_end"}}), ElementsAre("ok, 2"));
  EXPECT_THAT(t.numbers_of({"a", "b"}), ElementsAre(0, 1)) << "neither the last end nor a carriage return is needed";
}

TEST(TextTable, has_columns_of_the_lines) {
  TextTable t;
  EXPECT_THAT(t.filled_with({{"pairs", 0, 1}}), ElementsAre("ok, 2"));
  EXPECT_THAT(t.numbers_of({"x", "y"}), ElementsAre(1, 2));
  EXPECT_THAT(t.filled_with({{.file = "commas", .key = 0, .value = 1, .delimiter = ","}}), ElementsAre("ok, 1"));
  EXPECT_THAT(t.numbers_of({"x"}), ElementsAre(1)) << "blanks around a number are none of it";
  EXPECT_THAT(t.filled_with({{"pairs", -2, 1}}), ElementsAre("ok, 2"));
  EXPECT_THAT(t.numbers_of({"x\t1"}), ElementsAre(1));
  EXPECT_THAT(t.filled_with({{"first", 0, -1}}), ElementsAre("ok, 1"));
  EXPECT_THAT(t.numbers_of({""}), ElementsAre(0));
  EXPECT_THAT(t.filled_with({{"nul", 0, 1}}), ElementsAre("ok, 1"));
  EXPECT_THAT(t.numbers_of({std::string("x\0", 2)}), ElementsAre(1));
  TextTable reals(DataType::kString, DataType::kDouble), texts(DataType::kInt64, DataType::kString);
  EXPECT_THAT(reals.filled_with({{"reals", 0, 1}}), ElementsAre("ok, 1"));
  EXPECT_EQ(reals.find(make_string("x"), make_scalar(0.0))->as<double>()[0], 1.5);
  EXPECT_THAT(texts.filled_with({{"pairs", 1, 0}}), ElementsAre("ok, 2"));
  EXPECT_EQ(texts.find(make_scalar(std::int64_t{2}), make_string(""))->strings()[0], "y");
}

TEST(TextTable, reads_as_many_lines_as_the_vocabulary_has) {
  EXPECT_EQ(once({"abc", -2, -1, 2}), "ok, 2");
  EXPECT_EQ(once({"abc", -2, -1, 3}), "ok, 3");
  EXPECT_EQ(once({"abc", -2, -1, 5}), "Invalid vocab_size in abc: expected 5 but got 3, 0");
  EXPECT_EQ(once({"none", -2, -1, 3}), "Invalid vocab_size in none: expected 3 but got 0, 0");
  EXPECT_EQ(once({"abc", -2, -1, 0}), "Finished reading 0 of lines from abc, 0");
  EXPECT_EQ(once({"short", 0, 1, 1}), "ok, 1") << "what comes later is not read";
}

TEST(TextTable, refuses_bad_lines) {
  EXPECT_EQ(once({"none"}), "Read less bytes than requested, 0");
  EXPECT_EQ(once({"blank"}), "Invalid content in blank: empty line found at position 3., 0");
  EXPECT_EQ(once({"short", 0, 1}), "Invalid number of columns in short line 1 (y) : expected at least 2 got 1, 0");
  EXPECT_EQ(once({"words", 0, 1}), "Field q in line 1 is not a valid int64., 0");
  EXPECT_EQ(once({"words", 0, 1}, DataType::kInt32), "Field q in line 1 is not a valid int32., 0");
  EXPECT_EQ(once({"words", 0, 1}, DataType::kFloat), "Field q in line 1 is not a valid float., 0");
  EXPECT_EQ(once({"words", 0, 1}, DataType::kDouble), "Field q in line 1 is not a valid double., 0");
  EXPECT_EQ(once({"words", 0, 1}, DataType::kBool), "Data type bool not supported., 0");
  EXPECT_EQ(once({"other", 0, 1}),
            "HashTable has different value for same key. Key x has 1 and trying to add value 2, 0");
  EXPECT_EQ(once({"same", 0, 1}), "ok, 1") << "twice the same is once";
}

TEST(TextTable, refuses_types_and_names_that_do_not_fit) {
  EXPECT_EQ(once({"nobody's"}), "nobody's; No such file or directory, 0");
  EXPECT_EQ(once({""}), "filename cannot be empty., 0");
  EXPECT_EQ(once({.file = "nobody's", .delimiter = ""}), "delimiter should be only 1 char, 0");
  EXPECT_EQ(once({"nobody's"}, DataType::kInt32),
            "Value index for line number requires table value dtype of int64, got int32, 0");
  EXPECT_EQ(once({"abc", -1, -2}), "Key index for line number requires table key dtype of int64, got string, 0");
  EXPECT_EQ(once({"nobody's", 0, -2}, DataType::kFloat),
            "Value index for whole line requires table value dtype of integer or string, got float, 0");
  EXPECT_EQ(once({"pairs", 0, -2}, DataType::kString), "ok, 2");
  TextTable t;
  (void)t.filled_with({{"abc"}});
  EXPECT_EQ(t.fill("fill0", texts_of({"abc"})), "filename should be a single string, but got [1]");
  TextTable m(DataType::kString, DataType::kInt64, true, "MutableHashTableV2");
  EXPECT_THAT(m.filled_with({{"abc"}}), ElementsAre(testing::HasSubstr(" is not initializable, 0")));
}

TEST(TextTable, that_was_filled_stays_as_it_is_where_the_first_line_is_a_good_one) {
  TextTable t;
  EXPECT_THAT(t.filled_with({{"abc"}, {"pairs", 0, 1}, {"abc", -2, -1, 5}, {"none"}, {"nobody's"}}),
              ElementsAre("ok, 3", "ok, 3", "ok, 3", "Read less bytes than requested, 3",
                          "nobody's; No such file or directory, 3"));
  EXPECT_THAT(t.numbers_of({"b", "x"}), ElementsAre(1, -7));
  EXPECT_THAT(t.filled_with({{"other", 0, 1}, {"pairs", 0, 1}}),
              ElementsAre(testing::StartsWith("HashTable has different value"), "ok, 2"))
      << "what came before a bad line is kept, and fits";
}

TEST(TextTable, of_a_file_whose_bytes_nobody_knows_has_a_size_and_no_values) {
  TextTable t;
  EXPECT_THAT(t.filled_with({{"three_lines"}}), ElementsAre("ok, 3"));
  EXPECT_FALSE(t.find(make_string("a"), make_scalar(std::int64_t{0}))->has_data());
  EXPECT_EQ(once({"three_lines", -2, -1, 2}), "ok, 2");
  EXPECT_EQ(once({"three_lines", -2, -1, 4}), "Invalid vocab_size in three_lines: expected 4 but got 3, 0");
  EXPECT_EQ(once({"three_lines", -2, -1, 0}), "Finished reading 0 of lines from three_lines, 0");
  EXPECT_EQ(once({"no_lines"}), "Read less bytes than requested, 0");
  TextTable anything(DataType::kString, DataType::kInt64, false);
  EXPECT_THAT(anything.filled_with({{"any"}}), ElementsAre("ok, ?")) << "a job that says nothing of files has all";
  EXPECT_THAT(anything.filled_with({{"any", -2, -1, 9}}), ElementsAre("ok, 9"));
}

}  // namespace
}  // namespace tarry
