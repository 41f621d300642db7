import Contract
import Domain
import Foundation
import Store
import StrictJSON

/// The inputs of the operations: the form that the other benchmarks use, and submissions to it. All values are fixed.
struct Samples {
    /// The number of submissions, 5 × 11. The two ratings have 5 and 11 values, so every pair of values occurs.
    static let count = 55
    static let time = Date(timeIntervalSince1970: 1_800_000_000)

    let form: PreparedForm
    let formID = Samples.number(0xF0)
    let keys = FormKeys(
        secret: [UInt8](repeating: 1, count: 32), salt: [UInt8](repeating: 2, count: 16))
    let bodies = (0..<Samples.count).map { Array(Samples.body($0).utf8) }
    let idempotencyKeys = (0..<Samples.count).map { "00000000-0000-4000-8000-0000000000\($0 + 10)" }
    /// The ids of the submissions with `idempotencyKeys`.
    let ids: [UUID]

    init() throws {
        form = PreparedForm(questions: try FormDefinition.readQuestions(JSONValue.parse(Self.questions)))
        ids = idempotencyKeys.map { [keys] in keys.id(idempotencyKey: $0) }
    }

    private static let questions = """
        [{"key": "pace", "kind": "rating", "title": "How was the pace?"},
         {"key": "depth", "kind": "rating", "title": "Would you come again?", "min": 0, "max": 10, "metric": "nps"},
         {"key": "topics", "kind": "choice", "title": "What helped?", "multiple": true, "other": true, "options": [
            {"id": "demo", "label": "The demo"}, {"id": "talk", "label": "The discussion"}]},
         {"key": "role", "kind": "choice", "title": "You are", "options": [{"id": "guest", "label": "a guest"}]},
         {"key": "better", "kind": "text", "title": "What should change?"}]
        """

    private static func body(_ number: Int) -> String {
        """
        {"answers":{"pace":\(number % 5 + 1),"depth":\(number % 11),"topics":["demo","talk"],"role":"guest",\
        "better":"A little more time for questions, please."}}
        """
    }

    private static func number(_ byte: UInt8) -> UUID { UUIDv8.make([UInt8](repeating: byte, count: 16)) }

    /// The parsed `answers` of the bodies.
    func answerValues() throws -> [JSONValue] {
        try bodies.map { try JSONValue.parse($0)["answers"] ?? .null }
    }

    func answers() throws -> [Answers] { try answerValues().map { try form.answers(from: $0) } }

    /// Valid submissions to one form, each with its own idempotency key.
    func offers(_ count: Int) throws -> [Offer] {
        let answers = try answers()
        return (0..<count).map { number in
            let index = number % Self.count
            // Keeps the ids distinct in a batch of more than 55.
            let key = idempotencyKeys[index] + "-\(number)"
            return Offer(
                formID: formID, id: keys.id(idempotencyKey: key), version: 1, answers: answers[index].text,
                increments: form.increments(answers[index]), keyMAC: keys.mac(idempotencyKey: key),
                bodyMAC: keys.mac(body: bodies[index]))
        }
    }

    func submissions() throws -> [Contract.Submission] {
        try zip(ids, answerValues()).map { id, value in
            let answers = (value.members ?? []).map { ($0.name, $0.value) }
            return Contract.Submission(
                id: ResourceID(id), version: 1, answers: Dictionary(answers, uniquingKeysWith: { first, _ in first }),
                submittedAt: Self.time)
        }
    }
}

extension Samples {
    /// The counts of 1,000 submissions.
    var counts: AnswerCounts {
        var counts = AnswerCounts()
        counts.add(1_000, of: form)
        for pace in 1...5 { counts.add(150 + 10 * pace, answering: "pace", .rating(pace)) }
        for depth in 0...10 { counts.add(30 + 10 * depth, answering: "depth", .rating(depth)) }
        counts.add(400, answering: "topics", .choice(["demo", "talk"], other: nil))
        counts.add(100, answering: "topics", .choice(["talk"], other: "The walk"))
        counts.add(700, answering: "role", .choice(["guest"], other: nil))
        counts.add(300, answering: "better", .text("More time"))
        return counts
    }

    /// The response with the results of the same 1,000 submissions.
    func results() -> Contract.Results {
        let counts = counts
        let questions = form.questions.map { question in
            QuestionResults(QuestionResult.make(question: question, counts: counts[question.key]))
        }
        return Contract.Results(
            meetingId: ResourceID(Self.number(0xE0)), formId: ResourceID(formID), version: 1, revision: 1_000,
            updatedAt: Self.time, submissions: 1_000, headcount: 1_200, attended: 0, responseRate: 0.833,
            responseBase: "headcount", withheld: nil, questions: questions)
    }
}

extension QuestionResults {
    /// The result as the API encodes it, without the members that only some forms have.
    fileprivate init(_ result: QuestionResult) {
        self.init(
            key: result.key, kind: result.kind.rawValue, title: result.title, answered: result.answered,
            skipped: result.skipped, versions: [1, 1], retired: false)
        guard result.kind != .text else {
            released = false
            return
        }
        labels = result.labels
        datasets = result.datasets.map { Dataset(id: $0.id, label: $0.label, data: $0.data) }
        points = result.points.map {
            Point(
                id: $0.id, label: $0.label, value: $0.value, count: $0.count, share: $0.share, low: $0.low,
                high: $0.high)
        }
        summary = result.summary.map { summary in
            Summary(
                mean: summary.mean, median: summary.median, standardDeviation: summary.standardDeviation,
                confidence95: summary.confidence95.map { [$0.low, $0.high] },
                nps: summary.nps.map {
                    NetPromoterScore(
                        score: $0.score, low: $0.interval?.low, high: $0.interval?.high, promoters: $0.promoters,
                        passives: $0.passives, detractors: $0.detractors)
                })
        }
    }
}
