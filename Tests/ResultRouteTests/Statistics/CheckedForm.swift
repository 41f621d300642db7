import Domain
import StrictJSON
import TestSupport
import Testing

/// A form that a test uses over HTTP. It records every acknowledged submission, so that the results can be recomputed.
struct CheckedForm {
    private struct Entry {
        var id: String
        var receipt: String
        var version: Int
        var answers: JSONValue
    }

    let name: String
    let service: TestService
    let meeting: TestMeeting
    private let settings: String
    private let headcount: Int?
    private let minimumGroup: Int
    private var isClosed = false
    private(set) var definition: FormDefinition
    private var versions: [(number: Int, definition: FormDefinition)]
    private var questionsByKey: [String: Question] = [:]
    private var entries: [Entry] = []
    private var respondentCount = 0
    private let isOnceOnly: Bool

    /// Publishes the form. With a headcount, it accepts one submission per device.
    init(
        _ name: String, _ definition: FormDefinition, headcount: Int? = nil, minimumGroup: Int = 1,
        anonymous: Bool = false, in service: TestService
    ) async throws {
        self.name = name
        self.service = service
        self.definition = definition
        self.headcount = headcount
        isOnceOnly = headcount != nil
        self.minimumGroup = minimumGroup
        settings = """
            "identity": "\(isOnceOnly ? "device" : "open")", "minimumGroup": \(minimumGroup), "anonymous": \(anonymous)
            """
        let questions = JSONValue.array(Question.documents(definition.questions)).text
        meeting = try await service.openMeeting(
            questions, settings: settings, members: headcount.map { "\"headcount\": \($0)" } ?? "")
        versions = [(1, definition)]
        for question in definition.questions { questionsByKey[question.key] = question }
    }

    var count: Int { entries.count }

    mutating func edit(_ random: inout SeededNumbers) async throws {
        definition = random.edited(definition, retired: questionsByKey.values.sorted { $0.key < $1.key })
        let questions = JSONValue.array(Question.documents(definition.questions)).text
        let response = try await meeting.define("{\(settings), \"questions\": \(questions)}").expect(200)
        let version = try #require(response.json?["version"]?.int)
        versions.append((version, definition))
        for question in definition.questions { questionsByKey[question.key] = question }
    }

    /// Submits random answers to a random published version.
    mutating func submit(_ random: inout SeededNumbers) async throws {
        let version = random.one(of: versions)
        try await submit(random.answers(to: version.definition), version.number)
    }

    mutating func submit(_ answers: JSONValue, _ version: Int = 1) async throws {
        respondentCount += 1
        let device = String(repeating: "d", count: 32) + "\(respondentCount)"
        let sent = try await meeting.send(
            Self.body(answers, version), respondent: isOnceOnly ? device : nil
        ).expect(201)
        entries.append(
            Entry(
                id: try sent.string("id"), receipt: try sent.string("receipt"), version: version, answers: answers))
    }

    mutating func close() async throws {
        try await meeting.perform("close").expect(200)
        isClosed = true
    }

    mutating func correct(_ random: inout SeededNumbers) async throws {
        guard let index = entries.indices.randomElement(using: &random) else { return }
        let version = random.one(of: versions)
        let answers = random.answers(to: version.definition)
        try await service.anyone.put(
            path(entries[index]), json: Self.body(answers, version.number), headers: proof(entries[index])
        ).expect(200)
        (entries[index].version, entries[index].answers) = (version.number, answers)
    }

    mutating func withdraw(_ random: inout SeededNumbers) async throws {
        guard let index = entries.indices.randomElement(using: &random) else { return }
        try await service.anyone.delete(path(entries[index]), headers: proof(entries[index])).expect(204)
        entries.remove(at: index)
    }

    private static func body(_ answers: JSONValue, _ version: Int) -> String {
        "{\"version\": \(version), \"answers\": \(answers.text)}"
    }

    private func path(_ entry: Entry) -> String { "\(meeting.submissionsPath)/\(entry.id)" }

    private func proof(_ entry: Entry) -> [String: String] { ["Authorization": "Receipt \(entry.receipt)"] }

    /// The input of `scripts/python/check_statistics.py`: definitions, raw answers, and everything that the service
    /// reports.
    func record() async throws -> JSONValue {
        let results = try await meeting.results().expect(200)
        var tables: [JSONValue.Member] = []
        for table in ["questions", "summary"] {
            let lines = try await service.host.get("\(meeting.path)/export/\(table).ndjson").expect(200)
            let rows = try lines.text.split(separator: "\n").map { try JSONValue.parse(Array($0.utf8)) }
            tables.append(.init(table, .array(rows)))
        }
        var alphas: [JSONValue] = []
        for key in Set(definition.questions.compactMap(\.grid?.key)).sorted() where minimumGroup == 1 {
            alphas.append(
                try await service.host.get("\(meeting.path)/results/alpha?grid=\(key)").expect(200).json ?? .null)
        }
        return .object(
            [
                .init("alphas", .array(alphas)), .init("name", .string(name)), .init("onceOnly", .bool(isOnceOnly)),
                .init("headcount", headcount.map { JSONValue($0) } ?? .null), .init("attended", JSONValue(0)),
                .init("minimumGroup", JSONValue(minimumGroup)), .init("closed", .bool(isClosed)),
                .init(
                    "versions",
                    .array(
                        versions.map { version in
                            .object([
                                .init("version", JSONValue(version.number)),
                                .init("questions", .array(version.definition.questions.map(\.json))),
                            ])
                        })),
                .init(
                    "submissions",
                    .array(
                        entries.map {
                            .object([.init("version", JSONValue($0.version)), .init("answers", $0.answers)])
                        })),
                .init("results", results.json ?? .null),
            ] + tables)
    }
}
