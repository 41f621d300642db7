import CLibPQ

/// The libpq this program runs with, as `15.10`; it may be newer than the one it was built with.
public enum LibraryVersion {
    public static var current: String {
        let number = PQlibVersion()
        return "\(number / 10_000).\(number % 10_000)"
    }
}
