import CSodium

/// libsodium, initialized once per process.
public enum Sodium {
    private static let status = sodium_init()

    /// Initializes libsodium. Returns false if the system provides no randomness. Functions of this module that need
    /// libsodium initialize it themselves.
    @discardableResult
    public static func start() -> Bool { status >= 0 }
}

/// Compares two secrets in constant time. Only their lengths affect the time.
public func constantTimeEquals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && (left.isEmpty || sodium_memcmp(left, right, left.count) == 0)
}
