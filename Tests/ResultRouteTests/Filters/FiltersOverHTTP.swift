import Contract
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct FiltersOverHTTP {
    private static func meetingWithAnswers(_ service: TestService) async throws -> TestMeeting {
        let meeting = try await service.openMeeting(members: #""headcount": 10"#)
        for (pace, topics) in [(4, #"["demo"]"#), (4, #"["demo", {"other": "x"}]"#), (5, #"["talk"]"#), (1, "[]")] {
            try await meeting.submit("{\"pace\": \(pace), \"topics\": \(topics)}").expect(201)
        }
        return meeting
    }

    @Test func filteredResultsHaveTheShapeOfResults() async throws {
        try await TestService.run { service in
            let meeting = try await Self.meetingWithAnswers(service)
            let response = try await service.host.get("\(meeting.path)/results?where=pace:4").expect(200)
            let filtered = try response.decoded(as: FilteredResults.self)
            #expect(filtered.results.submissions == 2 && filtered.total == 4 && filtered.conditions == ["pace:4"])
            #expect(filtered.partial == nil && response.json?["partial"] == .null)
            #expect(response.json?["responseRate"] == .null && response.json?["responseBase"] == .null)
            let topics = try #require(filtered.results.questions.first { $0.key == "topics" })
            #expect(topics.datasets?.first?.data == [2, 0, 1] && topics.answered == 2 && topics.skipped == 0)
            #expect(filtered.results.questions.first?.summary?.mean == 4)
            let plain = try await meeting.results().json
            let names = Set((plain?.members ?? []).map(\.name))
            #expect(Set((response.json?.members ?? []).map(\.name)) == names.union(["where", "of", "partial"]))
        }
    }

    @Test func conditionsAreCombinedWithAnd() async throws {
        try await TestService.run { service in
            let meeting = try await Self.meetingWithAnswers(service)
            let path = "\(meeting.path)/results?where=topics:demo&where=topics%3Aother"
            let filtered = try await service.host.get(path).expect(200).decoded(as: FilteredResults.self)
            #expect(filtered.results.submissions == 1 && filtered.conditions == ["topics:demo", "topics:other"])
            let none = try await service.host.get("\(meeting.path)/results?where=pace:4&where=pace:5").expect(200)
            #expect(try none.decoded(as: FilteredResults.self).results.submissions == 0)
        }
    }

    @Test func tagChangesWithTheFilterAndTheAnswers() async throws {
        try await TestService.run { service in
            let meeting = try await Self.meetingWithAnswers(service)
            var tags: Set<String> = [try #require(try await meeting.results()["ETag"])]
            let queries = [
                "?where=pace:4", "?where=pace:5", "?where=pace:4&where=pace:5", "?where=topics:demo",
                "/crosstab?rows=pace&columns=topics", "/crosstab?rows=topics&columns=pace",
            ]
            for round in 0..<2 {
                for query in queries {
                    let path = "\(meeting.path)/results\(query)"
                    let response = try await service.host.get(path).expect(200)
                    let tag = try #require(response["ETag"])
                    #expect(tags.insert(tag).inserted, "\(query) \(round)")
                    let same = try await service.host.get(path, headers: ["If-None-Match": tag])
                    #expect(same.status == 304 && same.body.isEmpty && same["ETag"] == tag)
                    #expect(try await service.host.get(path).body == response.body)
                }
                try await meeting.submit(#"{"pace": 4, "topics": ["demo"]}"#).expect(201)
            }
            let last = try await service.host.get("\(meeting.path)/results?where=pace:4")
            #expect(try last.decoded(as: FilteredResults.self).results.submissions == 4)
        }
    }

    @Test func orderOfConditionsDoesNotMatter() async throws {
        try await TestService.run { service in
            let meeting = try await Self.meetingWithAnswers(service)
            func read(_ conditions: String...) async throws -> HTTPTestClient.Response {
                let query = conditions.map { "where=\($0)" }.joined(separator: "&")
                return try await service.host.get("\(meeting.path)/results?\(query)").expect(200)
            }
            let first = try await read("topics:demo", "pace:4", "topics:other")
            #expect(
                try first.decoded(as: FilteredResults.self).conditions == ["pace:4", "topics:demo", "topics:other"])
            for conditions in [["pace:4", "topics:demo", "topics:other"], ["topics:other", "topics:demo", "pace:4"]] {
                let again = try await read(conditions[0], conditions[1], conditions[2])
                #expect(again.body == first.body && again["ETag"] == first["ETag"])
            }
            let crossed = [("pace", "topics"), ("topics", "pace")].map { "?rows=\($0)&columns=\($1)" }
            var rowKeys: [JSONValue?] = []
            for query in crossed {
                let table = try await service.host.get("\(meeting.path)/results/crosstab\(query)").expect(200)
                rowKeys.append(table.json?["rows"]?["key"])
            }
            #expect(rowKeys == [.string("pace"), .string("topics")], "rows and columns are not interchangeable")
        }
    }

    @Test func crossTabIsReadyForCharts() async throws {
        try await TestService.run { service in
            let meeting = try await Self.meetingWithAnswers(service)
            let path = "\(meeting.path)/results/crosstab?rows=pace&columns=topics"
            let response = try await service.host.get(path).expect(200)
            let table = try response.decoded(as: CrossTab.self)
            #expect(table.submissions == 4 && table.answered == 3)
            #expect(table.rows == .init(key: "pace", kind: "rating", title: "How was the pace?", answered: 4))
            #expect(table.columns.answered == 3 && table.labels == ["1", "2", "3", "4", "5"])
            #expect(table.datasets.map(\.id) == ["demo", "talk", "other"])
            #expect(table.datasets.map(\.data) == [[0, 0, 0, 2, 0], [0, 0, 0, 0, 1], [0, 0, 0, 1, 0]])
            #expect(table.points.count == 15 && table.partial == nil && response.json?["partial"] == .null)
            let half = try #require(table.points.first { $0.row == "4" && $0.column == "other" })
            #expect(half.share == 0.5 && half.columnLabel == "Other")
        }
    }

    @Test func resultsCanBeFilteredByARetiredQuestion() async throws {
        try await TestService.run { service in
            let meeting = try await Self.meetingWithAnswers(service)
            try await meeting.define(#"{"questions": [{"key": "mood", "kind": "rating", "title": "Mood"}]}"#).expect(
                200)
            let filtered = try await service.host.get("\(meeting.path)/results?where=pace:4").expect(200)
                .decoded(as: FilteredResults.self)
            #expect(filtered.results.submissions == 2)
            let mood = try #require(filtered.results.questions.first { $0.key == "mood" })
            #expect(
                mood.answered == 0 && mood.skipped == 0, "the versions of these submissions do not have the question")
            let table = try await service.host.get("\(meeting.path)/results/crosstab?rows=mood&columns=pace").expect(
                200)
            #expect(try table.decoded(as: CrossTab.self).answered == 0)
        }
    }

    @Test func invalidFiltersAreRefusedWithACode() async throws {
        try await TestService.run { service in
            let meeting = try await Self.meetingWithAnswers(service)
            let long = String(repeating: "a", count: 10_000)
            for (query, faults) in [
                ("?where=better:x", ["?where not-filterable"]), ("?where=nothing:1", ["?where unknown-question"]),
                ("?where=pace:6", ["?where unknown-option"]), ("?where=topics:x", ["?where unknown-option"]),
                ("?where=", ["?where malformed-condition"]), ("?where", ["?where malformed-condition"]),
                ("?where=a:b:c", ["?where malformed-condition"]), ("?where=pace:%00", ["? invalid-encoding"]),
                ("?where=\(long)", ["?where malformed-condition"]), ("?where=%FF", ["? invalid-encoding"]),
                ("?where=pace:4&where=x", ["?where malformed-condition"]),
                (
                    "?" + Array(repeating: "where=pace:4", count: 6).joined(separator: "&"),
                    ["?where too-many-conditions"]
                ),
                ("?where=pace:4&q=1", ["?q unknown-parameter"]), ("?from=1", ["?from unknown-parameter"]),
                ("/crosstab", ["?rows required", "?columns required"]),
                ("/crosstab?rows=pace&columns=pace", ["?columns same-question"]),
                ("/crosstab?rows=pace&columns=better", ["?columns not-filterable"]),
                ("/crosstab?rows=x&columns=\(long)", ["?rows unknown-question", "?columns unknown-question"]),
                ("/crosstab?rows=%00&columns=pace", ["? invalid-encoding"]),
                ("/crosstab?rows=pace&rows=topics&columns=pace", ["?rows repeated-parameter"]),
                ("/crosstab?rows=pace&columns=topics&where=pace:4", ["?where unknown-parameter"]),
            ] {
                let response = try await service.host.get("\(meeting.path)/results\(query)")
                #expect(response.status == 422 && response.faults == faults, "\(query.prefix(60)): \(response.text)")
                #expect(!response.text.contains(long))
            }
            let draft = try await service.meeting()
            let empty = try await service.host.get("\(draft.path)/results?where=pace:4")
            #expect(
                empty.status == 422 && empty.faults == ["?where unknown-question"],
                "an unpublished form has no questions")
        }
    }

    /// The routes of participants, shares and event streams cannot filter, even for a host. Other hosts cannot see the
    /// meeting.
    @Test func onlyHostsCanFilter() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""showResults": "always""#)
            #expect(try await service.anyone.get("\(meeting.formPath)/results").status == 200)
            let share = try await service.host.post("\(meeting.path)/shares", json: "{}").expect(201)
            let paths = [
                "\(meeting.formPath)/results", "\(meeting.path)/results/live",
                "/v1/shares/\(try share.string("token"))/results",
            ]
            for path in paths {
                let response = try await service.host.get("\(path)?where=pace:4")
                #expect(
                    response.status == 422 && response.faults == ["?where unknown-parameter"],
                    "\(path) \(response.text)")
            }
            #expect(try await service.other.get("\(meeting.path)/results?where=x").status == 404)
            #expect(try await service.other.get("\(meeting.path)/results/crosstab").status == 404)
        }
    }
}
