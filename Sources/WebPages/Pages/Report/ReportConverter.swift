import Charts
import Domain
import Foundation
import HTTPAPI
import SVGConversion
import Store

/// Converts reports to PDF files, one at a time: a report of 200 long texts takes seconds of processor time.
struct ReportConverter: Sendable {
    private let permits = KeyedPermits<UUID>(1, total: 1)
    private let environment: [String: String]
    private let timeout: Duration

    /// - Parameter timeout: How long a conversion waits for those of the same account, and then for those of others.
    init(environment: [String: String], timeout: Duration = .seconds(10)) {
        (self.environment, self.timeout) = (environment, timeout)
    }

    /// Throws 503 if `rsvg-convert` is not installed, fails, or has too much to do.
    func pdf(of report: PrintedReport, for accountID: UUID) async throws -> [UInt8] {
        let lease = try await permits.acquire(
            for: accountID, within: timeout, else: "Other reports are being made; try again later.", retryAfter: 5)
        defer { withExtendedLifetime(lease) {} }
        do throws(SVGConversionError) {
            return try await SVGConverter(environment: environment).pdf(pages: report.pages())
        } catch {
            switch error {
            case .notInstalled:
                throw Problem(
                    .pdfUnavailable, "PDF files require rsvg-convert, which is not installed on this server.",
                    retryAfter: 3600)
            case .failed(let reason):
                throw Problem(.pdfUnavailable, "rsvg-convert failed: \(reason).", retryAfter: 60)
            case .cancelled:
                throw CancellationError()
            }
        }
    }
}
