import Contract
import Foundation
import StrictJSON

/// One entry of the audit trail in words.
struct AuditLine {
    struct Values: TemplateValues {
        struct Detail: TemplateValues {
            var what: String
            var words: String
        }

        var at: String
        /// The id of the account.
        var account: String
        var who: String
        /// Whether a command in a terminal did it.
        var isTerminal: Bool
        var act: String
        /// The id of the meeting, series or account.
        var subject: String
        /// The name of the meeting, series or account.
        var about: String
        var isTrashed: Bool
        /// The address of the page about it.
        var link: String?
        var details: [Detail]
        var hasDetails: Bool
    }

    let entry: AuditEntry
    let page: PageRequest
    let clock: LocalTime

    init(_ entry: AuditEntry, _ page: PageRequest, _ clock: LocalTime) {
        (self.entry, self.page, self.clock) = (entry, page, clock)
    }

    func values(_ accounts: inout AuditedNames) async throws -> Values {
        let texts = page.texts
        let actor = try await accounts.account("\(entry.accountId)")
        let isTerminal = entry.detail?["by"]?.string == "terminal"
        let details = try await details(isTerminal: isTerminal, &accounts)
        return Values(
            at: clock.text(entry.at, in: page.language), account: "\(entry.accountId)",
            who: isTerminal ? texts("admin.audit-terminal") : actor?.name ?? texts("admin.audit-gone"),
            isTerminal: isTerminal, act: AuditAction.words(entry.act, texts), subject: "\(entry.subjectId)",
            about: entry.about.map(Self.name) ?? "", isTrashed: entry.about?.deletedAt != nil,
            link: try await link(&accounts), details: details, hasDetails: !details.isEmpty)
    }

    private func details(isTerminal: Bool, _ accounts: inout AuditedNames) async throws -> [Values.Detail] {
        var details: [Values.Detail] = []
        // `by` is shown as the account, and a digest means nothing to people.
        for member in entry.detail?.members ?? []
        where !(isTerminal && member.name == "by") && !(entry.act == "meeting.import" && member.name == "source") {
            guard let words = try await words(member, &accounts) else { continue }
            details.append(.init(what: page.texts.find("audit-detail.\(member.name)") ?? member.name, words: words))
        }
        return details
    }

    /// With its round, unless its title ends in it.
    private static func name(_ about: AuditSubject) -> String {
        guard let round = about.round else { return about.name }
        let last = about.name.split { !$0.isNumber && !$0.isLetter }.last
        return last == "\(round)" ? about.name : "\(about.name) #\(round)"
    }

    /// A series has a page in the trash too, a meeting doesn't.
    private func link(_ accounts: inout AuditedNames) async throws -> String? {
        guard let about = entry.about else { return nil }
        switch about.kind {
        case "meeting": return about.deletedAt == nil ? "/meetings/\(about.id)" : nil
        case "series": return "/series/\(about.id)"
        default:
            let account = try await accounts.account("\(about.id)")
            return account.map { "/admin/accounts?q=\(PathQuery.encode($0.email))" }
        }
    }

    /// Nil for the key of a question that no longer exists.
    private func words(_ member: JSONValue.Member, _ accounts: inout AuditedNames) async throws -> String? {
        let texts = page.texts
        switch member.value {
        case .bool(let isSo): return texts(isSo ? "person.answered-yes" : "person.answered-no")
        case .string(let key) where member.name == "question":
            guard let about = entry.about, about.kind == "meeting", about.deletedAt == nil else { return nil }
            return try await accounts.question(key, of: "\(about.id)")
        case .string(let text):
            if let account = try await accounts.account(text) { return "\(account.name) (\(account.email))" }
            if member.name == "meeting", entry.about?.kind == "meeting" { return entry.about?.name ?? text }
            return texts.find("audit-detail.\(member.name)-\(text)") ?? texts.find("audit-detail.role-\(text)") ?? text
        case .array(let all): return all.map { $0.string ?? $0.text }.joined(separator: ", ")
        default: return member.value.text
        }
    }
}
