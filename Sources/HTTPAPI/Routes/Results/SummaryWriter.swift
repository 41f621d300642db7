import Contract
import Domain

/// What the summary of a meeting's results is written from: what a link to the results shows, and the decisions.
public struct SummaryFacts: Sendable {
    public var meeting: Contract.Meeting
    public var form: Contract.Form
    public var results: Contract.Results
    public var decisions: [Contract.Decision]
    /// The name and the address of the host who mails the summary to others, or of the owner whose series is mailed to a
    /// co-host; nil for any other use.
    public var sender: String?

    public init(
        meeting: Contract.Meeting, form: Contract.Form, results: Contract.Results, decisions: [Contract.Decision],
        sender: String? = nil
    ) {
        (self.meeting, self.form, self.results, self.decisions) = (meeting, form, results, decisions)
        self.sender = sender
    }
}

/// Writes summaries of results. The texts of pages belong to another module, which makes the writer.
public struct SummaryWriter: Sendable {
    private static let defaultLanguage = "en"

    /// The languages, such as `de`.
    let languages: [String]
    private let write: @Sendable (SummaryFacts, String) -> (subject: String, body: String)

    public init(
        languages: [String], write: @escaping @Sendable (SummaryFacts, String) -> (subject: String, body: String)
    ) {
        (self.languages, self.write) = (languages, write)
    }

    /// - Parameters:
    ///   - locale: The language tag that the sender's account has chosen.
    ///   - preferred: The language of an account that has chosen none.
    func letter(_ facts: SummaryFacts, locale: String?, preferred: String?) -> Letter {
        let (subject, body) = write(facts, language(locale: locale, preferred: preferred))
        return Letter(kind: "summary", subject: subject, body: body + "\n", isBulk: true)
    }

    /// The language of a summary.
    func language(locale: String?, preferred: String? = nil) -> String {
        let chosen = locale.flatMap { $0.split(separator: "-").first?.lowercased() }
        return [chosen, preferred].compactMap(\.self).first(where: languages.contains) ?? Self.defaultLanguage
    }

    /// The subject and the lines of a summary.
    func text(_ facts: SummaryFacts, in language: String) -> (subject: String, body: String) {
        write(facts, language)
    }
}
