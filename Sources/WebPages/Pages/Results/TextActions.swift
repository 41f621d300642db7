import Contract
import HTTPTypes

/// An action of a host on text answers: hide one, show it again, release or withhold those of a question.
struct TextActions {
    enum Outcome {
        case done(PageAnswer)
        case refused(PageError)
    }

    private static let query = "done"

    /// `hide:better:6f…`: the action, the question's key, the answer's id.
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

    /// Leads back to the question on the page that the action came from, or says why it was refused.
    static func perform(_ host: MeetingContext) async throws -> Outcome {
        let page = host.page
        guard let action = TextActions(page.fields["act"]) else { throw PageError(.badRequest) }
        let answer = try await page.send(.post, action.path(in: host.source), as: host.authorization)
        if answer.status == .conflict || answer.status == .unprocessableContent {
            return .refused(PageError(answer))
        }
        try host.session.check(answer)
        var back = page.query.address(besides: [query])
        if action.words[0] == "hide" {
            back += (back.isEmpty ? "?" : "&") + "\(query)=\(action.key):\(action.words[2])"
        }
        return .done(.redirect(to: "\(page.path)\(back)#q-\(action.key)"))
    }

    /// The action that shows the answer again that was just hidden on this page.
    static func done(_ page: PageRequest) -> (key: String, action: String)? {
        guard let action = TextActions("unhide:" + (page.query[query] ?? "")) else { return nil }
        return (action.key, action.words.joined(separator: ":"))
    }
}
