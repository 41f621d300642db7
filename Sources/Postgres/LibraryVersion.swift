import CLibPQ

/// The version of libpq at run time, such as `15.10`. It may be newer than at build time.
public enum LibraryVersion {
    public static var current: String {
        let number = PQlibVersion()
        return "\(number / 10_000).\(number % 10_000)"
    }
}
