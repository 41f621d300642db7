import Contract
import Foundation
import StrictJSON
import Testing

@Suite struct WireFormat {
    let id = ResourceID(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0xAB)))
    let time = Date(timeIntervalSince1970: 1_795_253_400)

    func text(_ value: some Encodable) throws -> String {
        String(decoding: try ContractCoding.encode(value), as: UTF8.self)
    }

    func roundTrip<T: Codable & Equatable>(_ value: T) throws -> Bool {
        try ContractCoding.decoder().decode(T.self, from: Data(ContractCoding.encode(value))) == value
    }

    @Test func idsAreLowerCaseAndTimesRFC3339() throws {
        let receipt = SubmissionReceipt(id: id, receipt: "a/b", submittedAt: time)
        #expect(
            try text(receipt)
                == #"{"id":"01020304-0506-0708-090a-0b0c0d0e0fab","receipt":"a/b","submittedAt":"2026-11-21T09:30:00Z"}"#
        )
        #expect(try roundTrip(receipt))
        #expect(ResourceID("01020304-0506-0708-090A-0B0C0D0E0FAB") == id)
        #expect(ResourceID("x") == nil)
    }

    @Test func lastPageIsEncodedWithANullCursor() throws {
        #expect(try text(Page<String>(items: [])) == #"{"items":[],"next":null}"#)
        let page = try ContractCoding.decoder().decode(Page<String>.self, from: Data(#"{"items":["a"]}"#.utf8))
        #expect(page == Page(items: ["a"]))
    }

    @Test func nilMembersOfAMeetingAreEncodedAsNull() throws {
        let meeting = Meeting(
            id: id, seriesId: id, series: "Retro", round: 1, title: "Retro", startsAt: nil, endsAt: nil,
            timeZone: "Asia/Seoul",
            place: nil, headcount: nil, lateAfterMinutes: 10, allowOverlap: false, state: nil, checkInCode: "b8m4x",
            attended: 0,
            submissions: 0, form: .init(id: id, code: "c", state: "draft", version: 0))
        let json = try JSONValue.parse(ContractCoding.encode(meeting))
        for name in ["startsAt", "endsAt", "place", "headcount", "state"] { #expect(json[name] == .null) }
        #expect(try roundTrip(meeting))
    }

    @Test func formAndItsDefinitionAreOneObject() throws {
        let form = Form(
            id: id, meetingId: id, code: "code", joinCode: "g46najcf", state: "open", finalising: false,
            version: 2, opensAt: nil, closesAt: time,
            definition: FormBody(
                title: "T", closes: .offset(from: "end", minutes: 2880),
                questions: [.rating("pace", "Pace", min: 1, max: 5), .text("why", "Why", maxLength: 200)]))
        let json = try JSONValue.parse(ContractCoding.encode(form))
        #expect(json["title"]?.string == "T")
        #expect(json["joinCode"]?.string == "g46najcf")
        #expect(json["opens"] == .null)
        #expect(json["closes"]?["minutes"]?.int == 2880)
        #expect(json["definition"] == nil)
        #expect(json["questions"]?[1]?.text == #"{"key":"why","kind":"text","title":"Why","maxLength":200}"#)
        #expect(try roundTrip(form))
    }

    @Test func formExampleOfTheContractIsDecoded() throws {
        let text = #"""
            { "title": "After the retro", "intro": "Two minutes, thank you.",
              "identity": "open", "anonymous": false, "minimumGroup": 1, "showResults": "never", "cap": null,
              "opens": "2026-11-21T09:30:00Z", "closes": {"from": "end", "minutes": 2880}, "graceMinutes": 5,
              "autoPublish": false, "questions": [
                { "key": "topics", "kind": "choice", "title": "What helped?", "multiple": true, "maxSelections": 3,
                  "options": [ { "id": "demo", "label": "The demo" } ], "other": true } ] }
            """#
        let body = try ContractCoding.decoder().decode(FormBody.self, from: Data(text.utf8))
        #expect(body.opens == .instant(time))
        #expect(
            body.questions == [
                .choice(
                    "topics", "What helped?", options: [.init(id: "demo", label: "The demo")], multiple: true,
                    maxSelections: 3, other: true)
            ])
        #expect(try roundTrip(body))
    }

    @Test func resultsExampleOfTheContractIsDecoded() throws {
        let text = #"""
            { "meetingId": "01020304-0506-0708-090a-0b0c0d0e0fab", "formId": "01020304-0506-0708-090a-0b0c0d0e0fab",
              "version": 2, "revision": 1042, "updatedAt": "2026-11-21T09:30:00Z", "submissions": 37, "headcount": 42,
              "attended": 40, "responseRate": 0.881, "responseBase": "headcount", "changes": [], "changesCut": false,
              "withheld": {"reason": "minimum-group", "minimum": 3, "shown": 6}, "questions": [
                { "key": "pace", "kind": "rating", "title": "P", "answered": 36, "skipped": 1, "labels": ["1"],
                  "datasets": [ { "id": "answers", "label": "Answers", "data": [0] } ],
                  "points": [ { "id": "1", "label": "1", "value": 1, "count": 0, "share": 0, "low": 0, "high": 0.096 } ],
                  "mean": 3.75, "median": 4, "standardDeviation": 0.81, "confidence95": [3.48, 4.02] },
                { "key": "better", "kind": "text", "title": "B", "answered": 12, "skipped": 25 } ] }
            """#
        let results = try ContractCoding.decoder().decode(Results.self, from: Data(text.utf8))
        #expect(results.questions[0].summary?.confidence95 == [3.48, 4.02])
        #expect(results.questions[1].summary == nil)
        #expect(results.withheld?.shown == 6)
        #expect(try roundTrip(results))
        let json = try JSONValue.parse(ContractCoding.encode(results))
        #expect(json["questions"]?[1]?["mean"] == nil)
        #expect(json["questions"]?[0]?["median"]?.int == 4)
    }

    @Test func otherBodiesRoundTrip() throws {
        let account = AccountBody(id: id, email: "a@b", name: "Ada", role: "host")
        #expect(try roundTrip(SessionRequest(email: "a@b", password: "p")))
        #expect(try roundTrip(Session(token: "t", expiresAt: time, account: account)))
        #expect(try roundTrip(CurrentSession(expiresAt: time, account: account)))
        #expect(try roundTrip(MeetingRequest(title: "T", startsAt: time, endsAt: time, questions: [.text("a", "A")])))
        #expect(
            try roundTrip(
                PublicForm(
                    code: "c", title: "T", intro: nil, identity: "open", anonymous: true, minimumGroup: 4,
                    showResults: "never",
                    state: "open", version: 1, opensAt: nil, closesAt: time, questions: [])))
        #expect(try roundTrip(SubmissionRequest(answers: ["a": .array([.string("x"), JSONValue(3)])])))
        #expect(try roundTrip(Submission(id: id, version: 1, answers: ["a": JSONValue(2)], submittedAt: time)))
        #expect(try roundTrip(TextAnswers(items: [.init(id: id, text: "x", submittedAt: time)], next: "n")))
        let promoters = QuestionResults.NetPromoterScore(
            score: 30, low: nil, high: nil, promoters: 1, passives: 0, detractors: 0)
        #expect(
            try roundTrip(
                QuestionResults(
                    key: "n", kind: "rating", title: "N", answered: 1, skipped: 0,
                    summary: .init(mean: 10, median: 10, standardDeviation: nil, confidence95: nil, nps: promoters))))
    }

    @Test func resultsOverRoundsRoundTrip() throws {
        let dataset = Trend.Dataset(
            id: "mean", label: "Mean", data: [3, nil], low: [nil, nil], high: [nil, nil], change: [nil, nil],
            changeLow: [nil, nil], changeHigh: [nil, nil])
        let trend = Trend(
            seriesId: id, key: "pace", kind: "rating", title: "Pace", labels: ["#1 5 Nov", "#2"], rounds: [1, 2],
            meetingIds: [id, id], startsAt: [time, nil], n: [2, nil], responseRate: [0.5, nil], datasets: [dataset],
            changes: [.init(round: 2, version: 1, change: "retired", from: "Pace", to: nil)], leftOut: [])
        #expect(try roundTrip(trend))
        let json = try JSONValue.parse(ContractCoding.encode(trend))
        #expect(json["n"]?.text == "[2,null]" && json["changes"]?[0]?["option"] == .null)

        let question = SeriesResults.Question(
            results: QuestionResults(key: "t", kind: "text", title: "T", answered: 1, skipped: 0), rounds: 2,
            leftOut: [1])
        let pooled = SeriesResults(
            seriesId: id, from: nil, to: time, rounds: [1, 2], submissions: 3, headcount: nil, attended: 0,
            responseRate: nil, responseBase: nil,
            withheld: .init(reason: "minimum-group", minimum: 3, shown: 0, rounds: [1]), questions: [question],
            changes: [.init(key: "t", round: 2, version: 1, change: "reworded", from: "Q", to: "T")], changesCut: true)
        #expect(try roundTrip(pooled))
        let flat = try JSONValue.parse(ContractCoding.encode(pooled))["questions"]?[0]
        #expect(flat?["key"]?.string == "t" && flat?["leftOut"]?.text == "[1]" && flat?["results"] == nil)

        let group = RankedGroup(
            rank: 1, seriesId: id, series: "S", title: "S", n: 1, mean: 5, shrunk: 4.5, low: nil, high: nil)
        let ranking = Ranking(
            key: "pace", by: "series", scale: .init(min: 1, max: 5),
            prior: .init(mean: 4, weight: 1, method: "mean-group-size", within: nil, between: nil), leftOut: 0,
            items: [group], next: nil)
        #expect(try roundTrip(ranking))
        #expect(try text(group).contains("\"low\":null") && !(try text(group).contains("meetingId")))
        #expect(
            try roundTrip(
                Timeline(
                    meetingId: id, formId: id, bucket: "hour", timeZone: "UTC", labels: ["5 Nov 09:00"],
                    startsAt: [time], datasets: [.init(id: "submissions", label: "Submissions", data: [1])],
                    points: [.init(at: time, count: 1, total: 1)])))
    }

    @Test func problemCodeIsTheEndOfItsType() throws {
        let problem = ProblemBody(
            type: "/problems/form-closed", title: "The form is closed", status: 409,
            errors: [.init(pointer: "/a", code: "x", detail: "X.")])
        #expect(problem.code == "form-closed")
        #expect(try roundTrip(problem))
    }

    @Test(arguments: [#""2026-02-30T00:00:00Z""#, "5", #""now""#])
    func invalidTimesAreRefused(_ text: String) {
        #expect(throws: DecodingError.self) {
            try ContractCoding.decoder().decode([Date].self, from: Data("[\(text)]".utf8))
        }
    }
}
