// Readers as a session sees them. What is expected was seen of TensorFlow 2.15.1.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "workers/direct/direct_session.hpp"

namespace tarry {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::StartsWith;

InputFile file(const std::string& name, const std::string& bytes) {
  return {.name = name, .bytes = std::make_shared<const std::string>(bytes)};
}

const std::vector<InputFile> kFiles = {file("a.txt", "one\ntwo\r\nthree"), file("b.txt", ""), file("c.txt", "x\n\ny\n"),
                                       file("f.bin", "HHaabbccddF"), file("g.bin", "HHaabbcF")};

struct Reads {
  std::string op = "TextLineReaderV2";
  Attrs attrs = {};
  std::vector<std::string> names = {"a.txt", "b.txt", "c.txt"};
  std::vector<InputFile> files = kFiles;
  std::int64_t up_to = 0;  // 0 = one at a time
  DataType of_queue = DataType::kString;
};

class ReaderSession {
 public:
  explicit ReaderSession(const Reads& r) : up_to_(r.up_to) {
    const AttrEntry types{"component_types", AttrList{.type = {r.of_queue}}};
    std::vector<NodeSpec> nodes = {
        {"name", "Placeholder", "", {}, {{"dtype", r.of_queue}}},
        {"q", "FIFOQueueV2", "", {}, {types, {"shared_name", std::string("q")}}},
        {"put", "QueueEnqueueV2", "", {"q", "name"}, {{"Tcomponents", AttrList{.type = {r.of_queue}}}}},
        {"close", "QueueCloseV2", "", {"q"}, {}},
        {"reader", r.op, "", {}, r.attrs},
        {"n", "Placeholder", "", {}, {{"dtype", DataType::kInt64}}},
        {"read", "ReaderReadV2", "", {"reader", "q"}, {}},
        {"read_up_to", "ReaderReadUpToV2", "", {"reader", "q", "n"}, {}},
        {"produced", "ReaderNumRecordsProducedV2", "", {"reader"}, {}},
        {"finished", "ReaderNumWorkUnitsCompletedV2", "", {"reader"}, {}},
        {"reset", "ReaderResetV2", "", {"reader"}, {}}};
    session_ = *DirectSession::create({nodes}, {"/job:localhost/replica:0/task:0/device:CPU:0"},
                                      {.inputs = InputFiles(r.files)});
    for (const std::string& name : r.names) put(make_string(name));
  }
  void put(TensorRef name) {
    ASSERT_TRUE(session_->run({.feeds = {{"name:0", name}}, .fetches = {}, .targets = {"put"}}).ok());
  }
  // In one step: a read, a count, and the name that the read waits for.
  std::string read_count_and_put(const std::string& name) {
    const auto got = session_->run(
        {.feeds = {{"name:0", make_string(name)}}, .fetches = {"read:0", "read:1", "produced:0"}, .targets = {"put"}});
    if (!got.ok()) return first_line(got.status());
    return fmt::format("{}={} {}", text(*got->at(0)), text(*got->at(1)), got->at(2)->as<std::int64_t>()[0]);
  }
  void close() { ASSERT_TRUE(run({}, {"close"}).ok()); }
  void reset() { ASSERT_TRUE(run({}, {"reset"}).ok()); }

  // "key=value", both as lists where several are read; or the first line of the error.
  std::string read() {
    const std::string op = up_to_ > 0 ? "read_up_to" : "read";
    const auto got = run({op + ":0", op + ":1"}, {});
    return got.ok() ? text(*got->at(0)) + "=" + text(*got->at(1)) : first_line(got.status());
  }
  std::vector<std::string> reads(int n) {
    std::vector<std::string> out;
    while (n-- > 0) out.push_back(read());
    return out;
  }
  // How many records it gave, and how many files it finished.
  std::string counts() {
    const auto got = run({"produced:0", "finished:0"}, {});
    return fmt::format("{} {}", got->at(0)->as<std::int64_t>()[0], got->at(1)->as<std::int64_t>()[0]);
  }

 private:
  StatusOr<std::vector<TensorRef>> run(std::vector<std::string> fetches, std::vector<std::string> targets) {
    return session_->run(
        {.feeds = {{"n:0", make_scalar(up_to_)}}, .fetches = std::move(fetches), .targets = std::move(targets)});
  }
  static std::string first_line(const Status& s) {
    const std::string all(text_of(s));
    return all.substr(0, all.find('\n'));
  }
  static std::string text(const TensorBody& t) {
    return t.has_data() ? fmt::format("{}", fmt::join(t.strings(), ",")) : "?" + to_string(t.shape());
  }

