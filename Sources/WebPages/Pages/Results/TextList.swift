import Foundation
import StrictJSON

/// A page of text answers from the API, with the links to further pages.
struct TextList {
    private let json: JSONValue
    private let path: String
    private let kept: PathQuery
    private let time: (Date) -> String

    /// - Parameters:
    ///   - json: The response of the API.
    ///   - path: The path of the page that shows it.
    init(_ json: JSONValue, path: String, search: String?, isHidden: Bool, time: @escaping (Date) -> String) {
        (self.json, self.path, self.time) = (json, path, time)
        kept = PathQuery(isHidden ? [("hidden", "true")] : []).with("q", search)
    }

    private var items: [JSONValue] { json["items"]?.array ?? [] }
    /// Whether the search stopped at its time limit, perhaps without a result so far.
    var isPartial: Bool { json["partial"]?.bool == true }
    var isEmpty: Bool { items.isEmpty && !isPartial }
    /// The address of the first page.
    var start: String { path + kept.text }
    /// The address of the next page.
    var next: String? { json["next"]?.string.map { path + kept.with("cursor", $0).text } }
    var texts: [TextsPage.Text] { items.map(text) }

    private func text(_ item: JSONValue) -> TextsPage.Text {
        .init(
            text: item["text"]?.string ?? "", answerId: item["id"]?.string ?? "",
            wasHidden: item["hidden"]?.bool == true,
            // Unknown for an anonymous form.
            when: item["submittedAt"]?.string.flatMap(RFC3339.parse).map(time))
    }
}
