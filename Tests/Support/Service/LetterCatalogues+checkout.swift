import Contract
import Domain
import Foundation
import HTTPAPI
import HTTPServer
import Logging
import Store
import StrictJSON

extension LetterCatalogues {
    /// The texts of mails in the checkout that the tests were built from.
    public static func ofCheckout() throws -> LetterCatalogues { try loaded.get() }

    private static let loaded = Result { () throws -> LetterCatalogues in
        let folder = Repository.url("Sources/WebPages/Resources/texts")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let catalogues = try files.filter { $0.pathExtension == "json" }.map { file in
            (
                file.deletingPathExtension().lastPathComponent,
                LetterTexts(try JSONValue.parse(Array(Data(contentsOf: file))))
            )
        }
        return LetterCatalogues(Dictionary(uniqueKeysWithValues: catalogues))
    }
}

extension AfterwordAPI {
    /// The API with the texts of mails in the checkout.
    package static func api(
        store: Store, options: ServiceOptions = ServiceOptions(), metrics: PrometheusRegistry,
        limits: ConnectionLimits = ConnectionLimits(), logger: Logger = TestStore.silentLogger,
        pace: LiveHub.Pace? = nil, summaries: SummaryWriter? = nil, reports: ReportWriter? = nil
    ) throws -> API {
        try api(
            store: store, options: options, letters: .ofCheckout(),
            summaries: summaries ?? plainSummaries, reports: reports ?? plainReports, metrics: metrics, limits: limits,
            logger: logger, pace: pace)
    }

    /// Writes the language and the title.
    private static let plainReports = ReportWriter(languages: ["de", "en", "ko"]) { meetingID, reader, language in
        Array("%PDF-1.5\n\(language) \(try await reader.meeting(meetingID).meeting.title)\n%%EOF\n".utf8)
    }

    /// Writes the language, the title, the sender, the questions and the decisions.
    private static let plainSummaries = SummaryWriter(languages: ["de", "en", "ko"]) { facts, language in
        let lines =
            [facts.sender].compactMap(\.self) + facts.results.questions.map { "\($0.title) \($0.answered)" }
            + facts.decisions.map(\.text)
        return ("\(language) \(facts.meeting.title)", lines.joined(separator: "\n"))
    }
}
