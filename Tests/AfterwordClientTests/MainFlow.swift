import AfterwordClient
import Foundation
import TestSupport
import Testing

/// The main flow of a form with typed calls, from the sign-in to the results.
@Suite(.timeLimit(.minutes(15))) struct MainFlow {
    private static let questions: [QuestionBody] = [
        .rating("pace", "How was the pace?"),
        .choice(
            "topics", "What helped?",
            options: [.init(id: "demo", label: "The demo"), .init(id: "talk", label: "The talk")], multiple: true,
            other: true),
        .text("better", "What should change?", maxLength: 200),
    ]

    @Test func meetingIsCreatedAnsweredAndRead() async throws {
        try await TestService.run { service in
            let afterword = service.afterword
            let host = try await afterword.signIn(email: "host@example.org", password: TestStore.password)
            #expect(host.session?.account.name == "Hanna Host")
            #expect(try await host.currentSession().account.role == "host")

            let meeting = try await host.createMeeting(
                MeetingRequest(title: "Retro", headcount: 4, questions: Self.questions))
            let published = try await host.publish(meeting.id)
            #expect(published.state == "open" && published.version == 1)

            let form = try await afterword.form(meeting.form.code)
            #expect(form.questions.map(\.key) == ["pace", "topics", "better"])
            let receipt = try await afterword.submit(
                ["pace": 4, "topics": ["demo", .other("the snacks")], "better": "More time"], to: form.code)
            try await afterword.submit(["pace": 5, "topics": .skipped], to: form.code, version: 1)
            let mine = try await afterword.submission(receipt, of: form.code)
            #expect(mine.answers["better"]?.string == "More time")
            try await afterword.correct(receipt, of: form.code, to: ["pace": 3], matching: mine.tag)

            let results = try await host.results(of: meeting.id)
            #expect(results.submissions == 2 && results.responseBase == nil)
            #expect(results.questions.first?.summary?.mean == 4)
            #expect(try await host.refresh(results) == results)
            try await afterword.withdraw(receipt, of: form.code)
            #expect(try await host.refresh(results).submissions == 1)

            try await host.close(meeting.id)
            #expect(
                try await refusal { try await afterword.submit(["pace": 1], to: form.code) }?.code == .formClosed)
            #expect(try await host.reopen(meeting.id).state == "open")
            try await host.signOut()
            #expect(try await refusal { _ = try await host.currentSession() }?.code == .unauthorized)
        }
    }

    @Test func staleChangeOfAFormIsRefused() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let meeting = try await host.createMeeting(MeetingRequest(title: "Retro", questions: Self.questions))
            var form = try await host.form(of: meeting.id)
            form.definition.intro = "Two minutes, thank you."
            let saved = try await host.save(form)
            #expect(saved.definition.intro == "Two minutes, thank you." && saved.tag != form.tag)
            #expect(try await refusal { _ = try await host.save(form) }?.code == .preconditionFailed)
            let forced = try await host.setForm(of: meeting.id, to: FormBody(questions: []), matching: .any)
            #expect(forced.definition.questions.isEmpty)
        }
    }

    @Test func deviceAnswersOnce() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""identity": "device""#)
            let key = DeviceKey()
            try await service.afterword.submit(["pace": 4], to: meeting.code, device: key)
            let again = try await refusal {
                try await service.afterword.submit(["pace": 5], to: meeting.code, device: key)
            }
            #expect(again?.code == .alreadySubmitted)
            let nobody = try await refusal { try await service.afterword.submit(["pace": 5], to: meeting.code) }
            #expect(nobody?.code == .respondentRequired && nobody?.status == 401)
        }
    }

    @Test func problemHasEveryFaultWithItsPointer() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let problem = try await refusal {
                try await service.afterword.submit(["pace": 9, "topics": ["nothing"]], to: meeting.code)
            }
            #expect(problem?.code == .validationFailed && problem?.status == 422)
            #expect(problem?.faults(at: "/answers/pace").count == 1 && problem?.errors.count == 2)
            #expect(problem?.instance?.hasPrefix("urn:uuid:") == true)
            #expect(problem?.description.contains("/answers/pace") == true)
        }
    }

    @Test func overlapNamesTheConflictingMeetings() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let start = Date(timeIntervalSince1970: 1_795_253_400)
            let request = MeetingRequest(title: "Retro", startsAt: start, endsAt: start.addingTimeInterval(3600))
            let first = try await host.createMeeting(request)
            let problem = try await refusal { _ = try await host.createMeeting(request) }
            #expect(problem?.code == .meetingOverlap)
            #expect(problem?.extensions["conflicts"]?.array?.first?["id"]?.string == first.id.description)
        }
    }
}
