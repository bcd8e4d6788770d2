#include "runtime/hal/QueuedStream.h"

#include <deque>
#include <pthread.h>

namespace heddle::hal {
namespace {

class QueuedStream final : public Stream {
public:
  QueuedStream(std::unique_ptr<Stream> inner, std::function<void()> onStart)
      : inner_(std::move(inner)), onStart_(std::move(onStart)) {}

  ~QueuedStream() override {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    if (started_)
      pthread_join(thread_, nullptr);
  }

  bool start() {
    auto main = [](void *self) -> void * {
      static_cast<QueuedStream *>(self)->run();
      return nullptr;
    };
    started_ = pthread_create(&thread_, nullptr, main, this) == 0;
    return started_;
  }

  Status dispatch(const Dispatch &dispatch) override {
    std::vector<void *> bindings(dispatch.bindings.begin(), dispatch.bindings.end());
    std::vector<int64_t> constants(dispatch.constants.begin(), dispatch.constants.end());
    return post([this, dispatch, bindings = std::move(bindings), constants = std::move(constants)] {
      Dispatch copy = dispatch;
      copy.bindings = bindings;
      copy.constants = constants;
      attempt([&] { return inner_->dispatch(copy); });
    });
  }
  Status copy(void *to, const void *from, uint64_t bytes) override {
    return post([=, this] { attempt([&] { return inner_->copy(to, from, bytes); }); });
  }
  Status fill(void *to, uint64_t bytes, uint64_t pattern, uint32_t patternBytes) override {
    return post([=, this] { attempt([&] { return inner_->fill(to, bytes, pattern, patternBytes); }); });
  }
  Status record(std::shared_ptr<Event> event) override {
    return post([this, event = std::move(event)] { event->signal(failure_.clone()); });
  }
  Status wait(std::shared_ptr<Event> event) override {
    return post([this, event = std::move(event)] { attempt([&] { return event->wait(); }); });
  }
  Status execute(std::function<void()> function) override { return post(std::move(function)); }

  Status synchronize() override {
    auto reached = std::make_shared<Event>();
    (void)post([this, reached] {
      reached->signal(std::move(failure_));
      failure_ = {};
    });
    return reached->wait();
  }

private:
  Status post(std::function<void()> task) {
    {
      std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
    return {};
  }

  // Runs the operation unless an earlier one failed. On the queue's thread.
  template <typename Operation> void attempt(Operation &&operation) {
    if (failure_.ok())
      failure_ = operation();
  }

  void run() {
    if (onStart_)
      onStart_();
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return stop_ || !tasks_.empty(); });
      if (tasks_.empty())
        return;
      std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      task = nullptr;
      lock.lock();
    }
  }

  std::unique_ptr<Stream> inner_;
  std::function<void()> onStart_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool stop_ = false;
  bool started_ = false;
  pthread_t thread_{};
  Status failure_; // of the queue's thread
};

} // namespace

StatusOr<std::unique_ptr<Stream>> createQueuedStream(std::unique_ptr<Stream> inlineStream,
                                                     std::function<void()> onStart) {
  auto stream = std::make_unique<QueuedStream>(std::move(inlineStream), std::move(onStart));
  if (!stream->start())
    return Status(StatusCode::Io, "the system gives no thread for a stream; lower the number of streams or threads");
  return std::unique_ptr<Stream>(std::move(stream));
}

} // namespace heddle::hal
