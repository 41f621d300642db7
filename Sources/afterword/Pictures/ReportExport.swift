import Domain
import Foundation
import HTTPAPI
import SVGConversion
import Store
import WebPages

/// Exports the report of a meeting as a PDF file.
struct ReportExport: Sendable {
    let meetingID: UUID
    let language: String
    private let writer: ReportWriter

    /// Checks everything that does not require a database.
    ///
    /// - Parameters:
    ///   - meeting: The id as typed. Nil if several meetings are to be exported.
    ///   - language: English if nil.
    init(meeting: String?, language: String?) async throws {
        guard let meeting else { throw Failure.misuse("A report is about one meeting: choose it with --meeting.") }
        meetingID = try ExportScopeOptions.id("--meeting", meeting)
        let environment = ProcessInfo.processInfo.environment
        writer = try await PageResources.load().reports(environment: environment)
        self.language = language ?? ReportWriter.defaultLanguage
        guard writer.languages.contains(self.language) else {
            throw Failure.misuse(
                "--language has the invalid value \"\(self.language)\"; expected "
                    + "\(writer.languages.sorted().joined(separator: ", ")).")
        }
        do throws(SVGConversionError) {
            _ = try SVGConverter(environment: environment)
        } catch {
            throw Failure(error)
        }
    }

    /// Returns the file. Throws if there is no such meeting.
    func pdf(from store: Store) async throws -> [UInt8] {
        do {
            return try await writer.pdf(of: meetingID, for: .ofOperator(in: store), in: language)
        } catch let problem as Problem where problem.code == .notFound {
            throw Failure("There is no meeting \(meetingID.lowercased).")
        }
    }
}
