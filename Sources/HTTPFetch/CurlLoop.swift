import CCurl
import Synchronization

/// A thread that runs libcurl's multi handle. Other threads send it commands through a list.
final class CurlLoop: Sendable {
    private struct Commands {
        var starting: [Transfer] = []
        var cancelling: [Transfer] = []
        var resuming: [Transfer] = []
        var isStopping = false
    }

    private let commands = Mutex(Commands())
    // Unsafe because a pointer is not Sendable. Other threads pass it only to curl_multi_wakeup, which allows that.
    private nonisolated(unsafe) let multi: UnsafeMutableRawPointer

    private static let isLibraryReady = curl_shim_start() == CURLE_OK

    init(maxConnectionsPerHost: Int) {
        precondition(Self.isLibraryReady, "libcurl cannot be initialised")
        guard let multi = curl_multi_init() else { preconditionFailure("libcurl has no memory for a multi handle") }
        self.multi = multi
        _ = curl_shim_multi_set_number(multi, CURLMOPT_MAX_HOST_CONNECTIONS, maxConnectionsPerHost)
        let started = curl_shim_start_thread(
            { pointer in
                if let pointer { Unmanaged<CurlLoop>.fromOpaque(pointer).takeRetainedValue().run() }
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        precondition(started == 0, "no thread can be started")
    }

    func start(_ transfer: Transfer) { command { $0.starting.append(transfer) } }
    func resume(_ transfer: Transfer) { command { $0.resuming.append(transfer) } }
    func stop() { command { $0.isStopping = true } }

    func cancel(_ transfer: Transfer) {
        transfer.markCancelled()
        command { $0.cancelling.append(transfer) }
    }

    private func command(_ change: (inout Commands) -> Void) {
        // The lock prevents the multi handle from being freed before the wake-up.
        commands.withLock { commands in
            guard !commands.isStopping else { return }
            change(&commands)
            curl_multi_wakeup(multi)
        }
    }

    // MARK: The thread

    private func run() {
        var running: [ObjectIdentifier: RunningTransfer] = [:]
        var isStopping = false
        while !isStopping {
            let batch = commands.withLock { commands in
                defer { commands = Commands(isStopping: commands.isStopping) }
                return commands
            }
            isStopping = batch.isStopping
            for transfer in batch.starting { start(transfer, &running) }
            for transfer in batch.cancelling {
                end(transfer, .failure(CancellationError()), &running)
            }
            for transfer in batch.resuming {
                if let handle = running[ObjectIdentifier(transfer)]?.handle { curl_easy_pause(handle, 0) }
            }
            var count: Int32 = 0
            curl_multi_perform(multi, &count)
            endFinished(&running)
            let pause = endOverdue(&running)
            if !isStopping { curl_multi_poll(multi, nil, 0, pause, nil) }
        }
        for each in running.values { end(each.transfer, .failure(CancellationError()), &running) }
        curl_multi_cleanup(multi)
    }

    private func start(_ transfer: Transfer, _ running: inout [ObjectIdentifier: RunningTransfer]) {
        guard !transfer.isCancelled else { return transfer.finish(.failure(CancellationError())) }
        guard let added = RunningTransfer(transfer) else {
            let error = FetchError(kind: .invalidRequest, isSent: false, description: "libcurl refused the request.")
            return transfer.finish(.failure(error))
        }
        running[ObjectIdentifier(transfer)] = added
        curl_multi_add_handle(multi, added.handle)
    }

    private func end(
        _ transfer: Transfer, _ result: Result<Void, any Error>,
        _ running: inout [ObjectIdentifier: RunningTransfer]
    ) {
        guard let removed = running.removeValue(forKey: ObjectIdentifier(transfer)) else { return }
        curl_multi_remove_handle(multi, removed.handle)
        removed.free()
        transfer.finish(result)
    }

    private func endFinished(_ running: inout [ObjectIdentifier: RunningTransfer]) {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle,
                let transfer = Transfer.of(curl_shim_get_data(handle, CURLINFO_PRIVATE)),
                let finished = running[ObjectIdentifier(transfer)]
            else { continue }
            let code = message.pointee.data.result
            end(finished.transfer, code == CURLE_OK ? .success(()) : .failure(finished.error(code)), &running)
        }
    }

    /// Ends transfers whose head did not arrive in time. Returns the milliseconds until the next deadline, at most
    /// about a minute.
    private func endOverdue(_ running: inout [ObjectIdentifier: RunningTransfer]) -> Int32 {
        var pause: Duration = .seconds(60)
        let now = ContinuousClock.now
        for each in running.values {
            guard let deadline = each.deadline, !each.transfer.hasHead else { continue }
            if deadline <= now {
                end(each.transfer, .failure(each.error(CURLE_OPERATION_TIMEDOUT)), &running)
            } else {
                pause = min(pause, now.duration(to: deadline))
            }
        }
        return Int32(pause / .milliseconds(1)) + 1
    }
}