  std::int64_t up_to_;
  std::unique_ptr<DirectSession> session_;
};

std::vector<std::string> all_of(const Reads& r, int n) {
  ReaderSession s(r);
  s.close();
  return s.reads(n);
}

constexpr char kAtEnd[] = "FIFOQueue 'q' is closed and has insufficient elements (requested 1, current size 0)";

TEST(TextLineReader, gives_the_lines_of_the_files_in_the_queue_one_by_one) {
  EXPECT_THAT(all_of({}, 8), ElementsAre("a.txt:1=one", "a.txt:2=two", "a.txt:3=three", "c.txt:1=x",
                                         "c.txt:2=", "c.txt:3=y", kAtEnd, kAtEnd));
  EXPECT_THAT(all_of({.names = {"m"}, .files = {file("m", "a\rb\n\r\nlast\r")}}, 4),
              ElementsAre("m:1=a\rb", "m:2=", "m:3=last", kAtEnd));
}
TEST(TextLineReader, gives_no_more_records_at_once_than_memory_has_room_for) {
  constexpr std::int64_t kVeryMany = 1'000'000'000'000;
  EXPECT_THAT(all_of({.files = {{.name = "*", .records = kVeryMany}}, .up_to = kVeryMany}, 1),
              ElementsAre("tarry reads at most 1000000 records at once, and num_records is 1000000000000"));
  EXPECT_THAT(all_of({.files = {{.name = "*", .records = 1'000'000}}, .up_to = kVeryMany}, 1),
              ElementsAre(testing::EndsWith(",a.txt:1000000=?[1000000]")));
}
TEST(TextLineReader, passes_over_the_lines_of_a_header) {
  EXPECT_THAT(all_of({.attrs = {{"skip_header_lines", std::int64_t{1}}}}, 5),
              ElementsAre("a.txt:2=two", "a.txt:3=three", "c.txt:2=", "c.txt:3=y", kAtEnd));
  EXPECT_THAT(all_of({.attrs = {{"skip_header_lines", std::int64_t{9}}}}, 1), ElementsAre(kAtEnd));
  EXPECT_THAT(all_of({.attrs = {{"skip_header_lines", std::int64_t{-1}}}}, 1),
              ElementsAre("skip_header_lines must be >= 0 not -1"));
}
TEST(TextLineReader, has_finished_a_file_when_it_finds_its_end) {
  ReaderSession s({});
  s.reads(3);
  EXPECT_EQ(s.counts(), "3 0");
  s.read();
  EXPECT_EQ(s.counts(), "4 2") << "the second file is empty";
  s.reset();
  EXPECT_EQ(s.counts(), "0 0");
}
TEST(TextLineReader, goes_on_with_the_next_name_after_a_file_that_is_missing) {
  EXPECT_THAT(all_of({.names = {"nope.txt", "b.txt", "c.txt"}}, 2),
              ElementsAre("nope.txt; No such file or directory", "c.txt:1=x"));
}
TEST(Readers, read_several_records_up_to_the_end_of_a_file) {
  EXPECT_THAT(all_of({.up_to = 2}, 5),
              ElementsAre("a.txt:1,a.txt:2=one,two", "a.txt:3=three", "c.txt:1,c.txt:2=x,", "c.txt:3=y", kAtEnd));
}
TEST(Readers, take_one_string_from_a_queue_of_strings) {
  EXPECT_THAT(all_of({.names = {}, .of_queue = DataType::kInt32}, 1), ElementsAre(kAtEnd));
  ReaderSession ints({.names = {}, .of_queue = DataType::kInt32});
  ints.put(make_scalar(std::int32_t{3}));
  EXPECT_EQ(ints.read(), "Expected queue with single string component");
  ReaderSession lists({.names = {}});
  MutableTensor two = make_tensor(DataType::kString, Shape({2}));
  lists.put(two);
  EXPECT_EQ(lists.read(), "Expected to dequeue a one-element string tensor");
}
// One op at a time uses a reader: the count waits for the read, which waits for a name.
TEST(Readers, are_used_by_one_op_at_a_time) {
  ReaderSession s({.names = {}});
  EXPECT_EQ(s.read_count_and_put("a.txt"), "a.txt:1=one 1");
  EXPECT_EQ(s.counts(), "1 0");
}
TEST(WholeFileReader, gives_a_file_at_a_time_and_does_not_get_past_one_that_is_missing) {
  EXPECT_THAT(all_of({.op = "WholeFileReaderV2", .names = {"c.txt", "nope", "b.txt"}}, 3),
              ElementsAre("c.txt=x\n\ny\n", "nope; No such file or directory", "nope; No such file or directory"));
}
TEST(IdentityReader, gives_the_names) {
  EXPECT_THAT(all_of({.op = "IdentityReaderV2", .names = {"a.txt", "nope"}}, 3),
              ElementsAre("a.txt=a.txt", "nope=nope", kAtEnd));
}

Reads fixed(std::int64_t record, std::int64_t header = 0, std::int64_t footer = 0, std::int64_t hop = 0) {
  return {.op = "FixedLengthRecordReaderV2",
          .attrs = {{"record_bytes", record}, {"header_bytes", header}, {"footer_bytes", footer}, {"hop_bytes", hop}},
          .names = {"f.bin", "g.bin"}};
}
TEST(FixedLengthRecordReader, cuts_what_is_between_header_and_footer) {
  EXPECT_THAT(all_of(fixed(2, 2, 1), 7),
              ElementsAre("f.bin:0=aa", "f.bin:1=bb", "f.bin:2=cc", "f.bin:3=dd", "g.bin:0=aa", "g.bin:1=bb", kAtEnd));
  EXPECT_THAT(all_of(fixed(3, 2, 1, 2), 5),
              ElementsAre("f.bin:0=aab", "f.bin:1=bbc", "f.bin:2=ccd", "g.bin:0=aab", "g.bin:1=bbc"));
  EXPECT_THAT(all_of(fixed(3, 0, 0, 4), 4), ElementsAre("f.bin:0=HHa", "f.bin:1=bbc", "f.bin:2=ddF", "g.bin:0=HHa"));
  EXPECT_THAT(all_of(fixed(2, 0, 50), 1), ElementsAre(kAtEnd));
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(all_of(fixed(3, 2, 0, kHuge), 3), ElementsAre("f.bin:0=aab", "g.bin:0=aab", kAtEnd));
  EXPECT_THAT(all_of(fixed(kHuge, 11, kHuge), 1), ElementsAre("reached end of file"));
}
TEST(FixedLengthRecordReader, refuses_lengths_below_0_and_files_shorter_than_the_header) {
  EXPECT_THAT(all_of(fixed(3, 20), 3), ElementsAre("reached end of file", "reached end of file", kAtEnd));
  EXPECT_THAT(all_of(fixed(-3), 1), ElementsAre("record_bytes must be >= 0 not -3"));
  EXPECT_THAT(all_of(fixed(3, 0, 0, -1), 1), ElementsAre("hop_bytes must be >= 0 not -1"));
}

// "r1" and "record two", as TensorFlow's writer wrote them.
std::string two_records() {
  constexpr std::string_view kHex =
      "0200000000000000"
      "78270b34"
      "7231"
      "c2429654"
      "0a00000000000000"
      "aea3bf3a"
      "7265636f72642074776f"
      "3b4884d7";
  std::string bytes;
  for (std::size_t i = 0; i < kHex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(kHex.substr(i, 2)), nullptr, 16));
  return bytes;
}
Reads records(const std::string& bytes) {
  return {.op = "TFRecordReaderV2", .names = {"r"}, .files = {file("r", bytes)}};
}
TEST(TFRecordReader, gives_records_by_the_byte_at_which_they_begin) {
  EXPECT_THAT(all_of(records(two_records()), 3), ElementsAre("r:0=r1", "r:18=record two", kAtEnd));
}
TEST(TFRecordReader, passes_over_a_length_that_is_cut_off_and_refuses_a_record_that_is) {
  const std::string all = two_records();
  for (const std::size_t size : {1U, 11U}) EXPECT_THAT(all_of(records(all.substr(0, size)), 1), ElementsAre(kAtEnd));
  for (const std::size_t size : {12U, 13U, 17U})
    EXPECT_THAT(all_of(records(all.substr(0, size)), 2),
                Each("truncated record at 0' failed with Read less bytes than requested"));
  EXPECT_THAT(all_of(records(all.substr(0, 19)), 2), ElementsAre("r:0=r1", kAtEnd));
  EXPECT_THAT(all_of(records(all.substr(0, 43)), 2),
              ElementsAre("r:0=r1", "truncated record at 18' failed with Read less bytes than requested"));
}
TEST(TFRecordReader, refuses_a_record_whose_checksum_is_another) {
  const auto with_another = [](std::size_t at) {
    std::string bytes = two_records();
    bytes[at] ^= 1;
    return all_of(records(bytes), 2);
  };
  EXPECT_THAT(with_another(0), Each("corrupted record at 0 (Is this even a TFRecord file?)"));
  EXPECT_THAT(with_another(13), Each("corrupted record at 12"));
  EXPECT_THAT(with_another(19), ElementsAre("r:0=r1", "corrupted record at 18"));
}

