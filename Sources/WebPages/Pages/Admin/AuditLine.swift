import Contract
import Foundation
import StrictJSON

/// One act in words: when, who, what, where, and what else was written down.
struct AuditLine {
    let entry: AuditEntry
    let page: PageRequest
    let clock: LocalTime

    init(_ entry: AuditEntry, _ page: PageRequest, _ clock: LocalTime) {
        (self.entry, self.page, self.clock) = (entry, page, clock)
    }

    func values(_ accounts: inout AuditedNames) async throws -> [String: Any] {
        let texts = page.texts
        let actor = try await accounts.account("\(entry.accountId)")
        let isTerminal = entry.detail?["by"]?.string == "terminal"
        var values: [String: Any] = [
            "at": clock.text(entry.at, in: page.language), "account": "\(entry.accountId)",
            "who": isTerminal ? texts("admin.audit-terminal") : actor?.name ?? texts("admin.audit-gone"),
            "isTerminal": isTerminal, "act": AuditAct.words(entry.act, texts),
            "subject": "\(entry.subjectId)", "about": "", "isTrashed": false,
        ]
        if let about = entry.about {
            values["about"] = Self.name(of: about)
            values["isTrashed"] = about.deletedAt != nil
            values["link"] = try await link(about, &accounts)
        }
        var details: [[String: Any]] = []
        // Who it was says that already, and a digest says nothing to people.
        for member in entry.detail?.members ?? []
        where !(isTerminal && member.name == "by") && !(entry.act == "meeting.import" && member.name == "source") {
            guard let words = try await words(member, &accounts) else { continue }
            details.append(["what": texts.find("audit-detail.\(member.name)") ?? member.name, "words": words])
        }
        values["details"] = details
        values["hasDetails"] = !details.isEmpty
        return values
    }

    /// With its round, unless its title ends in it.
    private static func name(of about: AuditSubject) -> String {
        guard let round = about.round else { return about.name }
        let last = about.name.split { !$0.isNumber && !$0.isLetter }.last
        return last == "\(round)" ? about.name : "\(about.name) #\(round)"
    }

    /// Where the admin sees it; what is in the trash has a page only as a whole series.
    private func link(_ about: AuditSubject, _ accounts: inout AuditedNames) async throws -> String? {
        switch about.kind {
        case "meeting": return about.deletedAt == nil ? "/meetings/\(about.id)" : nil
        case "series": return "/series/\(about.id)"
        default:
            let account = try await accounts.account("\(about.id)")
            return account.map { "/admin/accounts?q=\(PathQuery.encode($0.email))" }
        }
    }

    /// Nil of a key of which nobody knows any more what it was.
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

/// What can be written down; `PageTextCatalogues` compares it with the store.
enum AuditAct {
    static let all = [
        "account.create", "account.delete", "account.disable", "account.edit", "account.enable", "account.password",
        "account.password-reset", "account.picture", "account.role", "answer.hide", "answer.unhide",
        "answers.release", "answers.withhold", "attendee.add", "attendee.edit", "attendee.link", "attendee.remove",
        "attendee.remove-walk-ins",
        "form.close", "form.edit", "form.finish", "form.invite", "form.publish", "form.remind", "form.reopen",
        "invitation.create", "invitation.revoke", "join-code.create", "join-code.revoke", "meeting.create",
        "meeting.edit", "meeting.image", "meeting.image-delete", "meeting.import", "meeting.restore", "meeting.trash",
        "member.add", "member.edit", "member.remove", "person.erase", "series.edit", "series.host.add",
        "series.host.remove", "series.restore", "series.transfer", "series.trash", "session.revoke", "share.create",
        "share.revoke", "submission.delete", "token.create", "token.revoke", "webhook.create", "webhook.delete",
        "webhook.redeliver", "webhook.test",
    ]

    static func words(_ act: String, _ texts: PageTexts) -> String { texts.find("audit-act.\(act)") ?? act }
}
