/// Any failure of a call other than a problem response of the service (``AfterwordProblem``).
public enum AfterwordError: Error, Sendable {
    /// No response arrived, after all retries that are safe.
    case transport(any Error)
    /// A response that an Afterword service does not send. `status` is nil if there was no HTTP response.
    case unexpected(status: Int?, String)
    /// The response to an earlier attempt was lost and the retry was refused, so the change may or may not have been
    /// made. Read the resource again to find out.
    ///
    /// A deletion throws this if the retry finds nothing, as it would at a wrong address.
    case uncertain(AfterwordProblem)
    /// The arguments don't form a valid request: a service URL without `https://`, an empty code, `..`, a token with a
    /// line break. Nothing was sent.
    case invalidRequest(String)
    /// A streamed body was read a second time. It can be read only once.
    case bodyAlreadyRead
    /// The downloaded table is truncated, does not match its digest, or exceeds the size limit.
    case incomplete(String)
}
