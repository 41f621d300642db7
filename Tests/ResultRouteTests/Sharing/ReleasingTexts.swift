import Contract
import Foundation
import StrictJSON
import TestSupport
import Testing

/// Texts that a host releases to participants and holders of a share.
@Suite(.timeLimit(.minutes(15))) struct ReleasingTexts {
    private static let twoTexts = """
        [{"key": "better", "kind": "text", "title": "Better?"}, {"key": "more", "kind": "text", "title": "More?"}]
        """

    private static func released(_ meeting: TestMeeting) async throws -> [Bool?] {
        try await meeting.results().expect(200).decoded(as: Results.self).questions.map(\.released)
    }

    @Test func onlyReleasedTextsAreShown() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.twoTexts, settings: #""showResults": "always""#)
            let share = try await meeting.sharePath()
            try await meeting.submit(#"{"better": "first", "more": "second"}"#).expect(201)
            let paths = [meeting.formPath, share]
            for path in paths {
                let refused = try await service.anyone.get("\(path)/results/better/answers")
                #expect(refused.status == 403 && refused.problem == "results-not-shown")
                #expect(!refused.text.contains("first"))
            }
            let before = try #require(try await meeting.results()["ETag"])
            for _ in 1...2 { #expect(try await meeting.moderate("release").status == 204) }
            #expect(try await Self.released(meeting) == [true, false])
            #expect(try await meeting.results()["ETag"] != before, "viewers are notified")
            for path in paths {
                let response = try await service.anyone.get("\(path)/results/better/answers").expect(200)
                let expected = #"{"items":[{"text":"first"}],"next":null,"partial":false}"#
                #expect(response.text == expected, "the response contains neither authors nor times")
                #expect(try await service.anyone.get("\(path)/results/more/answers").status == 403)
                let results = try await service.anyone.get("\(path)/results").expect(200)
                #expect(!results.text.contains("first"))
            }
            // In a new version of the form, the texts are still released.
            try await meeting.show("always", settings: #", "title": "Another""#, Self.twoTexts)
            #expect(try await Self.released(meeting) == [true, false])
            for _ in 1...2 { #expect(try await meeting.moderate("withhold").status == 204) }
            #expect(try await Self.released(meeting) == [false, false])
            for path in paths {
                #expect(try await service.anyone.get("\(path)/results/better/answers").status == 403)
            }
            let entries = try await service.admin.get("/v1/admin/audit?subject=\(meeting.id)").expect(200)
            let names = (entries.json?["items"]?.array ?? []).compactMap { $0["act"]?.string }
            #expect(names == ["answers.withhold", "answers.release", "meeting.create"], "each action is audited once")
        }
    }

    @Test func questionsWithoutTextsCannotBeReleased() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""showResults": "always""#)
            for key in ["pace", "topics", "nothing", "Bad%20key", "%00"] {
                for verb in ["release", "withhold"] {
                    #expect(try await meeting.moderate(verb, key).status == 404, "\(verb) \(key)")
                }
                #expect(try await meeting.participant("/results/\(key)/answers").status == 404, "\(key)")
            }
            #expect(try await service.other.post("\(meeting.path)/results/better/release").status == 404)
        }
    }

    @Test func textsOfAnAnonymousFormAreWithheldUntilTheClose() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""anonymous": true, "showResults": "always""#)
            for number in 1...3 { try await meeting.submit("{\"better\": \"text \(number)\"}").expect(201) }
            let early = try await meeting.moderate("release")
            #expect(early.status == 409 && early.problem == "results-withheld")
            try await meeting.perform("close").expect(200)
            #expect(try await meeting.participant("/results/better/answers").status == 403)
            #expect(try await meeting.moderate("release").status == 204)
            let texts: ReleasedTextPage = try await meeting.participant("/results/better/answers").decoded()
            #expect(Set(texts.items.map(\.text)) == ["text 1", "text 2", "text 3"])
            // After reopening, the texts are withheld again for everybody, and the release can be withdrawn.
            try await meeting.perform("reopen").expect(200)
            #expect(try await meeting.participant("/results/better/answers").problem == "results-withheld")
            #expect(try await meeting.moderate("withhold").status == 204)
            #expect(try await meeting.participant("/results/better/answers").status == 403)
        }
    }

    @Test func participantsReadPagesInAnOrderThatRevealsNothing() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""showResults": "always""#)
            let sent = (1...12).map { "Größe \($0)" }
            for text in sent { try await meeting.submit("{\"better\": \"\(text)\"}").expect(201) }
            #expect(try await meeting.moderate("release").status == 204)
            var seen: [String] = []
            var cursor: String?
            repeat {
                let more = cursor.map { "&cursor=\($0)" } ?? ""
                let page: ReleasedTextPage = try await meeting.participant("/results/better/answers?limit=5\(more)")
                    .expect(200).decoded()
                seen += page.items.map(\.text)
                cursor = page.next
            } while cursor != nil
            #expect(seen.count == 12 && Set(seen) == Set(sent))
            // Only two of the 479,001,600 possible orders would fail the test.
            #expect(seen != sent && seen != sent.reversed())
            let found: ReleasedTextPage = try await meeting.participant(
                "/results/better/answers?q=gr%C3%B6%C3%9Fe%2012"
            )
            .decoded()
            #expect(found.items.map(\.text) == ["Größe 12"])
            for query in ["limit=0", "limit=x", "cursor=x", "hidden=true", "q=\(String(repeating: "a", count: 201))"] {
                #expect(try await meeting.participant("/results/better/answers?\(query)").status == 422, "\(query)")
            }
        }
    }

    private typealias ReleasedTextPage = Contract.ReleasedTexts
}
