import Synchronization

/// One exchange. libcurl's callbacks on the loop's thread pass the response to the task that reads it.
final class Transfer: Sendable {
    typealias Field = (name: String, value: String)
    typealias Head = (status: Int, headers: [Field])

    private struct State {
        var headWaiter: CheckedContinuation<Head, any Error>?
        var reader: CheckedContinuation<[UInt8]?, any Error>?
        var head: Head = (0, [])
        var hasHead = false
        var trailers: [Field] = []
        var chunks: [[UInt8]] = []
        var bufferedByteCount = 0
        var isPaused = false
        var isCancelled = false
        /// The number of body bytes that were passed to libcurl.
        var bodyOffset = 0
        var end: Result<Void, any Error>?
    }

    /// The number of buffered bytes at which the connection is paused, and at which it is resumed.
    private static let highWaterMark = 256 << 10
    private static let lowWaterMark = 64 << 10

    let request: FetchRequest
    private let state = Mutex(State())

    init(_ request: FetchRequest) {
        self.request = request
    }

    // MARK: The reading task

    func waitForHead(_ continuation: CheckedContinuation<Head, any Error>) {
        state.withLock { $0.headWaiter = continuation }
    }

    func read(_ continuation: CheckedContinuation<[UInt8]?, any Error>) {
        let ready = state.withLock { state -> Result<[UInt8]?, any Error>? in
            if !state.chunks.isEmpty {
                let chunk = state.chunks.removeFirst()
                state.bufferedByteCount -= chunk.count
                return .success(chunk)
            }
            if let end = state.end { return end.map { nil } }
            state.reader = continuation
            return nil
        }
        if let ready { continuation.resume(with: ready) }
    }

    /// Returns whether the connection must be resumed. Returns true only once for each pause.
    func takeResume() -> Bool {
        state.withLock { state in
            guard state.isPaused, state.bufferedByteCount < Self.lowWaterMark else { return false }
            state.isPaused = false
            return true
        }
    }

    var trailers: [Field] { state.withLock { $0.trailers } }

    // MARK: The loop's thread

    func markCancelled() { state.withLock { $0.isCancelled = true } }
    var isOver: Bool { state.withLock { $0.end != nil } }
    var isCancelled: Bool { state.withLock { $0.isCancelled } }
    var hasHead: Bool { state.withLock { $0.hasHead } }

    /// Handles a line of the head or the trailers, including its line break.
    func receive(line: UnsafeRawBufferPointer) {
        var text = Substring(decoding: line, as: UTF8.self)
        while text.last?.isNewline == true { text.removeLast() }
        let ready = state.withLock { state -> (CheckedContinuation<Head, any Error>?, Head)? in
            if state.hasHead {
                if let field = Self.field(text) { state.trailers.append(field) }
            } else if text.hasPrefix("HTTP/") {
                // Another status line follows an interim response such as 100.
                state.head = (Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0, [])
            } else if let field = Self.field(text) {
                state.head.headers.append(field)
            } else if text.isEmpty, state.head.status >= 200 {
                state.hasHead = true
                defer { state.headWaiter = nil }
                return (state.headWaiter, state.head)
            }
            return nil
        }
        if let (waiter, head) = ready { waiter?.resume(returning: head) }
    }

    /// Handles a part of the body. Returns false if too much is buffered. libcurl then passes the part again later.
    func receive(body: UnsafeRawBufferPointer) -> Bool {
        let (isTaken, reader) = state.withLock {
            state -> (Bool, CheckedContinuation<[UInt8]?, any Error>?) in
            if let reader = state.reader {
                state.reader = nil
                return (true, reader)
            }
            guard state.bufferedByteCount < Self.highWaterMark else {
                state.isPaused = true
                return (false, nil)
            }
            state.chunks.append(Array(body))
            state.bufferedByteCount += body.count
            return (true, nil)
        }
        reader?.resume(returning: Array(body))
        return isTaken
    }

    /// Copies the next part of the request's body. Returns its size, or 0 at the end.
    func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let body = request.body else { return 0 }
        return state.withLock { state in
            let count = min(buffer.count, body.count - state.bodyOffset)
            body.withUnsafeBytes {
                buffer.copyMemory(from: .init(rebasing: $0[state.bodyOffset..<state.bodyOffset + count]))
            }
            state.bodyOffset += count
            return count
        }
    }

    /// Ends the exchange. Only the first call has an effect.
    func finish(_ result: Result<Void, any Error>) {
        let (waiter, reader) = state.withLock { state in
            guard state.end == nil else {
                return (nil, nil) as (CheckedContinuation<Head, any Error>?, CheckedContinuation<[UInt8]?, any Error>?)
            }
            state.end = result
            defer { (state.headWaiter, state.reader) = (nil, nil) }
            return (state.headWaiter, state.reader)
        }
        let failure = FetchError(kind: .closed, isSent: true, description: "The response has no head.")
        // Without a head, a successful end is a failure too.
        waiter?.resume(with: result.flatMap { .failure(failure) })
        reader?.resume(with: result.map { nil })
    }

    private static func field(_ line: Substring) -> Field? {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let value = line[line.index(after: colon)...].trimming { $0 == " " || $0 == "\t" }
        return (String(line[..<colon]), String(value))
    }
}

extension Substring {
    fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> Substring {
        var text = drop(while: isTrimmed)
        while let last = text.last, isTrimmed(last) { text.removeLast() }
        return text
    }
}
