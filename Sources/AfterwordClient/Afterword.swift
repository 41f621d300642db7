import Contract

/// A service that answers at one address, as an app or a script calls it.
public struct Afterword: Sendable {
    /// What every path is appended to, without a slash at its end.
    public let url: String

    public init(url: String) {
        self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
    }
}
