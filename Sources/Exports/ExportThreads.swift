import Dispatch

/// The threads on which exports compute, so that wide tables delay no request.
///
/// On Linux, queues of the default quality of service share the worker threads of Swift's cooperative pool. Queues of
/// another one have worker threads of their own, between which the kernel divides the processors.
final class ExportThreads: TaskExecutor {
    static let shared = ExportThreads()

    /// Whether the current task runs on these threads.
    static var isCurrent: Bool {
        withUnsafeCurrentTask { $0?.unownedTaskExecutor == shared.asUnownedTaskExecutor() }
    }

    private let queue = DispatchQueue(label: "afterword.exports", qos: .utility, attributes: .concurrent)

    private init() {}

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
