import HTTPTypes

extension HTTPField.Name {
    // The initializer returns nil only for names that are not tokens (RFC 9110, section 5.6.2).
    public static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
    public static let idempotencyReplayed = HTTPField.Name("Idempotency-Replayed")!
    public static let reprDigest = HTTPField.Name("Repr-Digest")!
    /// The URL that a QR code contains.
    static let codedURL = HTTPField.Name("Afterword-URL")!
    /// A warning for the host about a successful response, in one sentence.
    static let warningSentence = HTTPField.Name("Afterword-Warning")!
    static let accelBuffering = HTTPField.Name("X-Accel-Buffering")!
    /// The number of rows of an export, as a trailer.
    public static let rows = HTTPField.Name("Afterword-Rows")!
}
