import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The `Date` header's value (RFC 9110, section 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`), formatted at most once a
/// second.
final class DateHeader: Sendable {
    private let cached = Mutex<(second: time_t, text: String)>((-1, ""))

    /// - Parameter second: Seconds since 1970.
    func text(at second: time_t = time(nil)) -> String {
        cached.withLock { cached in
            if cached.second != second { cached = (second, Self.format(second)) }
            return cached.text
        }
    }

    /// The names of days and months come from the C locale, which the service does not change.
    private static func format(_ second: time_t) -> String {
        var (second, parts) = (second, tm())
        gmtime_r(&second, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let length = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return String(decoding: text.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
