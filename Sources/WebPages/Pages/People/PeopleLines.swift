import Contract
import Foundation

/// Parses a list of people with one person on each line. The lines are typed, or copied from a table or a mail program.
struct PeopleLines {
    private(set) var people: [MemberRequest] = []
    /// The line of each person, as pasted.
    private(set) var lines: [String] = []

    /// Titles of the column with the names, in lower case.
    private static let nameTitles: Set = ["name", "이름", "성명"]
    /// Titles of the column with the addresses, in lower case.
    private static let emailTitles: Set = ["email", "e-mail", "e-mail address", "email address", "이메일", "이메일 주소"]

    /// The largest number of people whom the API adds to a roster at once.
    static let maxRosterCount = 500

    /// Reads at most one person more than the limit, so that the others are not read in vain before they are refused.
    init(_ text: String, limit: Int = maxRosterCount) {
        var columns: (name: Int, email: Int)?
        for line in TextLines(text) {
            guard people.count <= limit else { return }
            guard line.utf8.contains(where: { !Self.separators.contains($0) }) else { continue }
            let fields = Self.fields(of: line.trimmingCharacters(in: .whitespaces.union(["\u{FEFF}"])))
            guard fields.contains(where: { !$0.isEmpty }) else { continue }
            if people.isEmpty, columns == nil, let header = Self.columns(fields) {
                columns = header
                continue
            }
            people.append(Self.person(fields, columns))
            lines.append(line.trimmingCharacters(in: .whitespaces))
        }
    }

    /// A line with nothing else has no person.
    private static let separators = Set(", ;\t\"".utf8)

    /// The positions of name and address if the fields are a header; nil for any other line.
    private static func columns(_ fields: [String]) -> (name: Int, email: Int)? {
        let titles = fields.map { $0.lowercased() }
        guard let name = titles.firstIndex(where: { nameTitles.contains($0) }),
            let email = titles.firstIndex(where: { emailTitles.contains($0) })
        else { return nil }
        return (name, email)
    }

    /// Without a header, a line is `Name <address>`, or the address is the last field with an `@` and the other fields
    /// are the name. An address alone has its beginning as the name.
    private static func person(_ fields: [String], _ columns: (name: Int, email: Int)?) -> MemberRequest {
        if let columns {
            func field(_ index: Int) -> String { index < fields.count ? fields[index] : "" }
            return MemberRequest(name: field(columns.name), email: field(columns.email))
        }
        if fields.count == 1, fields[0].hasSuffix(">"), let open = fields[0].lastIndex(of: "<") {
            let address = fields[0][fields[0].index(after: open)...].dropLast()
            if !address.contains(">") {
                return MemberRequest(name: unquoted(fields[0][..<open]), email: unquoted(address))
            }
        }
        let email = fields.lastIndex { $0.contains("@") }
        let name = fields.indices.filter { $0 != email && !fields[$0].isEmpty }.map { fields[$0] }
        let address = email.map { fields[$0] } ?? ""
        let joinedName = name.joined(separator: " ")
        return MemberRequest(
            name: joinedName.isEmpty ? String(address.prefix { $0 != "@" }) : joinedName, email: address)
    }

    /// Splits at commas, semicolons and tabs outside quotes.
    private static func fields(of line: String) -> [String] {
        var (fields, field, isQuoted) = ([String](), "", false)
        for character in line {
            // A doubled quote closes a quoted field and opens it again. `unquoted` reads both quotes as one.
            if character == "\"" { isQuoted.toggle() }
            if !isQuoted, ",;\t".contains(character) {
                fields.append(unquoted(field))
                field = ""
            } else {
                field.append(character)
            }
        }
        return fields + [unquoted(field)]
    }

    /// Removes surrounding quotes, and reads each doubled quote as one.
    private static func unquoted(_ text: some StringProtocol) -> String {
        let text = text.trimmingCharacters(in: .whitespaces)
        guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
        return String(text.dropFirst().dropLast()).replacing("\"\"", with: "\"")
    }
}
