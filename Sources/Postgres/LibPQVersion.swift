import CLibPQ

/// The version of libpq.
public enum LibPQVersion {
    /// The version that is loaded at run time, such as `15.10`. It may be newer than the version at build time.
    public static var current: String {
        let number = PQlibVersion()
        return "\(number / 10_000).\(number % 10_000)"
    }
}
