/// What kept a call from ending, other than a problem that the service named (``AfterwordProblem``).
public enum AfterwordError: Error, Sendable {
    /// No answer came, and what may be repeated was.
    case transport(any Error)
    /// An answer that no service of this kind gives; the status is nil where there was none to speak of.
    case unexpected(status: Int?, String)
    /// The answer to an earlier try was lost, and the repetition was refused: the change may have been made, or not.
    /// Reading again tells.
    ///
    /// A deletion ends so when its repetition finds nothing, which is also what it would find at a wrong address.
    case uncertain(AfterwordProblem)
    /// What a call was given makes no request: a service's address without `https://`, an empty code or `..`, a token
    /// with a line's end. Nothing was sent.
    case unsendable(String)
    /// A body that was read before; it is told once.
    case readAlready
    /// A file that is not what the service says it sent.
    case incomplete(String)
}
