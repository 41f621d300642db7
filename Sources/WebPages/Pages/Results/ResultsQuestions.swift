import Contract
import HTTPAPI
import HTTPTypes

/// Reads the contents of a results page for each question: numbers, the comparison with an earlier round, and texts.
struct ResultsQuestions {
    /// The texts that hosts get.
    enum TextsForHosts {
        /// The newest texts. They are few, because another page shows all texts to hosts.
        case newest
        /// The newest texts of questions whose texts are released to participants.
        case released(max: Int)
        /// The newest texts of a report, which people without an account may read.
        case report

        /// The largest number of texts that are read, so that equal ones can be counted.
        fileprivate var limit: Int {
            switch self {
            case .newest: 100
            case .released(let max): max
            case .report: 200
            }
        }

        /// The largest number of different texts on the page.
        fileprivate var max: Int {
            switch self {
            case .newest: 5
            case .released(let max): max
            case .report: 200
            }
        }
    }

    /// Once a page has this number of bytes of texts, it shows no texts of further questions.
    private static let maxTextBytes = 1 << 20
    /// The largest number of questions that are compared with an earlier round.
    private static let maxCompared = 30

    let results: Results
    let texts: PageTexts
    /// The questions of the form's newest version, if they are known.
    var questions: [QuestionBody] = []
    /// Set if a host reads the results.
    var host: HostMeeting?
    /// Reads the texts for participants, for whom `host` is nil.
    var released: ReleasedTexts?
    /// Whether the results are filtered. Texts and comparisons are then left out, because they can't be filtered.
    var isFiltered = false
    /// Whether tables show the intervals of shares.
    var showsRanges = false
    var textsForHosts = TextsForHosts.newest
    /// Whether texts are left out for participants because too many are being read.
    var omitsTexts = false
    /// Reads Cronbach's alpha of a grid for hosts. Returns nil if it cannot be shown.
    var alpha: ((_ grid: String) async throws -> GridAlpha?)?

    /// The texts for participants can't be read now, because too many are being read.
    struct TextsBusy: Error {}

    /// Says how many submissions the minimum group withholds, or that the filtered results omit some questions. Nil if
    /// everything is shown.
    static func withheld(
        _ results: Results, isShut: Bool, isFiltered: Bool = false, _ texts: PageTexts
    ) -> String? {
        results.withheld.map { withheld in
            guard !isFiltered else { return texts("charts.filter-withheld", ["minimum": "\(withheld.minimum)"]) }
            // The released counts of an open form are one group behind, so the first release needs two groups.
            let first = withheld.minimum * 2
            let detailKey =
                if withheld.shown == results.submissions {
                    "results.changes-held"
                } else if isShut {
                    "results.too-few"
                } else {
                    withheld.shown == 0 && results.submissions < first ? "results.none-yet" : "results.shown-so-far"
                }
            let numbers = [
                "minimum": "\(withheld.minimum)", "first": "\(first)", "shown": "\(withheld.shown)",
                "count": "\(results.submissions)",
            ]
            return texts("results.withheld", numbers) + " " + texts(detailKey, numbers)
        }
    }

    /// The number of submissions as text.
    static func submissions(_ results: Results, _ texts: PageTexts) -> String {
        texts("results.submissions", ["count": "\(results.submissions)"])
    }

    static func withheld(
        _ results: Results, isShut: Bool, isFiltered: Bool = false, _ page: PageRequest
    ) -> String? {
        withheld(results, isShut: isShut, isFiltered: isFiltered, page.texts)
    }

    static func submissions(_ results: Results, _ page: PageRequest) -> String { submissions(results, page.texts) }

    /// One question as every results page shows it.
    struct Part {
        let result: QuestionResults
        var numbers: QuestionNumbers
        /// The numbers of the grid of which this is the first statement.
        var grid: GridNumbers?
        /// Whether this is the last statement of a grid whose numbers are shown together.
        var endsGrid = false
        let changes: WordingChanges.Values?
        /// The text answers as they were read. Only hosts get their ids.
        let readTexts: [EqualTexts.Text]
        /// The text answers of the page, equal ones together.
        let texts: [EqualTexts]
        /// Says that there are more texts than the page shows, or why it shows none. Nil if it shows all, and for hosts.
        let moreTextsNotice: String?

