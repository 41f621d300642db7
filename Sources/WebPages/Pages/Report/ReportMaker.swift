import Charts
import Contract
import Domain
import Foundation
import HTTPAPI
import SVGConversion
import Store

/// Makes reports as PDF files, one at a time for an account and two for all: a report of 200 long texts takes seconds of
/// processor time.
struct ReportMaker: Sendable {
    private let permits = KeyedPermits<UUID>(1, total: 2)
    private let texts: [Language: PageTexts]
    private let environment: [String: String]
    private let timeout: Duration

    /// - Parameters:
    ///   - environment: The environment of `rsvg-convert`, with the `PATH` where it is.
    ///   - timeout: How long a report waits for those of the same account, and then for those of others.
    init(texts: [Language: PageTexts], environment: [String: String], timeout: Duration = .seconds(10)) {
        (self.texts, self.environment, self.timeout) = (texts, environment, timeout)
    }

    /// The report of a meeting that the reader may see. Throws 503 if `rsvg-convert` is not installed, fails, or has too
    /// much to do.
    func pdf(of meetingID: ResourceID, for reader: HostReader, in language: Language) async throws -> [UInt8] {
        // The catalogues of all languages are loaded.
        guard let texts = texts[language] else { throw Problem(.notFound) }
        do {
            return try await make(meetingID, reader, texts)
        } catch let error as SVGConversionError {
            throw Self.problem(error)
        }
    }

    private func make(_ meetingID: ResourceID, _ reader: HostReader, _ texts: PageTexts) async throws -> [UInt8] {
        let converter = try SVGConverter(environment: environment)
        let lease = try await permits.acquire(
            for: reader.accountID.uuid, within: timeout, else: "Other reports are being made; try again later.",
            retryAfter: 5)
        defer { withExtendedLifetime(lease) {} }
        // Read after the wait, so that the report is new and the access still valid.
        let meeting = HostMeeting(details: try await reader.meeting(meetingID), reader: reader)
        let page = try await ReportPage(meeting, try await reader.results(of: meeting.details), texts)
        return try await converter.pdf(pages: PrintedReport(page, texts).pages())
    }

    private static func problem(_ error: SVGConversionError) -> any Error {
        switch error {
        case .notInstalled:
            Problem(
                .pdfUnavailable, "PDF files require rsvg-convert, which is not installed on this server.",
                retryAfter: 3600)
        case .failed(let reason): Problem(.pdfUnavailable, "rsvg-convert failed: \(reason).", retryAfter: 60)
        case .cancelled: CancellationError()
        }
    }
}

extension PageResources {
    /// Makes reports as PDF files, in the words and with the numbers of the printed page. All copies of the writer
    /// have the same limits.
    ///
    /// - Parameter environment: The environment of `rsvg-convert`, with the `PATH` where it is.
    public func reports(environment: [String: String]) -> ReportWriter {
        let maker = ReportMaker(texts: texts, environment: environment)
        return ReportWriter(languages: Language.allCases.map(\.rawValue)) { meetingID, reader, language in
            try await maker.pdf(of: meetingID, for: reader, in: Language(rawValue: language) ?? .english)
        }
    }
}
