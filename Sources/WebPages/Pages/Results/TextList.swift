import Foundation
import StrictJSON

/// Texts as the API lists them, with what leads on.
struct TextList {
    private let json: JSONValue
    private let path: String
    private let kept: PathQuery
    private let time: (Date) -> String

    /// - Parameters:
    ///   - json: the API's page.
    ///   - path: of the page that shows it.
    init(_ json: JSONValue, path: String, search: String?, isHidden: Bool, time: @escaping (Date) -> String) {
        (self.json, self.path, self.time) = (json, path, time)
        kept = PathQuery(isHidden ? [("hidden", "true")] : []).with("q", search)
    }

    private var items: [JSONValue] { json["items"]?.array ?? [] }
    /// What took too long is not at its end, though it may have found nothing so far.
    private var isPartial: Bool { json["partial"]?.bool == true }
    var isEmpty: Bool { items.isEmpty && !isPartial }

    var values: [String: Any] {
        var values: [String: Any] = [
            "list": true, "isPartial": isPartial, "isEmpty": isEmpty, "start": path + kept.text,
        ]
        values["texts"] = items.isEmpty ? nil : items.map(text)
        values["onward"] = json["next"]?.string.map { path + kept.with("cursor", $0).text }
        return values
    }

    private func text(_ item: JSONValue) -> [String: Any] {
        var values: [String: Any] = [
            "text": item["text"]?.string ?? "", "answerId": item["id"]?.string ?? "",
            "wasHidden": item["hidden"]?.bool == true,
        ]
        // Of an anonymous form nobody knows it.
        values["when"] = item["submittedAt"]?.string.flatMap(RFC3339.parse).map(time)
        return values
    }
}
