import Foundation

/// Raw bytes to the standard output, and from the standard input or a file, for tables.
///
/// The other end of a pipe may be silent forever, so waiting is split into short polls between which cancellation is
/// checked.
enum Pipe {
    /// The duration of one poll.
    private static let pollMilliseconds: Int32 = 50
    /// The number of bytes that a writable pipe accepts without blocking.
    private static let writeSize = Int(PIPE_BUF)

    static func write(_ bytes: [UInt8]) async throws {
        var remaining = bytes[...]
        while !remaining.isEmpty {
            try await wait(STDOUT_FILENO, for: POLLOUT)
            let count = remaining.prefix(writeSize).withUnsafeBytes {
                Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            switch (count, errno) {
            case (0..., _): remaining = remaining.dropFirst(count)
            case (_, EINTR), (_, EAGAIN): continue
            case (_, EPIPE): throw Failure("The reader of the output closed it before its end.")
            default: throw Failure("The output cannot be written (\(String(cString: strerror(errno)))).")
            }
        }
    }

    /// Returns the next bytes, or an empty array at the end.
    static func read(_ descriptor: Int32, named name: String) async throws -> [UInt8] {
        while true {
            try await wait(descriptor, for: POLLIN)
            var errorCode: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
                let read = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
                errorCode = read < 0 ? errno : 0
                count = max(0, read)
            }
            if errorCode == EINTR || errorCode == EAGAIN { continue }
            guard errorCode == 0 else {
                throw Failure("\(name) cannot be read (\(String(cString: strerror(errorCode)))).")
            }
            return bytes
        }
    }

    private static func wait(_ descriptor: Int32, for events: Int32) async throws {
        while true {
            try Task.checkCancellation()
            var watched = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            if poll(&watched, 1, pollMilliseconds) != 0 { return }
            await Task.yield()
        }
    }
}
