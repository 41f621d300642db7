import CSodium

/// libsodium, made ready once per process.
public enum Sodium {
    private static let status = sodium_init()

    /// False if the system gives no randomness; everything in this module that needs it starts the library itself.
    @discardableResult
    public static func start() -> Bool { status >= 0 }
}

/// Compares without telling by its time where two secrets differ; only their lengths may show.
public func constantTimeEquals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && (left.isEmpty || sodium_memcmp(left, right, left.count) == 0)
}
