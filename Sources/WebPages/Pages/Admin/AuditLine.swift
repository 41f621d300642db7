import Contract
import StrictJSON

/// One entry of the audit trail, described in the admin's language.
struct AuditLine {
    struct Values: TemplateValues {
        var at: String
        /// The id of the account that acted.
        var account: String
        /// The name of the account that acted, or of the command line.
        var who: String
        /// Whether a command of the program acted, in place of an account.
        var isTerminal: Bool
        var action: String
        /// The id of the meeting, series or account.
        var subject: String
        /// The name of the meeting, series or account.
        var about: String
        var isTrashed: Bool
        /// The path of the page of the meeting, series or account.
        var link: String?
        var details: [Fact]
        var hasDetails: Bool
    }

    let entry: AuditEntry
    let page: PageRequest
    let localTime: LocalTime

    func values(_ names: inout AuditedNames) async throws -> Values {
        let texts = page.texts
        let actor = try await names.account("\(entry.accountId)")
        let isTerminal = entry.detail?["by"]?.string == "terminal"
        let details = try await details(isTerminal: isTerminal, &names)
        return Values(
            at: localTime.exactText(entry.at, in: page.language), account: "\(entry.accountId)",
            who: isTerminal ? texts("admin.audit-terminal") : actor?.name ?? texts("admin.audit-gone"),
            isTerminal: isTerminal, action: texts.find("audit-act.\(entry.act)") ?? entry.act,
            subject: "\(entry.subjectId)",
            about: entry.about.map(Self.name) ?? "", isTrashed: entry.about?.deletedAt != nil,
            link: try await link(&names), details: details, hasDetails: !details.isEmpty)
    }

    private func details(isTerminal: Bool, _ names: inout AuditedNames) async throws -> [Fact] {
        var details: [Fact] = []
        // The column of the account already shows `by`. The source of an import is a digest, which means nothing to
        // readers.
        for member in entry.detail?.members ?? []
        where !(isTerminal && member.name == "by") && !(entry.act == "meeting.import" && member.name == "source") {
            guard let value = try await text(of: member, &names) else { continue }
            details.append(.init(label: page.texts.find("audit-detail.\(member.name)") ?? member.name, value: value))
        }
        return details
    }

    /// The name of the subject. A meeting's round is appended unless the title ends with the number of the round.
    private static func name(_ about: AuditSubject) -> String {
        guard let round = about.round else { return about.name }
        let last = about.name.split { !$0.isNumber && !$0.isLetter }.last
        let meeting = last == "\(round)" ? about.name : "\(about.name) #\(round)"
        return about.person.map { "\($0) · \(meeting)" } ?? meeting
    }

    /// Nil for a meeting in the trash, which has no page. A series in the trash has one.
    private func link(_ names: inout AuditedNames) async throws -> String? {
        guard let about = entry.about else { return nil }
        switch about.kind {
        case "meeting": return about.deletedAt == nil ? "/meetings/\(about.id)" : nil
        case "series": return "/series/\(about.id)"
        case "invitation": return "/admin/invitations"
        default:
            let account = try await names.account("\(about.id)")
            return account.map { "/admin/accounts?q=\(PathQuery.encode($0.email))" }
        }
    }

    /// The value of a detail in words; nil for the key of a question that no longer exists or whose meeting is in the
    /// trash.
    private func text(of member: JSONValue.Member, _ names: inout AuditedNames) async throws -> String? {
        let texts = page.texts
        switch member.value {
        case .bool(let value): return texts(value ? "person.answered-yes" : "person.answered-no")
        case .string(let key) where member.name == "question":
            guard let about = entry.about, about.kind == "meeting", about.deletedAt == nil else { return nil }
            return try await names.question(key, of: "\(about.id)")
        case .string(let text):
            if let account = try await names.account(text) { return "\(account.name) (\(account.email))" }
            if member.name == "meeting", entry.about?.kind == "meeting" { return entry.about?.name ?? text }
            return texts.find("audit-detail.\(member.name)-\(text)") ?? texts.find("audit-detail.role-\(text)") ?? text
        case .array(let values): return values.map { $0.string ?? $0.text }.joined(separator: ", ")
        default: return member.value.text
        }
    }
}
