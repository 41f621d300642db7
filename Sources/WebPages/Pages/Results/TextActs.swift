import Contract
import HTTPTypes

/// What a host does about texts: hides one, shows it again, lets participants read those of a question.
struct TextActs {
    enum Outcome {
        case done(PageAnswer)
        case refused(PageError)
    }

    private static let query = "done"

    /// `hide:better:6f…`: what to do, to which question, to which answer.
    private let words: [String]

    init?(_ text: String?) {
        words = (text ?? "").split(separator: ":").map { MeetingPages.word(String($0)) }
        switch (words.first, words.count) {
        case ("release", 2), ("unrelease", 2), ("hide", 3), ("unhide", 3): break
        default: return nil
        }
    }

    private var key: String { words[1] }

    private func path(in source: String) -> String {
        let question = "\(source)/results/\(key)"
        switch words[0] {
        case "release": return question + "/release"
        case "unrelease": return question + "/withhold"
        default: return "\(question)/answers/\(words[2])/\(words[0])"
        }
    }

    /// Back to the page that it was done on and to the question, or why it was not done.
    static func perform(_ host: MeetingContext) async throws -> Outcome {
        let page = host.page
        guard let act = TextActs(page.fields["act"]) else { throw PageError(.badRequest) }
        let answer = try await page.ask(.post, act.path(in: host.source), as: host.authorization)
        if answer.status == .conflict || answer.status == .unprocessableContent {
            return .refused(PageError(answer))
        }
        try host.visit.check(answer)
        var back = page.query.address(besides: [query])
        if act.words[0] == "hide" {
            back += (back.isEmpty ? "?" : "&") + "\(query)=\(act.key):\(act.words[2])"
        }
        return .done(.redirect(to: "\(page.path)\(back)#q-\(act.key)"))
    }

    /// What was just hidden on this page, so that it can be shown again.
    static func done(_ page: PageRequest) -> (key: String, act: String)? {
        guard let act = TextActs("unhide:" + (page.query[query] ?? "")) else { return nil }
        return (act.key, act.words.joined(separator: ":"))
    }
}
