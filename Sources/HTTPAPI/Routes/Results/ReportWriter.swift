import Contract
import Foundation

/// Makes the report of a meeting as a PDF file. The words and numbers of pages belong to another module, which makes the
/// writer.
public struct ReportWriter: Sendable {
    public static let defaultLanguage = "en"

    /// The languages, such as `de`.
    public let languages: [String]
    private let write: @Sendable (ResourceID, HostReader, String) async throws -> [UInt8]

    public init(
        languages: [String],
        write: @escaping @Sendable (ResourceID, HostReader, _ language: String) async throws -> [UInt8]
    ) {
        (self.languages, self.write) = (languages, write)
    }

    /// The report of a meeting that the reader may see. Throws 503 if PDF files cannot be made, or too many are.
    ///
    /// - Parameter language: One of `languages`.
    public func pdf(
        of meetingID: UUID, for reader: HostReader, in language: String
    ) async throws -> [UInt8] {
        try await write(ResourceID(meetingID), reader, language)
    }
}
