import Contract
import HTTPTypes
import StrictJSON

/// An action of a host on text answers: hide or unhide one text, change its star or tags, or release or withhold all
/// texts of a question.
struct TextAction {
    /// The query parameter that names the text that was just hidden: `better:6f…`.
    private static let hiddenParameter = "done"

    /// The action, the question's key and, to hide or unhide a text, the answer's id: `hide:better:6f…`.
    private let parts: [String]

    /// Parses the value of a button. Nil for any other text.
    init?(_ text: String?) {
        parts = (text ?? "").split(separator: ":").map { PageRequest.pathSafe(String($0)) }
        switch (parts.first, parts.count) {
        case ("release", 2), ("unrelease", 2), ("hide", 3), ("unhide", 3): break
        case ("star", 3), ("unstar", 3), ("tag", 3): break
        default: return nil
        }
    }

    private var key: String { parts[1] }

    /// The star and the tags that a text gets. Nil for actions that change neither. The other of the two is in the form.
    private func marks(_ fields: FormFields) -> TextMarksRequest? {
        guard ["star", "unstar", "tag"].contains(parts[0]) else { return nil }
        let tags = (fields["tags"] ?? "").split(separator: ",").map(String.init)
        return TextMarksRequest(
            starred: parts[0] == "tag" ? fields["starred"] == "true" : parts[0] == "star", tags: tags)
    }

    private func path(in source: String) -> String {
        let question = "\(source)/results/\(key)"
        switch parts[0] {
        case "release": return question + "/release"
        case "unrelease": return question + "/withhold"
        case "hide", "unhide": return "\(question)/answers/\(parts[2])/\(parts[0])"
        default: return "\(question)/answers/\(parts[2])/marks"
        }
    }

    /// Performs the action and redirects to the question on the same page.
    ///
    /// - Parameter view: Shows the page again with the reason for a refusal.
    static func apply(
        _ page: PageRequest, orShow view: (MeetingContext, String?, HTTPResponse.Status) async throws -> PageResponse
    ) async throws -> PageResponse {
        let context = try await MeetingContext(page)
        guard CSRFGuard.admits(page) else {
            return try await view(context, page.texts("form.open-too-long"), .forbidden)
        }
        guard let action = TextAction(page.fields["act"]) else { throw PageError(.badRequest) }
        let marks = action.marks(page.fields)
        let response = try await page.send(
            marks == nil ? .post : .put, action.path(in: context.source), as: context.authorization,
            json: try marks.map { try JSONValue(encoding: $0) })
        if marks != nil, response.status == .unprocessableContent {
            return try await view(context, page.texts("charts.tag-refused"), response.status)
        }
        if response.status == .conflict || response.status == .unprocessableContent {
            let error = PageError(response)
            return try await view(context, page.sentence(error), error.status)
        }
        try context.session.check(response)
        var query = page.query.queryString(excluding: [hiddenParameter])
        if action.parts[0] == "hide" {
            query += (query.isEmpty ? "?" : "&") + "\(hiddenParameter)=\(action.key):\(action.parts[2])"
        }
        return .redirect(to: "\(page.path)\(query)#q-\(action.key)")
    }

    /// The action that unhides the text that was just hidden on this page, with the question's key.
    static func undoAction(for page: PageRequest) -> (key: String, action: String)? {
        guard let action = TextAction("unhide:" + (page.query[hiddenParameter] ?? "")) else { return nil }
        return (action.key, action.parts.joined(separator: ":"))
    }
}