TEST(Files, of_which_only_the_number_of_records_is_known_give_so_many) {
  const auto counted = [](const std::string& op) {
    return all_of({.op = op,
                   .names = {"in/a", "in/b"},
                   .files = {{.name = "in/a", .records = 2}, {.name = "in/*", .records = 1}}},
                  4);
  };
  EXPECT_THAT(counted("TextLineReaderV2"), ElementsAre("in/a:1=?[]", "in/a:2=?[]", "in/b:1=?[]", kAtEnd));
  EXPECT_THAT(counted("TFRecordReaderV2"), ElementsAre("?[]=?[]", "?[]=?[]", "?[]=?[]", kAtEnd));
}
TEST(Files, of_a_job_that_says_nothing_of_them_never_end) {
  ReaderSession s({.names = {"a", "b"}, .files = {}});
  for (const std::string& read : s.reads(500)) EXPECT_THAT(read, StartsWith("a:"));
}
TEST(Files, may_be_those_of_one_task) {
  const InputFiles files({{.name = "a", .task = TaskId{1u}, .records = 1}, {.name = "?", .records = 2}});
  EXPECT_EQ(files.find(TaskId{0u}, "a")->records, 2);
  EXPECT_EQ(files.find(TaskId{1u}, "a")->records, 1);
  EXPECT_EQ(files.find(TaskId{1u}, "ab"), nullptr);
}

}  // namespace
}  // namespace tarry
