import Foundation
import StrictJSON

/// A page of text answers from the API, with links to the first and the next page.
struct TextList {
    private let json: JSONValue
    private let path: String
    /// The parameters that each page has: the search, and whether hidden texts are listed.
    private let baseQuery: PathQuery
    private let time: (Date) -> String

    /// - Parameters:
    ///   - json: The response of the API.
    ///   - path: The path of the page that shows the texts.
    ///   - time: Formats the time of a submission.
    init(_ json: JSONValue, path: String, search: String?, isHidden: Bool, time: @escaping (Date) -> String) {
        (self.json, self.path, self.time) = (json, path, time)
        baseQuery = PathQuery(isHidden ? [("hidden", "true")] : []).with("q", search)
    }

    private var items: [JSONValue] { json["items"]?.array ?? [] }
    /// Whether the search stopped at its time limit, perhaps without a result so far.
    var isPartial: Bool { json["partial"]?.bool == true }
    /// Whether there are certainly no texts.
    var isEmpty: Bool { items.isEmpty && !isPartial }
    /// The address of the first page.
    var start: String { path + baseQuery.text }
    /// The address of the next page. Nil on the last page.
    var next: String? { json["next"]?.string.map { path + baseQuery.with("cursor", $0).text } }
    var texts: [TextsPage.Text] { items.map(text) }

    private func text(_ item: JSONValue) -> TextsPage.Text {
        .init(
            text: item["text"]?.string ?? "", answerId: item["id"]?.string ?? "",
            wasHidden: item["hidden"]?.bool == true,
            // The times of an anonymous form are unknown.
            when: item["submittedAt"]?.string.flatMap(RFC3339.parse).map(time))
    }
}