        /// The values for pages on which texts cannot be hidden.
        var values: Values {
            Values(
                key: result.key, numbers: numbers, grid: grid, endsGrid: endsGrid, changes: changes,
                texts: texts.map(\.values), moreTextsNotice: moreTextsNotice)
        }
    }

    struct Values: TemplateValues {
        var key: String
        var numbers: QuestionNumbers
        /// The numbers of the grid of which this is the first statement.
        var grid: GridNumbers?
        /// Whether this is the last statement of a grid whose numbers are shown together.
        var endsGrid: Bool
        var changes: WordingChanges.Values?
        var texts: [EqualTexts.Values]
        var moreTextsNotice: String?
    }

    func parts() async throws -> [Part] {
        let changes =
            if let host { try await WordingChanges(results, host, texts) } else { WordingChanges(results, texts) }
        let shownResults = results.questions.filter { $0.retired != true || (host != nil && $0.answered > 0) }
        let (trends, answers) = (try await trends(of: shownResults), try await answers(of: shownResults))
        let names = host.map { RoundNames($0, texts) }
        let paired = trends.isEmpty ? nil : try await roundChanges(of: Array(trends.keys).sorted())
        let parts = shownResults.map { result in
            var comparison: RoundComparison?
            if let names, let trend = trends[result.key] {
                comparison = RoundComparison(of: result, in: trend, names)
            }
            let writer = QuestionWriter(
                result: result, definition: questions.first { $0.key == result.key }, withheld: results.withheld,
                texts: texts, isFiltered: isFiltered, roomBase: results.room?.base, showsRanges: showsRanges)
            let found = answers[result.key]
            var numbers = writer.numbers(with: comparison)
            if let paired, let question = paired.questions.first(where: { $0.key == result.key }) {
                numbers.pairs = PairsTable(of: question, comparisons: paired.comparisons, texts)
                numbers.unpairedNotice = PairsTable.notice(of: question, minimum: paired.minimumPairs, texts)
            }
            return Part(
                result: result, numbers: numbers, changes: changes.values(of: result.key),
                readTexts: found?.read ?? [],
                texts: EqualTexts.groups(
                    of: found?.read ?? [], areAll: found?.isTruncated != true,
                    max: host == nil ? ReleasedTexts.limit : textsForHosts.max, texts),
                moreTextsNotice: textsNotice(of: result, found))
        }
        return try await withGrids(parts, trends)
    }

    /// Adds the numbers of grids to their first statements.
    private func withGrids(_ parts: [Part], _ trends: [String: Trend]) async throws -> [Part] {
        var found: [Part] = []
        for var group in Self.groups(parts) {
            if let key = group[0].result.grid?.key, group[0].result.retired != true {
                let alpha = isFiltered || group.count < 2 ? nil : try await alpha?(key)
                group[0].grid = GridNumbers(group, alpha: alpha, texts)
                if group[0].grid != nil {
                    let results = group.map(\.result)
                    let profile = host.flatMap { GridProfile(of: results, in: trends, of: $0.meeting.id, texts) }
                    group[0].grid?.profile = profile
                    group[group.count - 1].endsGrid = true
                    for index in group.indices { group[index].numbers.isStatement = true }
                }
            }
            found += group
        }
        return found
    }

    /// Says that there are more texts than the page shows, or why participants see none.
    private func textsNotice(of result: QuestionResults, _ answers: Texts?) -> String? {
        if answers?.isTruncated == true { return texts("results.more-texts") }
        guard host == nil, !isFiltered, result.kind == "text", result.answered > 0 else { return nil }
        if result.released != true { return texts("charts.not-released") }
        if omitsTexts { return texts("results.texts-busy") }
        return answers?.read.isEmpty == true && results.withheld != nil ? texts("charts.texts-later") : nil
    }

