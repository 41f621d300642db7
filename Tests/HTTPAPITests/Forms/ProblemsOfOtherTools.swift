import Contract
import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

/// Complaints from users of other feedback tools. Each test shows that the problem cannot occur here. The table in
/// docs/imports-exports.md also names the tests in other suites.
@Suite(.timeLimit(.minutes(15))) struct ProblemsOfOtherTools {
    private func lines(_ client: HTTPTestClient, _ path: String) async throws -> [JSONValue] {
        try await client.get(path).expect(200).text.split(separator: "\n").map { try JSONValue.parse(Array($0.utf8)) }
    }

    /// In another tool the list showed 553 submissions and the export contained 99.
    @Test func listsResultsAndExportsShowTheSameNumber() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            var sent: [(id: String, receipt: String)] = []
            for number in 1...9 {
                let response = try await meeting.submit("{\"pace\": \(number % 5 + 1), \"better\": \"b\"}").expect(201)
                sent.append((try response.string("id"), try response.string("receipt")))
            }
            let receiptHeader = { (index: Int) in ["Authorization": "Receipt \(sent[index].receipt)"] }
            let path = meeting.submissionsPath + "/"
            try await meeting.anyone.send("DELETE", path + sent[0].id, headers: receiptHeader(0)).expect(204)
            try await meeting.anyone.send(
                "PUT", path + sent[1].id, body: Array(#"{"answers": {}}"#.utf8), headers: receiptHeader(1)
            ).expect(200)
            try await service.host.delete("\(meeting.path)/submissions/\(sent[2].id)").expect(204)
            try await meeting.submit(#"{"pace": 99}"#).expect(422)

            let results = try await meeting.results().expect(200).json
            #expect(results?["submissions"] == JSONValue(7))
            let listed = try await service.host.get("/v1/meetings").expect(200).json?["items"]?[0]
            #expect(listed?["submissions"] == JSONValue(7))
            #expect(try await service.host.get(meeting.path).expect(200).json?["submissions"] == JSONValue(7))
            let export = "\(meeting.path)/export/"
            #expect(try await lines(service.host, export + "submissions.ndjson").count == 7)
            #expect(try await lines(service.host, export + "meetings.ndjson")[0]["submissions"] == JSONValue(7))
            let pace = results?["questions"]?[0]
            let question = try await lines(service.host, export + "questions.ndjson")[0]
            let buckets = try await lines(service.host, export + "summary.ndjson").filter {
                $0["question"]?.string == "pace"
            }
            let answers = try await lines(service.host, export + "answers.ndjson").filter {
                $0["question"]?.string == "pace"
            }
            #expect(pace?["answered"] == JSONValue(6) && pace?["skipped"] == JSONValue(1))
            #expect(question["answered"] == JSONValue(6) && question["skipped"] == JSONValue(1))
            #expect(buckets.compactMap { $0["count"]?.int }.reduce(0, +) == 6 && answers.count == 6)
        }
    }

    /// Files that ended in the middle of a line were mistaken for complete ones. Here the response with a complete file
    /// ends with the number of rows and the digest.
    @Test func truncatedExportLacksItsTrailers() async throws {
        try await TestService.run { service in
            let meeting = try await service.largeMeeting()
            for table in ["answers.csv", "submissions.ndjson"] {
                let path = "\(meeting.path)/export/\(table)"
                let complete = try await service.readingSlowly(path) { await $0.readToEnd() }
                #expect(complete.contains("\r\n0\r\nAfterword-Rows: \(TestService.largeRows)\r\n"))
                #expect(complete.contains("\r\nRepr-Digest: sha-256=:") && complete.hasSuffix("\r\n\r\n"))
                let cut = try await service.readingSlowly(path) { reader in
                    try await service.cutExport()
                    return await reader.readToEnd()
                }
                #expect(cut.contains("🎉") && cut.utf8.count < complete.utf8.count)
                #expect(!cut.contains("\r\n0\r\n") && !cut.contains("Afterword-Rows: "))
                #expect(!cut.contains("Repr-Digest: "))
            }
        }
    }

    /// Exported files did not contain the texts of the answer "Other".
    @Test func otherTextsAreInEveryTableOfAnswers() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(
                """
                [{"key": "one", "kind": "choice", "title": "One", "options": [{"id": "a", "label": "A"}], "other": true},
                 {"key": "many", "kind": "choice", "title": "Many", "multiple": true,
                  "options": [{"id": "a", "label": "A"}], "other": true}]
                """)
            let text = "\"quoted\",\r\n=1+1 🎉 قهوة"
            let other = JSONValue.object([.init("other", .string(text))]).text
            try await meeting.submit("{\"one\": \(other), \"many\": [\"a\", \(other)]}").expect(201)
            let wide = try await lines(service.host, "\(meeting.path)/export/submissions.ndjson")[0]
            #expect(wide["one"]?.string == "other" && wide["one.other_text"]?.string == text)
            #expect(wide["many.a"] == JSONValue(1) && wide["many.other"] == JSONValue(1))
            #expect(wide["many.other_text"]?.string == text)
            let long = try await lines(service.host, "\(meeting.path)/export/answers.ndjson")
            #expect(long.filter { $0["option_id"]?.string == "other" }.map { $0["value"]?.string } == [text, text])
            let csv = try await service.host.get("\(meeting.path)/export/submissions.csv").expect(200).text
            #expect(csv.contains("\"\"\"quoted\"\",\r\n=1+1 🎉 قهوة\""))
        }
    }

    /// Headings were internal keys, or began with the number and the section of the question.
    @Test func headingIsOnlyTheKeyOrTheTitle() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            func heading(_ query: String) async throws -> String {
                let table = try await service.host.get("\(meeting.path)/export/submissions.csv\(query)").expect(200)
                return String(table.text.prefix { $0 != "\r\n" })
            }
            #expect(
                try await heading("")
                    == #""id","submitted_at","form_version","pace","topics.demo","topics.talk","topics.other","#
                    + #""topics.other_text","better""#)
            #expect(
                try await heading("?titles")
                    == #""ID","Submitted at","Form version","How was the pace?","What helped?: The demo","#
                    + #""What helped?: The talk","What helped?: Other","What helped?: Other, in words","#
                    + #""What should change?""#)
        }
    }

    /// Of two questions with the same title, one lost its answers.
    @Test func questionsWithEqualTitlesKeepTheirAnswers() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(
                """
                [{"key": "a", "kind": "text", "title": "Same"}, {"key": "b", "kind": "text", "title": "Same"},
                 {"key": "c", "kind": "choice", "title": "Same",
                  "options": [{"id": "x", "label": "Like"}, {"id": "y", "label": "Like"}]}]
                """)
            try await meeting.submit(#"{"a": "first", "b": "second", "c": "y"}"#).expect(201)
            let table = try await service.host.get("\(meeting.path)/export/submissions.csv?titles").expect(200).text
            #expect(table.contains(#""Same","Same","Same""#) && table.contains(#""first","second","Like (y)""#))
            let points = try await meeting.results().json?["questions"]?[2]?["points"]
            #expect(points?[0]?["count"] == JSONValue(0) && points?[1]?["count"] == JSONValue(1))
        }
    }

    /// Users of survey tools without such a table have asked for one since 2016.
    @Test func summaryTableContainsEveryBucket() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            for pace in [1, 4, 4] {
                try await meeting.submit("{\"pace\": \(pace), \"topics\": [\"demo\"]}").expect(201)
            }
            let rows = try await lines(service.host, "\(meeting.path)/export/summary.ndjson")
            let pace = rows.filter { $0["question"]?.string == "pace" }
            #expect(pace.compactMap { $0["count"]?.int } == [1, 0, 0, 2, 0])
            #expect(pace.compactMap { $0["value"]?.int } == [1, 2, 3, 4, 5])
            let topics = rows.filter { $0["question"]?.string == "topics" }
            #expect(topics.compactMap { $0["label"]?.string } == ["The demo", "The talk", "Other"])
            #expect(topics.compactMap { $0["count"]?.int } == [3, 0, 0])
            #expect(rows.filter { $0["question"]?.string == "better" }.count == 1)
        }
    }

    /// Guards against formulas turned −5 into 5 or a number into a text, and headings were not guarded.
    @Test func headingsAreGuardedAndNumbersAreNot() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(
                """
                [{"key": "nps", "kind": "rating", "title": "=HYPERLINK(1)", "min": 0, "max": 10, "metric": "nps"},
                 {"key": "why", "kind": "text", "title": "-5"}]
                """)
            try await meeting.submit(#"{"nps": 0, "why": "-5"}"#).expect(201)
            let questions = try await service.host.get("\(meeting.path)/export/questions.csv").expect(200).text
            #expect(questions.contains(",-100\r\n") && questions.contains("\"'=HYPERLINK(1)\",1,0,0,"))
            let table = try await service.host.get("\(meeting.path)/export/submissions.csv?titles").expect(200).text
            #expect(table.contains("\"'=HYPERLINK(1)\",\"'-5\"\r\n") && table.hasSuffix(",0,\"'-5\"\r\n"))
            let raw = try await service.host.get("\(meeting.path)/export/submissions.csv?titles&raw").expect(200).text
            #expect(raw.contains("\"=HYPERLINK(1)\",\"-5\"\r\n") && raw.hasSuffix(",0,\"-5\"\r\n"))
        }
    }

    /// The id of a deleted row was reused, and old answers appeared under the id of new ones.
    @Test func idsOfWithdrawnAnswersAreNotReused() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let key = "a-key-of-sixteen-characters"
            let first = try await meeting.submit(#"{"better": "old"}"#, key: key).expect(201)
            let receipt = ["Authorization": "Receipt \(try first.string("receipt"))"]
            let path = "\(meeting.submissionsPath)/\(try first.string("id"))"
            try await meeting.anyone.send("DELETE", path, headers: receipt).expect(204)
            #expect(try await meeting.submit(#"{"better": "old"}"#, key: key).problem == "withdrawn")
            #expect(try await meeting.submit(#"{"better": "new"}"#, key: key).problem == "withdrawn")
            var ids: Set<String> = []
            for _ in 0..<20 {
                ids.insert(try await meeting.submit(#"{"better": "new"}"#).expect(201).string("id"))
            }
            let old = try first.string("id")
            #expect(ids.count == 20 && !ids.contains(old))
            let texts = try await lines(service.host, "\(meeting.path)/export/answers.ndjson")
            #expect(texts.count == 20 && texts.allSatisfy { $0["value"]?.string == "new" })
        }
    }

    /// After a lost reply the client could not know whether the answer was stored.
    @Test func retryAfterALostReplyGetsTheFirstOutcome() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let (key, body) = ("a-key-of-sixteen-characters", #"{"answers":{"pace":4}}"#)
            // The reply is lost, because the client closes the connection before reading it.
            try await RawConnection.open(port: meeting.anyone.port) { raw in
                try await raw.send(
                    "POST \(meeting.submissionsPath) HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                        + "Idempotency-Key: \(key)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
            let again = try await meeting.send(body, key: key)
            #expect([200, 201].contains(again.status), "\(again.text)")
            let third = try await meeting.send(body, key: key)
            let (id, same) = (try again.string("id"), try third.string("id"))
            #expect(id == same && third["Idempotency-Replayed"] == "true")
            #expect(try await meeting.results().json?["submissions"] == JSONValue(1))
        }
    }

    /// Incomplete submissions were counted and filled up a form.
    @Test func refusedSubmissionsAreNeitherCountedNorStored() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""cap": 2"#)
            for _ in 0..<5 { try await meeting.submit(#"{"pace": 6}"#).expect(422) }
            for _ in 0..<2 { try await meeting.submit(#"{"pace": 5}"#).expect(201) }
            #expect(try await meeting.submit(#"{"pace": 5}"#).problem == "form-full")
            #expect(try await meeting.results().json?["submissions"] == JSONValue(2))
            #expect(try await lines(service.host, "\(meeting.path)/export/submissions.ndjson").count == 2)
        }
    }
}
