import HTTPTypes

extension HTTPField.Name {
    // Constants that the initialiser accepts: visible ASCII tokens.
    public static let requestID = HTTPField.Name("X-Request-Id")!
    public static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
    public static let idempotencyReplayed = HTTPField.Name("Idempotency-Replayed")!
    public static let reprDigest = HTTPField.Name("Repr-Digest")!
    static let forwardedFor = HTTPField.Name("X-Forwarded-For")!
    public static let rows = HTTPField.Name("Afterword-Rows")!
}
