import Contract
import Foundation

/// The living page of components: every part that pages are made of, from the templates and classes that the pages use,
/// with invented values. It is checked like any other page.
struct ComponentsPages: Sendable {
    private let rendered = RenderedPages<String>()

    var routes: [PageRoute] { [PageRoute("/docs/components", get: show)] }

    private func show(_ page: PageRequest) async throws -> PageResponse {
        try await rendered.response("/docs/components", for: page, at: "/docs/components") {
            let results = ComponentSamples.results(page)
            return ComponentsPage(
                title: page.texts("components.title"), head: ComponentSamples.head(page),
                fields: ComponentSamples.fields(page.texts).map(\.values), questions: ComponentSamples.questions(page),
                progress: page.texts("form.step", ["number": "2", "count": "5"]),
                submissions: ResultsQuestions.submissions(results, page), ring: ResponseRing(results, page),
                exceededNotice: ResponseRing.exceededNotice(results, page.texts),
                results: results.questions.map {
                    .init(key: $0.key, numbers: QuestionWriter(result: $0, texts: page.texts).numbers())
                },
                drawing: ComponentSamples.trend.drawing,
                secret: OneTimeSecret(
                    text: page.texts("shares.made"), url: "https://feedback.example.org/r/example",
                    unreachable: .init(words: page.texts("host.unreachable"), isAdmin: false)),
                charts: ChartScripts(page), copyScript: page.kit.files.address("once.js"))
        }
    }
}

/// The values of the template `components`.
struct ComponentsPage: PageModel {
    struct Result: TemplateValues {
        var key: String
        var numbers: QuestionNumbers
    }

    static let template = "components"
    static let isReference = true
    var title: String
    var head: MeetingHead
    var fields: [PageField.Values]
    var questions: [FormQuestion]
    /// The progress of a form that shows one question at a time.
    var progress: String
    var submissions: String
    var ring: ResponseRing?
    /// Says that there are more submissions than people. Nil if there are not.
    var exceededNotice: String?
    var results: [Result]
    var drawing: TrendDrawing
    var secret: OneTimeSecret
    var charts: ChartScripts?
    var copyScript: String
}

/// The invented values on the page of components.
private enum ComponentSamples {
    /// The parts of the page, which are its tabs.
    private static let parts = ["buttons", "fields", "questions", "results", "lists"]

    static func head(_ page: PageRequest) -> MeetingHead {
        MeetingHead(
            heading: page.texts("components.title"), series: page.texts("docs.title"), seriesPath: "/docs",
            round: "Afterword", stateName: "open", state: page.texts("state.open"),
            privacy: page.texts("components.lead"),
            tabs: parts.map {
                PageTab(path: "#\($0)", label: page.texts("components.\($0)"), isCurrent: $0 == parts[0])
            })
    }

    static func fields(_ texts: PageTexts) -> [PageField] {
        let templates = FormTemplate.allCases.map { ($0.rawValue, texts("template.\($0.rawValue)")) }
        return [
            PageField(name: "line", label: texts("host.meeting-title"), hint: texts("home.code-hint")),
            PageField(
                name: "faulty", label: texts("account.email"), value: "x@", faults: [texts("host.title-missing")]),
            PageField(name: "fixed", label: texts("details.place"), value: "1", fixed: texts("builder.fixed-answers")),
            PageField(name: "lines", label: texts("people.lines"), kind: .lines(3)),
            PageField(
                name: "choice", label: texts("host.template"), value: "retro",
                kind: .choice(templates.map { (value: $0.0, label: $0.1) })),
            PageField(name: "tick", label: texts("check-in.remember"), value: "on", kind: .tick),
        ]
    }

    /// The questions of a form, as participants see them.
    static func questions(_ page: PageRequest) -> [FormQuestion] {
        let form = PublicForm(
            code: "", title: "", intro: nil, identity: "open", anonymous: false, showResults: "never", state: "open",
            version: 1, opensAt: nil, closesAt: nil, questions: FormTemplate.workshop.questions(page.texts))
        let sheet = FormSheet(form)
        return form.questions.map { FormQuestion($0, sheet, page) }
    }

    static func results(_ page: PageRequest) -> Results {
        let texts = page.texts
        let pace = question(
            "r-pace", "rating", texts("template.pace"), counts: [1, 2, 6, 4, 2], labels: (1...5).map(String.init),
            summary: .init(mean: 3.27, median: 3, standardDeviation: 1.1, confidence95: [2.66, 3.88]))
        let level = question(
            "r-level", "choice", texts("template.level"), counts: [3, 10, 2],
            labels: ["easy", "right", "hard"].map { texts("template.level-\($0)") })
        let recommend = question(
            "r-recommend", "rating", texts("template.recommend"), counts: [0, 0, 0, 0, 0, 1, 1, 2, 3, 5, 3],
            labels: (0...10).map(String.init),
            summary: .init(
                mean: 8.3, median: 9, standardDeviation: 1.5, confidence95: nil,
                nps: .init(score: 40, low: 2, high: 78, promoters: 8, passives: 5, detractors: 2)))
        return Results(
            meetingId: ResourceID(UUID()), formId: ResourceID(UUID()), version: 1, revision: 1, updatedAt: Date(),
            submissions: 15, headcount: 20, attended: 0, responseRate: 0.75, responseBase: "headcount", withheld: nil,
            questions: [pace, level, recommend])
    }

    private static func question(
        _ key: String, _ kind: String, _ title: String, counts: [Int], labels: [String],
        summary: QuestionResults.Summary? = nil
    ) -> QuestionResults {
        let total = counts.reduce(0, +)
        let points = zip(labels, counts).map { label, count in
            QuestionResults.Point(
                id: label, label: label, value: Int(label), count: count, share: Double(count) / Double(total),
                low: nil, high: nil)
        }
        return QuestionResults(
            key: key, kind: kind, title: title, answered: total, skipped: 0, labels: labels, points: points,
            summary: summary)
    }

    static var trend: TrendChart {
        let data: [Double?] = [3.1, 3.6, 3.2, 4.0, 4.2]
        let none = [Double?](repeating: nil, count: data.count)
        let line = Trend.Dataset(
            id: "mean", label: "", data: data, low: data.map { $0.map { $0 - 0.4 } },
            high: data.map { $0.map { $0 + 0.4 } }, change: none, changeLow: none, changeHigh: none)
        return TrendChart(rounds: [1, 2, 3, 4, 5], lines: [line], unit: .mean, marks: [3], scale: 1...5)
    }
}
