// Readers: they take names of files from a queue and give the files' records, one or several at a time. One op at a
// time uses a reader; while it waits for a name, the others wait for it.

#include <deque>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/handle.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/open_file.hpp"
#include "workers/kernels/state.hpp"

namespace tarry {
namespace {

struct Reading {  // what an op wants, and what it has so far
  QueueResource* names = nullptr;
  StepContext* step = nullptr;
  std::int64_t wanted = 1;
  std::vector<Record> got;
  std::function<void(const Status&, const std::vector<Record>&)> done;
};

// A file that never ends has as many records as are asked for, and all of them are kept until the op is done.
constexpr std::int64_t kMostAtOnce = 1'000'000;
Status too_many(std::int64_t wanted) {
  return error(Code::kResourceExhausted, "tarry reads at most {} records at once, and num_records is {}", kMostAtOnce,
               wanted);
}

class FileReader : public Resource {
 public:
  FileReader(const ReaderSpec& spec, const KernelHost& host)
      : Resource(ResourceKind::reader), spec_(spec), files_(host.inputs), task_(host.task) {}

  // `act` is called when those before it have ended their turn, and must lead to end_turn.
  void in_turn(std::function<void()> act) {
    turns_.push_back(std::move(act));
    begin_turns();
  }
  void end_turn() {
    has_turn_ = false;
    begin_turns();
  }
  void read(Reading reading) {
    in_turn([this, r = std::make_shared<Reading>(std::move(reading))] { go_on(r); });
  }
  void reset() { open_.reset(), finished_ = produced_ = 0; }
  [[nodiscard]] std::int64_t produced() const { return produced_; }
  [[nodiscard]] std::int64_t finished() const { return finished_; }

 private:
  using ReadingRef = std::shared_ptr<Reading>;

  // However many wait, one after the other: a turn that ends at once does not begin the next one inside of itself.
  void begin_turns() {
    if (std::exchange(is_beginning_, true)) return;
    while (!has_turn_ && !turns_.empty()) {
      const std::function<void()> act = std::move(turns_.front());
      turns_.pop_front();
      has_turn_ = true;
      act();
    }
    is_beginning_ = false;
  }
  void finish(Reading& r, const Status& s) {
    r.done(s, r.got);
    end_turn();
  }
  void end_file() { open_.reset(), ++finished_; }

  // What ends a file ends a reading of several that has some.
  void go_on(const ReadingRef& r) {
    while (std::ssize(r->got) < r->wanted) {
      if (!open_) return next_file(r);
      auto record = open_->next();
      if (!record.ok()) return finish(*r, record.status());
      const bool ends = !*record || open_->has_one_record();
      if (*record && std::ssize(r->got) == kMostAtOnce) return finish(*r, too_many(r->wanted));
      if (*record) r->got.push_back(**std::move(record)), ++produced_;
      if (ends) end_file();
      if (ends && !r->got.empty()) break;
    }
    finish(*r, Status());
  }

  void next_file(const ReadingRef& r) {
    r->names->queue.tag = r->step->id.value;
    r->names->queue.dequeue(r->step->cancellation, [this, r](StatusOr<QueueElement> name) {
      Status s = name.status();
      if (s.ok()) s = begin_file(*r->names, *name);
      if (s.ok()) return go_on(r);
      finish(*r, s);
    });
  }

  Status begin_file(const QueueResource& names, const QueueElement& element) {
    if (element.size() != 1) return invalid("Expected single component queue");
    if (names.types[0] != DataType::kString) return invalid("Expected queue with single string component");
    if (element[0]->elements() != 1) return invalid("Expected to dequeue a one-element string tensor");
    if (!element[0]->has_data())
      return error(Code::kFailedPrecondition, "the name of the next file has no value here: raise values_up_to");
    const std::string& name = element[0]->strings()[0];
    OpenFile file(spec_, name, files_ == nullptr ? endless_.find(task_, name) : files_->find(task_, name));
    TARRY_RETURN_IF_ERROR(file.begin());
    open_ = std::move(file);
    return {};
  }

