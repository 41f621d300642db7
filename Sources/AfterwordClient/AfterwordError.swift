/// A failure of a call other than a problem response of the service (``AfterwordProblem``). A cancelled call throws
/// `CancellationError` instead.
public enum AfterwordError: Error, Sendable {
    /// The connection failed before a complete response arrived. Calls that are safe to retry have been retried; a
    /// download that breaks off is not retried.
    case transport(any Error)
    /// A response that an Afterword service does not send. `status` is nil if the fault is in the body: it or one of its
    /// events is too long, or an event stream ended unexpectedly.
    case unexpected(status: Int?, String)
    /// The response to an earlier attempt was lost and the retry was refused, so the change may or may not have been
    /// made. Read the resource again to find out.
    ///
    /// A deletion also throws this if the retry gets `not-found`, because a resource that never existed gets the same
    /// response.
    case uncertain(AfterwordProblem)
    /// The arguments don't form a valid request: a service URL without `https://` or `http://`, an empty code, `..`, a
    /// token with a line break. Nothing was sent.
    case invalidRequest(String)
    /// A streamed body was read a second time. It can be read only once.
    case bodyAlreadyRead
    /// The downloaded table is truncated, does not match its digest, or exceeds the size limit.
    case incomplete(String)
}