    /// The trends of those of the first `maxCompared` questions that have numbers, by key.
    private func trends(of questions: [QuestionResults]) async throws -> [String: Trend] {
        guard let host, !isFiltered, host.meeting.round > 1 else { return [:] }
        let compared = questions.prefix(Self.maxCompared).filter { $0.kind != "text" }.map(\.key)
        let trends = try await host.reader.trends(of: compared, upTo: host.details)
        return Dictionary(trends.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The changes of the people who answered both rounds. Nil unless the form names them.
    private func roundChanges(of keys: [String]) async throws -> RoundChanges? {
        guard let host, host.form.definition.identity == "attendee", !host.isAnonymous else { return nil }
        return try await host.reader.changes(of: keys, in: host.details)
    }

    /// Texts of a question, and whether there are more.
    private typealias Texts = (read: [EqualTexts.Text], isTruncated: Bool)

    /// The newest texts of each question for hosts, and the released texts for others, by key.
    private func answers(of questions: [QuestionResults]) async throws -> [String: Texts] {
        guard !isFiltered else { return [:] }
        if let host {
            let textQuestions = questions.filter { question in
                if case .released = textsForHosts { return question.showsTexts }
                return question.kind == "text" ? question.answered > 0 : question.ownAnswers > 0
            }
            return try await newestTexts(of: textQuestions, host)
        }
        guard !omitsTexts, let released else { return [:] }
        var (textsByKey, bytes): ([String: Texts], Int) = ([:], 0)
        for question in questions where question.showsTexts {
            guard bytes < Self.maxTextBytes else {
                textsByKey[question.key] = ([], true)
                continue
            }
            let releasedTexts = try await released.first(of: question.key)
            bytes += releasedTexts.items.reduce(0) { $0 + $1.text.utf8.count }
            textsByKey[question.key] = (releasedTexts.items.map { (nil, $0.text) }, releasedTexts.next != nil)
        }
        return textsByKey
    }

    private func newestTexts(
        of questions: [QuestionResults], _ host: HostMeeting
    ) async throws -> [String: Texts] {
        let found = try await host.reader.newestTexts(
            of: questions.map(\.key), choices: questions.filter { $0.kind == "choice" }.map(\.key),
            in: host.details, limit: textsForHosts.limit, enough: textsForHosts.max, maxBytes: Self.maxTextBytes)
        return found.mapValues { ($0.texts.map { ($0.id, $0.text) }, !$0.isComplete) }
    }
}

/// Reads the texts that were released to participants.
struct ReleasedTexts {
    /// The largest number of texts of one question.
    static let limit = 100

    let page: PageRequest
    /// The path of the results in the API.
    let source: String
    var authorization: String?

    /// The first released texts of a question. Empty while an anonymous form withholds them. Throws `TextsBusy` if too
    /// many texts are being read.
    func first(of key: String) async throws -> Page<ReleasedText> {
        let response = try await page.send(.get, "\(source)/\(key)/answers?limit=\(Self.limit)", as: authorization)
        guard response.status == .ok else {
            if [.serviceUnavailable, .tooManyRequests].contains(response.status) {
                throw ResultsQuestions.TextsBusy()
            }
            return Page(items: [], next: nil)
        }
        return try response.decoded()
    }
}

extension QuestionResults {
    /// Whether participants see texts of this question.
    var showsTexts: Bool { kind == "text" && answered > 0 && released == true }

    /// How many people answered a choice in their own words.
    var ownAnswers: Int {
        kind == "choice" ? points?.first { $0.id == FormSheet.other }?.count ?? 0 : 0
    }
}

/// The addresses of the scripts that draw charts.
struct ChartScripts: TemplateValues, Hashable {
    var library: String
    var script: String

    /// Nil without the chart library.
    init?(_ page: PageRequest) {
        guard let library = page.kit.files.chartLibrary else { return nil }
        (self.library, script) = (library, page.kit.files.address("charts.js"))
    }
}
