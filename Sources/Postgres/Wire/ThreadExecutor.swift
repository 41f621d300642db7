import CLibPQ
import Dispatch
import Synchronization

/// A thread that runs the jobs of a connection, so that libpq can block it.
///
/// An actor that mostly uses connections can share their executor, which avoids switching threads for each call. The
/// thread retains the executor until `stop()`, which its owner calls on deallocation.
public final class ThreadExecutor: SerialExecutor {
    private struct Queue {
        var jobs: [UnownedJob] = []
        var isStopping = false
    }

    private let queue = Mutex(Queue())
    private let wake = DispatchSemaphore(value: 0)
    private let threadID = Atomic<UInt>(0)

    public init() throws(PostgresError) {
        let retained = Unmanaged.passRetained(self)
        let failed = shim_start_thread(
            { argument in
                if let argument { Unmanaged<ThreadExecutor>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, retained.toOpaque())
        if failed != 0 {
            retained.release()
            throw PostgresError(.connectionFailed, "starting a thread for a connection failed")
        }
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.withLock { $0.jobs.append(job) }
        wake.signal()
    }

    /// Ends the thread after the jobs that are already queued have run.
    public func stop() {
        queue.withLock { $0.isStopping = true }
        wake.signal()
    }

    public func checkIsolated() {
        precondition(isIsolatingCurrentContext() == true, "not on the connection's thread")
    }

    public func isIsolatingCurrentContext() -> Bool? {
        threadID.load(ordering: .relaxed) == UInt(shim_current_thread())
    }

    private func run() {
        threadID.store(UInt(shim_current_thread()), ordering: .relaxed)
        var isStopping = false
        while !isStopping {
            wake.wait()
            let jobs = queue.withLock { queue in
                isStopping = queue.isStopping
                defer { queue.jobs.removeAll(keepingCapacity: true) }
                return queue.jobs
            }
            for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
        }
    }
}
