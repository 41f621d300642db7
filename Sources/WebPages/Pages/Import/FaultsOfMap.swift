import Domain
import StrictJSON

/// The map of an import, as its text.
struct SentMap: Sendable {
    var text: String
    /// Whether a host has uploaded it. Otherwise it was made from the choices on the page, and nobody has seen it.
    var isUploaded: Bool
}

/// Describes the faults of a map in the reader's language. Each code has a text in the group `import`.
struct FaultsOfMap {
    private let json: JSONValue
    private let isUploaded: Bool
    private let texts: PageTexts

    /// Parses the map.
    init(_ map: SentMap?, _ texts: PageTexts) {
        json = map.flatMap { try? JSONValue.parse(Array($0.text.utf8)) } ?? .null
        isUploaded = map?.isUploaded ?? false
        self.texts = texts
    }

    func sentence(_ fault: Fault) -> ImportRefusal.Sentence {
        let values = ["name": value(at: fault.pointer)?.string ?? "", "most": "\(Limits.options)"]
        let known = texts.find("import.fault-\(fault.code)").map { text in texts.fill(text) { values[$0] } }
        let place = place(of: fault.pointer)
        let text = known ?? fault.detail
        return .init(
            text: place.isEmpty ? text : "\(place): \(text)",
            lang: known == nil ? Language.english.rawValue : texts.language.rawValue)
    }

    /// The title of a question of the map. A question that only the series has is named by its key.
    func question(_ key: String) -> ImportRefusal.Sentence {
        let question = json["questions"]?.array?.first { $0["key"]?.string == key }
        let title = question?["title"]?.string ?? key
        return .init(text: texts("import.at-question", ["title": title]), lang: texts.language.rawValue)
    }

    /// Where a fault is: its pointer into an uploaded map, otherwise the title of the question or of the field.
    private func place(of pointer: String) -> String {
        guard !isUploaded else { return pointer }
        let parts = pointer.split(separator: "/")
        switch parts.first {
        case "questions":
            let title = parts.count > 1 ? value(at: "/questions/\(parts[1])/title")?.string : nil
            return title.map { texts("import.at-question", ["title": $0]) } ?? ""
        case "series": return texts("import.series")
        case "meeting": return texts(parts.last == "timeZone" ? "import.zone" : "import.meeting")
        case "times": return texts("import.order")
        default: return ""
        }
    }

    private func value(at pointer: String) -> JSONValue? {
        pointer.split(separator: "/").reduce(Optional(json)) { (value: JSONValue?, token) -> JSONValue? in
            let name = token.replacing("~1", with: "/").replacing("~0", with: "~")
            guard let elements = value?.array else { return value?[String(name)] }
            guard let index = Int(name), elements.indices.contains(index) else { return nil }
            return elements[index]
        }
    }
}
