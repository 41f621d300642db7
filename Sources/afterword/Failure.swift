/// An expected failure of a command: one sentence with a remedy.
struct Failure: Error, Equatable, CustomStringConvertible {
    let sentence: String
    let status: ExitStatus

    init(_ sentence: String, status: ExitStatus = .failed) {
        self.sentence = sentence
        self.status = status
    }

    /// Invalid input from the command line, the environment or a file.
    static func misuse(_ sentence: String) -> Failure { Failure(sentence, status: .misuse) }

    static let interrupted = Failure("Interrupted before the end.")

    var description: String { sentence }
}

/// The exit status of the program, for scripts.
enum ExitStatus: Int32, Error {
    case fine = 0
    case failed = 1
    case misuse = 2
    case differences = 3
}
