import Contract
import Foundation
import StrictJSON
import TestSupport
import Testing

/// What results say of the people in the room, over a meeting's life.
@Suite(.timeLimit(.minutes(15))) struct RoomsOverHTTP {
    private static let onceOnly = #""identity": "device""#

    private static func device(_ number: Int) -> String { String(repeating: "d", count: 40) + "\(number)" }

    private static func rate(_ meeting: TestMeeting, _ ratings: [Int], from first: Int = 0) async throws {
        for (index, rating) in ratings.enumerated() {
            try await meeting.submit("{\"pace\": \(rating)}", respondent: device(first + index)).expect(201)
        }
    }

    private static func results(_ meeting: TestMeeting, _ query: String = "") async throws -> Results {
        try await meeting.host.get("\(meeting.path)/results\(query)").expect(200).decoded(as: Results.self)
    }

    @Test func attendanceReplacesTheListAndTheHeadCount() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.onceOnly, members: #""headcount": 9"#)
            try await Self.rate(meeting, [4, 5])
            #expect(try await Self.results(meeting).room == .init(people: 9, base: "headcount", exceeded: false))
            let before = try await meeting.results()["ETag"]
            for name in ["Ann", "Bea", "Cid"] { try await meeting.add(name).expect(201) }
            #expect(try await meeting.results()["ETag"] != before)
            let listed = try await Self.results(meeting)
            #expect(listed.room == .init(people: 3, base: "list", exceeded: false))
            #expect(listed.questions[0].room?.mean?.certain == [10.0 / 3, 14.0 / 3])
            #expect(listed.questions[0].room?.first == "certain")
            // Nothing of the old contract depends on the list.
            #expect(listed.responseBase == "headcount" && listed.responseRate == 2.0 / 9)
            for name in ["Dan", "Eve"] { try await meeting.add(name, status: "present").expect(201) }
            let attended = try await Self.results(meeting)
            #expect(attended.room == .init(people: 2, base: "attended", exceeded: false))
            #expect(attended.questions[0].room?.first == "known")
            #expect(attended.questions[0].room?.mean == .init(ifAlike: nil, certain: [4.5, 4.5]))
        }
    }

    @Test func nothingIsSaidBelowTheNumberOfSubmissions() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.onceOnly, members: #""headcount": 2"#)
            try await Self.rate(meeting, [4, 5, 3])
            let results = try await Self.results(meeting)
            #expect(results.room == .init(people: 2, base: "headcount", exceeded: true))
            #expect(results.questions.allSatisfy { $0.room == nil })
            #expect(results.questions[0].summary?.mean == 4)
        }
    }

    @Test func formsThatOneMayAnswerRepeatedlyHaveNoRoom() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(members: #""headcount": 9"#)
            try await meeting.submit(#"{"pace": 5}"#).expect(201)
            let results = try await meeting.results().expect(200)
            #expect(results.json?["room"] == nil && results.json?["questions"]?[0]?["room"] == nil)
        }
    }

    @Test func textsAndFiltersHaveNoRoom() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.onceOnly, members: #""headcount": 9"#)
            try await Self.rate(meeting, [4, 4, 5])
            let results = try await Self.results(meeting)
            #expect(results.questions.map { $0.room != nil } == [true, true, false])
            #expect(results.questions[1].room?.points.map(\.certain) == Array(repeating: [0, 1], count: 3))
            let filtered = try await meeting.host.get("\(meeting.path)/results?where=pace:4").expect(200)
            #expect(filtered.json?["room"] == nil)
            #expect(filtered.json?["questions"]?.array?.allSatisfy { $0["room"] == nil } == true)
        }
    }

    /// The numbers of an anonymous form are those of the released counts, so the silent include the withheld.
    @Test func withheldAnswersAreSilent() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(
                settings: #""identity": "device", "anonymous": true, "minimumGroup": 3"#,
                members: #""headcount": 8"#)
            try await Self.rate(meeting, [5, 5, 4])
            let hidden = try await Self.results(meeting)
            #expect(hidden.room == .init(people: 8, base: "headcount", exceeded: false))
            #expect(hidden.questions.allSatisfy { $0.room == nil })
            try await Self.rate(meeting, [1, 1, 1, 1], from: 3)
            let shown = try await Self.results(meeting)
            #expect(shown.withheld?.shown == 3 && shown.submissions == 7)
            #expect(shown.questions[0].room?.silent == 5)
            #expect(shown.questions[0].room?.mean?.certain == [19.0 / 8, 39.0 / 8])
            try await meeting.perform("close").expect(200)
            #expect(try await Self.results(meeting).questions[0].room?.silent == 1)
        }
    }

    @Test func exportsAndPicturesSayTheSame() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.onceOnly, members: #""headcount": 5"#)
            try await Self.rate(meeting, [4, 5, 5, 3])
            let room = try #require(try await Self.results(meeting).questions[0].room)
            let lines = try await meeting.host.get("\(meeting.path)/export/questions.ndjson?room=true").expect(200)
            let row = try JSONValue.parse(Array(lines.text.split(separator: "\n")[0].utf8))
            #expect(row["room_people"]?.int == 5 && row["room_first"]?.string == "ifAlike")
            #expect(row["room_low"]?.double == room.mean?.ifAlike?[0])
            #expect(row["certain_high"]?.double == room.mean?.certain[1])
            let buckets = try await meeting.host.get("\(meeting.path)/export/summary.ndjson?room=true").expect(200)
            let top = try JSONValue.parse(Array(buckets.text.split(separator: "\n")[4].utf8))
            #expect(top["certain_low"]?.double == 0.4 && top["certain_high"]?.double == 0.6)
            let plain = try await meeting.host.get("\(meeting.path)/export/summary.csv").expect(200)
            #expect(!plain.text.contains("room_"))
            let picture = try await meeting.host.get("\(meeting.path)/results/pace.svg").expect(200)
            #expect(picture.text.contains("For all 5, if the rest are like those who answered"))
        }
    }

    /// Clients that know nothing of the room read what they always did.
    @Test func theRoomOnlyAddsMembers() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.onceOnly, members: #""headcount": 5"#)
            try await Self.rate(meeting, [4, 5, 5])
            let question = try #require(try await meeting.results().json?["questions"]?[0])
            let names = question.members?.map(\.name)
            #expect(names?.suffix(2) == ["groupedMedian", "room"])
            #expect(question["confidence95"]?[0]?.double.map { abs($0 - 3.2324) < 0.0001 } == true)
            let pointNames = question["points"]?[0]?.members?.map(\.name)
            #expect(pointNames == ["id", "label", "value", "count", "share", "low", "high"])
        }
    }
}
