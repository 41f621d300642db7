import AfterwordClient
import Foundation
import HTTPAPI
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct SharingCalls {
    private static let withPublicURL = ServiceOptions(publicURL: "https://feedback.example.org")

    /// A meeting whose open form has a rating and a text. `results` says when the form shows its results.
    private func meeting(_ host: Afterword.Host, showing results: String) async throws -> Meeting {
        let meeting = try await host.createMeeting(MeetingRequest(title: "Retro"))
        let questions: [QuestionBody] = [.rating("pace", "Pace?"), .text("better", "Better?")]
        _ = try await host.setForm(
            of: meeting.id, to: FormBody(showResults: results, questions: questions), matching: .any)
        try await host.publish(meeting.id)
        return meeting
    }

    @Test func participantsSeeResultsAfterTheirOwnSubmission() async throws {
        try await TestService.run { service in
            let (host, afterword) = (try service.hostClient, service.afterword)
            let meeting = try await meeting(host, showing: "afterSubmission")
            let code = meeting.form.code
            #expect(try await refusal { _ = try await afterword.results(of: code) }?.code == .resultsNotShown)
            let receipt = try await afterword.submit(["pace": 4, "better": "More time"], to: code)
            let shown = try await afterword.results(of: code, receipt: receipt)
            #expect(shown.value == (try await host.results(of: meeting.id)).value)

            let texts = afterword.texts(of: code, question: "better", receipt: receipt)
            #expect(try await refusal { _ = try await texts.first(1) }?.code == .resultsNotShown)
            try await host.releaseTexts(of: meeting.id, question: "better")
            #expect(try await texts.first(5) == [ReleasedText(text: "More time")])
            let answer = try #require(try await host.texts(of: meeting.id, question: "better").first(1).first?.id)
            try await host.markText(answer, of: meeting.id, question: "better", starred: true, tags: ["room"])
            let marked = try await host.texts(of: meeting.id, question: "better").first(1).first
            #expect(marked?.starred == true && marked?.tags == ["room"])
            try await host.hideText(answer, of: meeting.id, question: "better")
            #expect(try await texts.first(5).isEmpty)
            let hidden = try await host.texts(of: meeting.id, question: "better", hidden: true).first(5)
            #expect(hidden.map(\.id) == [answer])
            try await host.unhideText(answer, of: meeting.id, question: "better")
            #expect(try await texts.first(5).count == 1)
            try await host.withholdTexts(of: meeting.id, question: "better")
            #expect(try await refusal { _ = try await texts.first(1) }?.code == .resultsNotShown)
        }
    }

    @Test func decisionsAreReplacedAndComeBack() async throws {
        try await TestService.run { service in
            let (host, afterword) = (try service.hostClient, service.afterword)
            let first = try await meeting(host, showing: "never")
            let read = try await host.decisions(of: first.id)
            #expect(read.value == Decisions(items: []))
            let items = [Decision(text: "Begin at nine", question: "pace", done: false, shown: true)]
            let set = try await host.setDecisions(of: first.id, to: items, matching: read.tag)
            #expect(set.value.items == items && set.tag != read.tag)
            let stale = try await refusal { _ = try await host.setDecisions(of: first.id, to: [], matching: read.tag) }
            #expect(stale?.code == .preconditionFailed)
            let second = try await host.createRound(of: first.seriesId)
            try await host.publish(second.id)
            let previous = try await host.decisions(of: second.id).value.previous
            #expect(previous?.meetingId == first.id && previous?.items == items)
            let form = try await afterword.form(second.form.code)
            #expect(form.decided == [PublicForm.Decided(text: "Begin at nine", done: false)])
            #expect(try await afterword.form(first.form.code).decided == nil)
        }
    }

    @Test func spamIsRemoved() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let meeting = try await meeting(host, showing: "never")
            let spam = try await service.afterword.submit(["pace": 1], to: meeting.form.code)
            try await service.afterword.submit(["pace": 4], to: meeting.form.code)
            try await host.deleteSubmission(spam.id, of: meeting.id)
            #expect(try await host.results(of: meeting.id).submissions == 1)
        }
    }

    @Test func shareShowsResultsUntilItIsRevoked() async throws {
        try await TestService.run(options: Self.withPublicURL) { service in
            let (host, afterword) = (try service.hostClient, service.afterword)
            let meeting = try await meeting(host, showing: "never")
            try await afterword.submit(["pace": 4, "better": "More time"], to: meeting.form.code)
            let key = IdempotencyKey()
            let request = ShareRequest(name: "For the board", expiresAt: Sample.time(inMinutes: 60))
            let share = try await host.createShare(of: meeting.id, request, key: key)
            let token = try #require(share.token)
            #expect(share.url == "https://feedback.example.org/r/\(token)" && share.expiresAt == request.expiresAt)
            #expect(try await host.createShare(of: meeting.id, request, key: key).token == nil)
            #expect(try await afterword.shared(token).title == "Retro")
            #expect(try await afterword.sharedResults(token).submissions == 1)
            try await host.releaseTexts(of: meeting.id, question: "better")
            let texts = try await afterword.sharedTexts(token, question: "better").first(5)
            #expect(texts.map(\.text) == ["More time"])

            let lasting = try await host.createShare(of: meeting.id)
            #expect(lasting.name == nil)
            #expect(try await host.shares(of: meeting.id).pageSize(1).first(5).count == 2)
            try await host.revokeShare(share.id, of: meeting.id)
            #expect(try await refusal { _ = try await afterword.shared(token) }?.code == .shareEnded)
            #expect(try await refusal { _ = try await afterword.shared("nothing") }?.code == .notFound)
        }
    }
}