  ReaderSpec spec_;
  const InputFiles* files_;
  InputFiles endless_;
  TaskId task_;
  std::deque<std::function<void()>> turns_;  // that wait
  bool has_turn_ = false, is_beginning_ = false;
  std::optional<OpenFile> open_;
  std::int64_t produced_ = 0, finished_ = 0;
};

// ---- the readers' own ops ----

StatusOr<ReaderSpec> spec_of(const KernelSetup& s, ReaderKind kind) {
  ReaderSpec spec{.kind = kind};
  const auto read = [&s](const char* name, std::int64_t& out) {
    out = attr_or(s.attrs, name, std::int64_t{0});
    return out >= 0 ? Status() : invalid("{} must be >= 0 not {}", name, out);
  };
  TARRY_RETURN_IF_ERROR(read("skip_header_lines", spec.header_lines));
  TARRY_RETURN_IF_ERROR(read("header_bytes", spec.header));
  TARRY_RETURN_IF_ERROR(read("record_bytes", spec.record));
  TARRY_RETURN_IF_ERROR(read("footer_bytes", spec.footer));
  TARRY_RETURN_IF_ERROR(read("hop_bytes", spec.hop));
  const char* named = kind == ReaderKind::tf_records ? "compression_type" : "encoding";
  const std::string coding = attr_or(s.attrs, named, std::string());
  spec.is_compressed = coding == "ZLIB" || coding == "GZIP";
  return spec;
}

template <ReaderKind kind>
StatusOr<std::unique_ptr<Kernel>> make_reader(const KernelSetup& s) {
  TARRY_ASSIGN(const ReaderSpec spec, spec_of(s, kind));
  return std::make_unique<ObjectKernel>(
      s, ObjectKernel::When::lost_too,
      [spec, &host = s.host, container = container_of(s)](const std::string& name) -> StatusOr<Resource*> {
        TARRY_ASSIGN(FileReader * reader, host.resources->find_or_make<FileReader>(container, name, [&] {
          return std::make_unique<FileReader>(spec, host);
        }));
        return reader;
      });
}

// ---- what is done with them ----

FileReader& reader_of(const KernelContext& c) { return static_cast<FileReader&>(*c.inputs[0].resource); }

// Output `i`: keys or values.
TensorRef list_of(const std::vector<Record>& records, TensorRef Record::*part) {
  const Shape shape({std::ssize(records)});
  if (!std::ranges::all_of(records, [part](const Record& r) { return (r.*part)->has_data(); }))
    return make_shape_only(DataType::kString, shape);
  MutableTensor list = make_tensor(DataType::kString, shape);
  std::ranges::transform(records, list->mutable_strings().begin(),
                         [part](const Record& r) { return (r.*part)->strings()[0]; });
  return list;
}

// The queue stands behind its second input, the reader behind the first.
class ReadKernel : public AsyncKernel {
 public:
  ReadKernel(const KernelSetup& s, bool up_to) : device_(s.host.device), up_to_(up_to) {}
  void compute_async(KernelContext& c) override {
    if (Status s = check_object(c.inputs[0], ResourceKind::reader, device_); !s.ok()) return c.done(s);
    if (Status s = check_object(c.inputs[1], ResourceKind::queue, device_); !s.ok()) return c.done(s);
    const StatusOr<std::int64_t> wanted =
        up_to_ ? integer_in(c, {2, "num_records must be a scalar, but has the shape {}"}) : StatusOr<std::int64_t>(1);
    if (!wanted.ok()) return c.done(wanted.status());
    if (*wanted < 0) return c.done(invalid("num_records must not be negative, but is {}", *wanted));
    reader_of(c).read({.names = static_cast<QueueResource*>(c.inputs[1].resource),
                       .step = c.step,
                       .wanted = *wanted,
                       .got = {},
                       .done = [&c, this](const Status& s, const std::vector<Record>& got) {
                         if (s.ok()) give(c, got);
                         c.done(s);
                       }});
  }

 private:
  void give(KernelContext& c, const std::vector<Record>& got) const {
    c.set(0, up_to_ ? list_of(got, &Record::key) : got[0].key);
    c.set(1, up_to_ ? list_of(got, &Record::value) : got[0].value);
  }
  std::string device_;
  bool up_to_;
};

template <bool up_to>
StatusOr<std::unique_ptr<Kernel>> make_read(const KernelSetup& s) {
  return std::make_unique<ReadKernel>(s, up_to);
}

template <std::int64_t (FileReader::*count)() const>
class CountKernel : public AsyncKernel {
 public:
  void compute_async(KernelContext& c) override {
    FileReader& reader = reader_of(c);
    reader.in_turn([&c, &reader] {
      c.set(0, make_scalar((reader.*count)()));
      c.done(Status());
      reader.end_turn();
    });
  }
};

class ResetKernel : public AsyncKernel {
 public:
  void compute_async(KernelContext& c) override {
    FileReader& reader = reader_of(c);
    reader.in_turn([&c, &reader] {
      reader.reset();
      c.done(Status());
      reader.end_turn();
    });
  }
};

constexpr KernelRow kReadRows[] = {
    {"ReaderRead", make_read<false>},
    {"ReaderReadV2", make_read<false>},
    {"ReaderReadUpTo", make_read<true>},
    {"ReaderReadUpToV2", make_read<true>},
};

constexpr KernelRow kReaderRows[] = {
    {"TextLineReader", make_reader<ReaderKind::lines>},
    {"TextLineReaderV2", make_reader<ReaderKind::lines>},
    {"WholeFileReader", make_reader<ReaderKind::whole_files>},
    {"WholeFileReaderV2", make_reader<ReaderKind::whole_files>},
    {"IdentityReader", make_reader<ReaderKind::names>},
    {"IdentityReaderV2", make_reader<ReaderKind::names>},
    {"FixedLengthRecordReader", make_reader<ReaderKind::fixed_length>},
    {"FixedLengthRecordReaderV2", make_reader<ReaderKind::fixed_length>},
    {"TFRecordReader", make_reader<ReaderKind::tf_records>},
    {"TFRecordReaderV2", make_reader<ReaderKind::tf_records>},
    {"ReaderNumRecordsProduced", make_plain<CountKernel<&FileReader::produced>>},
    {"ReaderNumRecordsProducedV2", make_plain<CountKernel<&FileReader::produced>>},
    {"ReaderNumWorkUnitsCompleted", make_plain<CountKernel<&FileReader::finished>>},
    {"ReaderNumWorkUnitsCompletedV2", make_plain<CountKernel<&FileReader::finished>>},
    {"ReaderReset", make_plain<ResetKernel>},
    {"ReaderResetV2", make_plain<ResetKernel>},
};

}  // namespace

KernelFamily reader_ops() { return {kReaderRows, ResourceKind::reader}; }
KernelFamily read_ops() { return kReadRows; }

}  // namespace tarry
