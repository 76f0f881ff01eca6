// A client's thread, written in sequence: a coroutine that waits for calls to come back.
//
// A Task starts when it is awaited (or resumed by its owner) and belongs to the object that holds it; destroying it
// destroys the frames of all tasks that it awaits. Exceptions are bugs and pass to the code that resumed it.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace tarry {

template <class T>
class [[nodiscard]] Task {
 public:
  struct promise_type {
    std::optional<T> value;
    std::coroutine_handle<> waiting;
    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
        return h.promise().waiting ? h.promise().waiting : std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_value(T v) { value = std::move(v); }
    void unhandled_exception() { throw; }
  };

  explicit Task(std::coroutine_handle<promise_type> h) : handle_(h) {}
  Task(Task&& o) noexcept : handle_(std::exchange(o.handle_, nullptr)) {}
  Task& operator=(Task&& o) noexcept {
    std::swap(handle_, o.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) noexcept {
    handle_.promise().waiting = waiting;
    return handle_;
  }
  T await_resume() { return *std::move(handle_.promise().value); }

  void start() { handle_.resume(); }  // for a task that no other task awaits
  [[nodiscard]] bool is_done() const { return handle_.done(); }

 private:
  std::coroutine_handle<promise_type> handle_;
};

// Waits for a callback: `start` is given a function to call once with the result.
template <class Result, class Start>
class [[nodiscard]] Await {
 public:
  explicit Await(Start start) : start_(std::move(start)) {}
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> h) {
    Start start = std::move(start_);  // the awaiter may be gone when `start` returns
    start([this, h](Result r) {
      result_.emplace(std::move(r));
      h.resume();
    });
  }
  Result await_resume() { return *std::move(result_); }

 private:
  Start start_;
  std::optional<Result> result_;
};

template <class Result, class Start>
Await<Result, Start> await(Start start) {
  return Await<Result, Start>(std::move(start));
}

}  // namespace tarry
