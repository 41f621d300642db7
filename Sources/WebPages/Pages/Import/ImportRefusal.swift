import Domain
import Foundation
import HTTPTypes
import Imports
import Store
import StrictJSON

/// Why an import is refused as a whole. The reasons have codes, for which the catalogues have texts. The command prints
/// the same reasons in English, with its options.
struct ImportRefusal: Error {
    enum Reason: Sendable {
        case tooManyRows
        case tooManyMeetings
        case noQuestions
        case unknownZone
        /// A column is used for series, but all rows go into one that exists.
        case seriesColumn
        /// The host may not add to a series of an earlier import.
        case noAccess
        /// The host may not add to the series that was chosen or that the map names by its id.
        case noSeries
        case file(FileFault)
        /// The file has no usable header if it is read as chosen. The page shows it as it seems to be.
        case misread(FileFault)
        case encoding(TextEncoding, likely: TextEncoding?)
        case map([Fault])
        case meeting(ImportMismatch)
        case series(ImportSeriesMismatch)
    }

    /// A sentence about one fault.
    struct Sentence: TemplateValues {
        var text: String
        var lang: String
    }

    private static let maxSentences = 20

    var reason: Reason
    var map: SentMap?

    init(_ reason: Reason, in map: SentMap? = nil) {
        (self.reason, self.map) = (reason, map)
    }

    init(of failure: ImportFailure, in map: SentMap? = nil) {
        switch failure {
        case .file(let fault): self.init(.file(FileFault(fault)), in: map)
        case .encoding(let encoding, let likely): self.init(.encoding(encoding, likely: likely), in: map)
        case .map(let faults): self.init(.map(faults), in: map)
        }
    }

    var status: HTTPResponse.Status {
        switch reason {
        case .noAccess, .noSeries: .forbidden
        default: .unprocessableContent
        }
    }

    func alert(_ texts: PageTexts) -> String {
        func number(_ count: Int) -> String { HealthPages.formatted(count, in: texts.language) }
        switch reason {
        case .tooManyRows: return texts("import.too-many-rows", ["most": number(ImportJob.maxRows)])
        case .tooManyMeetings: return texts("import.too-many-meetings", ["most": number(ImportJob.maxMeetings)])
        case .noQuestions: return texts("import.no-questions")
        case .unknownZone: return texts("import.unknown-zone")
        case .seriesColumn: return texts("import.series-column")
        case .noAccess: return texts("import.no-access")
        case .noSeries: return texts("import.no-series")
        case .file: return texts("import.unusable")
        case .misread: return texts("import.misread")
        case .encoding(let encoding, let likely?):
            return texts("import.encoding-wrong", ["name": encoding.name, "likely": likely.name])
        case .encoding(let encoding, nil): return texts("import.encoding-unknown", ["name": encoding.name])
        case .map: return texts("import.map-wrong")
        case .meeting(let mismatch):
            return texts("import.other-questions", ["meeting": mismatch.meeting, "series": mismatch.series])
        case .series(let mismatch):
            let key = mismatch.kinds.isEmpty ? "import.other-options" : "import.other-kinds"
            return texts(key, ["series": mismatch.series])
        }
    }

    func sentences(_ texts: PageTexts) -> [Sentence] {
        let map = FaultsOfMap(map, texts)
        return switch reason {
        case .file(let fault), .misread(let fault): [Self.sentence(of: fault, texts)]
        case .map(let faults): faults.prefix(Self.maxSentences).map(map.sentence)
        case .meeting(let mismatch): mismatch.keys.prefix(Self.maxSentences).map(map.question)
        case .series(let mismatch):
            (mismatch.kinds.isEmpty ? mismatch.options : mismatch.kinds).prefix(Self.maxSentences).map(map.question)
        default: []
        }
    }

    /// The reason why a row or the header of a file can't be read, with its line.
    static func sentence(of fault: FileFault, _ texts: PageTexts) -> Sentence {
        let line = texts("import.line", ["line": HealthPages.formatted(fault.line, in: texts.language)])
        guard let reason = texts.find("import.reason-\(fault.code)") else {
            return Sentence(text: "\(line): \(fault.reason)", lang: Language.english.rawValue)
        }
        let text = texts.fill(reason) { $0 == "name" ? fault.name : nil }
        return Sentence(text: "\(line): \(text)", lang: texts.language.rawValue)
    }
}
