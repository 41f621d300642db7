import Contract
import Domain
import Foundation
import Store

/// Writes the weekly mails about the meetings of an account, at the moment when they are sent.
public struct DigestLetters: Sendable {
    /// The largest number of closed forms, and of open ones, that a digest contains.
    private static let maxForms = 20

    let store: Store
    let summaries: SummaryWriter
    let letters: LetterCatalogues
    let publicURL: String
    private let cache = HostReadingCache()

    /// - Parameters:
    ///   - summaries: Writes the lines of the questions.
    ///   - letters: The texts of mails.
    ///   - publicURL: The base URL of links.
    public init(store: Store, summaries: SummaryWriter, letters: LetterCatalogues, publicURL: String) {
        (self.store, self.summaries, self.letters, self.publicURL) = (store, summaries, letters, publicURL)
    }

    /// Returns nil if the digest is not to be sent: the account was disabled or has turned it off, or nothing happened.
    public func letter(of source: Outbox.Source) async throws -> Letter? {
        guard let account = try await store.weeklyDigests.reader(source.accountID) else { return nil }
        let reader = HostReader(account.principal, in: store, cache: cache)
        let week = try await store.weeklyDigests.week(of: source.accountID, before: source.createdAt)
        let language = summaries.language(locale: account.locale)
        var (closed, open): ([String], [String]) = ([], [])
        for id in week.closed.prefix(Self.maxForms) {
            guard var facts = try await facts(of: id, reader) else { continue }
            facts.sender = try await MailReader.owner(ofMeeting: id, unless: source.accountID, in: store)
            closed.append(summaries.text(facts, in: language).body + "\n\n" + link(to: facts))
        }
        for id in week.open.prefix(Self.maxForms) {
            guard let facts = try await facts(of: id, reader) else { continue }
            let title = facts.meeting.title.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            open.append("– \(title): \(facts.results.submissions)")
        }
        guard !closed.isEmpty || !open.isEmpty else { return nil }
        return .weeklyDigest(
            closed: closed, open: open, hasMore: max(week.closed.count, week.open.count) > Self.maxForms,
            service: publicURL, in: letters.texts(locale: account.locale))
    }

    /// Nil if the account no longer sees the meeting.
    private func facts(of meetingID: UUID, _ reader: HostReader) async throws -> SummaryFacts? {
        do {
            let details = try await reader.meeting(ResourceID(meetingID))
            return SummaryFacts(
                meeting: details.meeting, form: details.form, results: try await reader.results(of: details),
                decisions: try await reader.decisions(of: details).items)
        } catch let problem as Problem where problem.code == .notFound {
            return nil
        }
    }

    private func link(to facts: SummaryFacts) -> String { "\(publicURL)/meetings/\(facts.meeting.id)/results" }
}
