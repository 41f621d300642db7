import HTTPTypes

extension HTTPField.Name {
    // Constants that the initialiser accepts: visible ASCII tokens.
    public static let requestID = HTTPField.Name("X-Request-Id")!
    public static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
    public static let idempotencyReplayed = HTTPField.Name("Idempotency-Replayed")!
    public static let reprDigest = HTTPField.Name("Repr-Digest")!
    static let forwardedFor = HTTPField.Name("X-Forwarded-For")!
    /// The content of a QR code.
    static let codedURL = HTTPField.Name("Afterword-URL")!
    /// A sentence for the host about a response that is otherwise successful.
    static let warningSentence = HTTPField.Name("Afterword-Warning")!
    static let accelBuffering = HTTPField.Name("X-Accel-Buffering")!
    public static let rows = HTTPField.Name("Afterword-Rows")!
}
