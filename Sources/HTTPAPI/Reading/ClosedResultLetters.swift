import Contract
import Domain
import Foundation
import Store

/// Writes the mails with the results of a meeting whose form has closed, at the moment when they are sent.
public struct ClosedResultLetters: Sendable {
    /// The largest report that is attached. Many mail servers refuse mails of more than 20 MB; a file grows by a third
    /// when it is encoded.
    private static let maxReportBytes = 10 << 20

    let store: Store
    let summaries: SummaryWriter
    let reports: ReportWriter
    let letters: LetterCatalogues
    let publicURL: String
    /// The time after which the mail is written without the report. Other mails that have to be written wait meanwhile.
    var reportTimeout = Duration.seconds(20)
    private let cache = HostReadingCache()

    /// - Parameters:
    ///   - summaries: Writes the lines of the questions.
    ///   - letters: The texts of mails.
    ///   - publicURL: The base URL of links.
    public init(
        store: Store, summaries: SummaryWriter, reports: ReportWriter, letters: LetterCatalogues, publicURL: String
    ) {
        (self.store, self.summaries, self.reports) = (store, summaries, reports)
        (self.letters, self.publicURL) = (letters, publicURL)
    }

    /// Returns nil if the mail is not to be sent any more: the account was disabled, has turned these mails off, or no
    /// longer sees the meeting, or the form is open again.
    ///
    /// Throws 503 if too many reports are being made.
    public func letter(of source: Outbox.Source) async throws -> Letter? {
        guard let meetingID = source.meetingID, let account = try await store.mailsAtClose.reader(source.accountID)
        else { return nil }
        let reader = HostReader(account.principal, in: store, cache: cache)
        do {
            let details = try await reader.meeting(ResourceID(meetingID))
            guard details.form.state == "closed" || details.form.state == "final" else { return nil }
            let facts = SummaryFacts(
                meeting: details.meeting, form: details.form, results: try await reader.results(of: details),
                decisions: try await reader.decisions(of: details).items,
                sender: try await MailReader.owner(ofMeeting: meetingID, unless: source.accountID, in: store))
            let language = summaries.language(locale: account.locale)
            let (subject, summary) = summaries.text(facts, in: language)
            let report = try await report(meetingID, reader, language)
            return .closedResults(
                subject: subject, summary: summary, report: report,
                link: "\(publicURL)/meetings/\(details.meeting.id)/results", service: publicURL,
                in: letters.texts(locale: account.locale))
        } catch let problem as Problem where problem.code == .notFound {
            return nil
        }
    }

    /// The report as an attachment. Nil if PDF files cannot be made, or this one takes too long or is too large.
    private func report(
        _ meetingID: UUID, _ reader: HostReader, _ language: String
    ) async throws -> Letter.Attachment? {
        do {
            let bytes = try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
                group.addTask { try await reports.pdf(of: meetingID, for: reader, in: language) }
                group.addTask {
                    try await Task.sleep(for: reportTimeout)
                    return nil
                }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
            }
            guard let bytes, bytes.count <= Self.maxReportBytes else { return nil }
            return Letter.Attachment(name: "report.pdf", mediaType: MediaType.pdf, bytes: bytes)
        } catch let problem as Problem where problem.code == .pdfUnavailable {
            return nil
        }
    }
}
