import AfterwordClient
import Foundation
import TestSupport
import Testing

/// A study group: people scan one code on arrival, and another for their feedback.
@Suite(.timeLimit(.minutes(15))) struct QRing {
    private static let group = ["Ann", "Bea", "Cem", "Dan", "Eva", "Fay"].map {
        MemberRequest(name: $0, email: "\($0.lowercased())@example.org")
    }

    private static let questions: [QuestionBody] = [
        .rating("pace", "How was the pace?", required: true),
        .choice(
            "topics", "What helped?",
            options: [.init(id: "demo", label: "The demo"), .init(id: "exercises", label: "The exercises")],
            multiple: true, other: true),
        .text("better", "What should change?", maxLength: 200),
    ]

    private static let firstAnswers: [[String: Answer]] = [
        ["pace": 4, "topics": ["demo", "exercises"], "better": "More time"],
        ["pace": 5, "topics": ["demo"]],
        ["pace": 3, "topics": [.other("the snacks")], "better": "Smaller groups"],
        ["pace": 4, "topics": ["demo", "exercises"]],
        ["pace": 5, "topics": ["exercises"]],
        ["pace": 4, "topics": ["demo"]],
    ]

    private static let secondAnswers: [[String: Answer]] = [
        ["pace": 5, "topics": ["demo"]],
        ["pace": 5, "topics": ["exercises", .other("the tea")]],
        ["pace": 4, "better": "Nothing"],
        ["pace": 2, "topics": ["demo"]],
    ]

    @Test func studyGroupMeetsTwice() async throws {
        try await TestService.run { service in
            let host = try await service.afterword.signIn(email: "host@example.org", password: TestStore.password)
            let first = try await Self.plan(by: host)
            try await Self.arrive(at: first, by: host)
            try await Self.answer(first, by: host)
            let second = try await Self.meetAgain(after: first, by: host)
            try await Self.checkResults(first, second, by: host)
        }
    }

    /// Creates next week's meeting: its form accepts one submission per device, and the group is on its attendee list.
    private static func plan(by host: Afterword.Host) async throws -> Meeting {
        let start = Date.thisSecond + 7.days
        let meeting = try await host.createMeeting(
            MeetingRequest(
                title: "Study group", startsAt: start, endsAt: start + 1.hours, headcount: 6, lateAfterMinutes: 10,
                questions: questions))
        try await host.editForm(meeting.id) { $0.identity = "device" }
        #expect(try await host.addMembers(group, to: meeting.seriesId).added == 6)
        #expect(try await host.publish(meeting.id).state == "open")
        #expect(try await host.attendees(of: meeting.id, status: .expected).all().count == 6)
        return meeting
    }

    /// Four people arrive on time and two late.
    private static func arrive(at meeting: Meeting, by host: Afterword.Host) async throws {
        let code = meeting.checkInCode
        let early = try await refusal { _ = try await host.service.checkIn(code, name: "Ann", email: group[0].email) }
        #expect(early?.code == .checkInNotOpen)

        try await host.advance(meeting.id, to: -5)
        #expect(try await host.service.meetingForCheckIn(code).state == "open")
        for person in group.prefix(4) {
            let response = try await host.service.checkIn(code, name: person.name, email: person.email)
            #expect(response.status == "present" && response.meeting.form.code == meeting.form.code)
        }
        try await host.advance(meeting.id, to: 20)
        for person in group.suffix(2) {
            #expect(try await host.service.checkIn(code, name: person.name, email: person.email).status == "late")
        }
        let again = try await host.service.checkIn(code, name: "Ann", email: group[0].email.uppercased())
        #expect(again.status == "present", "the status of the first check-in is kept")
        #expect(
            try await host.attendees(of: meeting.id, status: .present).all().map(\.name) == [
                "Ann", "Bea", "Cem", "Dan",
            ])
        #expect(try await host.attendees(of: meeting.id, status: .late).all().map(\.name) == ["Eva", "Fay"])
    }

    /// Six devices answer concurrently, and the screen in the room shows the count.
    private static func answer(_ meeting: Meeting, by host: Afterword.Host) async throws {
        let code = meeting.form.code
        var screen = host.liveResults(of: meeting.id).makeAsyncIterator()
        let empty = try #require(try await screen.next())
        #expect(empty.submissions == 0 && empty.attended == 6)
        let phones = group.map { _ in DeviceKey() }
        try await withThrowingTaskGroup(of: Void.self) { sending in
            for (device, answers) in zip(phones, firstAnswers) {
                sending.addTask { try await host.service.submit(answers, to: code, device: device) }
            }
            try await sending.waitForAll()
        }
        var shown = [empty]
        while shown.last?.submissions != 6, let next = try await screen.next() { shown.append(next) }
        #expect(shown.map(\.submissions) == shown.map(\.submissions).sorted(), "the count never falls")
        #expect(shown.last == (try await host.results(of: meeting.id).value))

        let again = try await refusal {
            try await host.service.submit(["pace": 1], to: code, device: phones[3])
        }
        #expect(again?.code == .alreadySubmitted)
        #expect(try await host.close(meeting.id).state == "closed")
        let late = try await refusal { try await host.service.submit(["pace": 1], to: code, device: DeviceKey()) }
        #expect(late?.code == .formClosed)
    }

    /// A week later, the same people get the same questions. Fay is absent, and one of the others gives no answer.
    private static func meetAgain(after first: Meeting, by host: Afterword.Host) async throws -> Meeting {
        let start = try #require(try await host.meeting(first.id).startsAt) + 7.days
        let second = try await host.createRound(
            of: first.seriesId, RoundRequest(startsAt: start, endsAt: start + 1.hours))
        #expect(second.round == 2 && second.title == "Study group" && second.headcount == 6)
        #expect(second.lateAfterMinutes == 10 && second.form.code != first.form.code)
        let form = try await host.publish(second.id)
        #expect(form.definition.questions.map(\.key) == questions.map(\.key) && form.definition.identity == "device")

        try await host.advance(first.id, to: 7 * 24 * 60)
        try await host.advance(second.id, to: -5)
        for person in group.prefix(5) {
            _ = try await host.service.checkIn(second.checkInCode, name: person.name, email: person.email)
        }
        for answers in secondAnswers {
            try await host.service.submit(answers, to: second.form.code, device: DeviceKey())
        }
        try await host.advance(second.id, to: 61)
        let missed = try await refusal {
            _ = try await host.service.checkIn(second.checkInCode, name: "Fay", email: group[5].email)
        }
        #expect(missed?.code == .checkInOver)
        #expect(try await host.attendees(of: second.id, status: .absent).all().map(\.name) == ["Fay"])
        return second
    }

    private static func checkResults(_ first: Meeting, _ second: Meeting, by host: Afterword.Host) async throws {
        let before = try await host.results(of: first.id).value
        #expect(before.submissions == 6 && before.attended == 6 && before.responseRate == 1)
        #expect(before[question: "pace"]?.counts == [0, 0, 1, 3, 2])
        #expect(before[question: "pace"]?.summary?.mean == 25.0 / 6 && before[question: "pace"]?.summary?.median == 4)
        #expect(before[question: "topics"]?.chart.map(\.id) == ["demo", "exercises", "other"])
        #expect(before[question: "topics"]?.counts == [4, 3, 1])
        #expect(before[question: "better"]?.answered == 2 && before[question: "better"]?.skipped == 4)
        let texts = try await host.texts(of: first.id, question: "better").all().map(\.text)
        #expect(Set(texts) == ["More time", "Smaller groups"])

        let after = try await host.results(of: second.id).value
        #expect(after.submissions == 4 && after.attended == 5)
        #expect(after.responseBase == "headcount" && after.responseRate == 4.0 / 6)
        #expect(after[question: "pace"]?.counts == [0, 1, 0, 1, 2])
        #expect(after[question: "pace"]?.summary?.mean == 4 && after[question: "pace"]?.summary?.median == 4.5)
        #expect(after[question: "topics"]?.counts == [2, 1, 1])
        #expect(after[question: "topics"]?.answered == 3 && after[question: "topics"]?.skipped == 1)

        try await checkTrends(first, by: host)
        let rounds = try await host.rounds(of: first.seriesId).all()
        #expect(rounds.map(\.round) == [2, 1] && rounds.map(\.attended) == [5, 6])
        #expect(rounds.map(\.submissions) == [4, 6])
        let fay = try await host.person(email: group[5].email, in: first.seriesId)
        #expect(fay.totals == [2, 0, 1, 1, 0, 1])
        let ann = try await host.person(email: group[0].email, in: first.seriesId)
        #expect(ann.totals == [2, 2, 0, 0, 2, 2])
    }

    /// Checks the trends from one round to the other, and the pooled results of both rounds.
    private static func checkTrends(_ first: Meeting, by host: Afterword.Host) async throws {
        let pace = try await host.trend(of: first.seriesId, question: "pace")
        let means = try #require(pace[dataset: "mean"])
        let (before, after): (Double, Double) = (25.0 / 6, 4)
        #expect(pace.rounds == [1, 2] && pace.n == [6, 4])
        #expect(pace.responseRate == [1, 2.0 / 3])
        #expect(means.data == [before, after])
        #expect(means.change == [nil, after - before])
        let (low, high) = (try #require(means.changeLow[1]), try #require(means.changeHigh[1]))
        #expect(low < 0 && high > 0)
        #expect(pace.changes.isEmpty, "both rounds have the same question")
        let topics = try await host.trend(of: first.seriesId, question: "topics")
        #expect(topics[dataset: "demo"]?.data == [2.0 / 3, 2.0 / 3])
        #expect(topics[dataset: "other"]?.data == [1.0 / 6, 1.0 / 3])
        let better = try await host.trend(of: first.seriesId, question: "better")
        #expect(better[dataset: "answered"]?.data == [1.0 / 3, 1.0 / 4])

        let both = try await host.results(ofSeries: first.seriesId).value
        #expect(both.submissions == 10 && both.attended == 11)
        #expect(both.responseRate == 10.0 / 12)
        #expect(both[question: "pace"]?.counts == [0, 1, 1, 4, 4] && both[question: "topics"]?.counts == [6, 4, 2])
        let timeline = try await host.timeline(of: first.id, by: .minute)
        #expect(timeline.points.last?.total == 6)
    }
}
