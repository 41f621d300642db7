/// Why a command ends before its work is done: one plain sentence with the way out.
struct Failure: Error, Equatable, CustomStringConvertible {
    let sentence: String
    let status: ExitStatus

    init(_ sentence: String, status: ExitStatus = .failed) {
        self.sentence = sentence
        self.status = status
    }

    /// The command line, the environment or a file asks for what cannot be.
    static func misuse(_ sentence: String) -> Failure { Failure(sentence, status: .misuse) }

    static let interrupted = Failure("Interrupted before it was done.")

    var description: String { sentence }
}

/// What a script learns from how the program ended.
enum ExitStatus: Int32, Error {
    case fine = 0
    case failed = 1
    case misuse = 2
    case differences = 3
}
