import Contract
import Foundation

/// Parses people who were typed or copied from a table or a mail program, one on each line.
struct PeopleLines {
    private(set) var people: [MemberRequest] = []
    /// The line number of each person.
    private(set) var lines: [Int] = []

    private static let names: Set = ["name", "이름", "성명"]
    private static let emails: Set = ["email", "e-mail", "e-mail address", "email address", "이메일", "이메일 주소"]

    init(_ text: String) {
        var columns: (name: Int, email: Int)?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let fields = Self.fields(of: line.trimmingCharacters(in: .whitespaces.union(["\u{FEFF}"])))
            guard fields.contains(where: { !$0.isEmpty }) else { continue }
            if people.isEmpty, columns == nil, let header = Self.columns(fields) {
                columns = header
                continue
            }
            people.append(Self.person(fields, columns))
            lines.append(index + 1)
        }
    }

    private static func columns(_ fields: [String]) -> (name: Int, email: Int)? {
        let words = fields.map { $0.lowercased() }
        guard let name = words.firstIndex(where: { names.contains($0) }),
            let email = words.firstIndex(where: { emails.contains($0) })
        else { return nil }
        return (name, email)
    }

    private static func person(_ fields: [String], _ columns: (name: Int, email: Int)?) -> MemberRequest {
        if let columns {
            func field(_ place: Int) -> String { place < fields.count ? fields[place] : "" }
            return MemberRequest(name: field(columns.name), email: field(columns.email))
        }
        if fields.count == 1, let match = fields[0].wholeMatch(of: /(.*)<([^<>]*)>/) {
            return MemberRequest(name: bare(match.1), email: bare(match.2))
        }
        let place = fields.lastIndex { $0.contains("@") }
        let name = fields.indices.filter { $0 != place && !fields[$0].isEmpty }.map { fields[$0] }
        return MemberRequest(name: name.joined(separator: " "), email: place.map { fields[$0] } ?? "")
    }

    /// Splits at commas, semicolons and tabs outside quotes.
    private static func fields(of line: String) -> [String] {
        var (fields, field, isQuoted) = ([String](), "", false)
        for character in line {
            switch character {
            case "\"":
                // Two quotes in a row mean one.
                if isQuoted || field.isEmpty { isQuoted.toggle() } else { isQuoted = true }
                field.append(character)
            case ",", ";", "\t":
                if isQuoted {
                    field.append(character)
                } else {
                    fields.append(bare(field))
                    field = ""
                }
            default: field.append(character)
            }
        }
        return fields + [bare(field)]
    }

    private static func bare(_ text: some StringProtocol) -> String {
        let text = text.trimmingCharacters(in: .whitespaces)
        guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
        return String(text.dropFirst().dropLast()).replacing("\"\"", with: "\"")
    }
}
