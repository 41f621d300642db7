import Cryptography
import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct PersonalLinkUse {
    private static let attendeeIdentity = #""identity": "attendee""#

    private static func link(_ meeting: TestMeeting, _ attendeeID: String) async throws -> HTTPTestClient.Response {
        try await meeting.host.post("\(meeting.attendeesPath)/\(attendeeID)/link")
    }

    private static func addWithLink(
        _ meeting: TestMeeting, _ name: String
    ) async throws -> (id: String, token: String) {
        let id = try await meeting.add(name, "\(name)@example.org").expect(201).string("id")
        return (id, try await link(meeting, id).expect(200).string("token"))
    }

    @Test func linkLeadsToTheFormAndDoesNotChange() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.attendeeIdentity)
            let (id, token) = try await Self.addWithLink(meeting, "ann")
            let again = try await Self.link(meeting, id).expect(200)
            #expect(try again.string("token") == token)
            #expect(try again.string("url") == "http://127.0.0.1:8080/f/\(meeting.code)?t=\(token)")
        }
    }

    @Test func concurrentAnswersOfAPersonAreOneSubmission() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.attendeeIdentity)
            let (_, ann) = try await Self.addWithLink(meeting, "ann")
            let (_, bea) = try await Self.addWithLink(meeting, "bea")
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await meeting.submit(#"{"pace": 4}"#, respondent: ann).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 201 } == 1 && statuses.count { $0 == 409 } == 19)
            try await meeting.submit(#"{"pace": 5}"#, respondent: bea).expect(201)
            let table = try await service.host.get("\(meeting.path)/export/submissions.csv").expect(200)
            for person in ["ann", "bea"] { #expect(table.text.contains("\"\(person)\",\"\(person)@example.org\"")) }
        }
    }

    @Test func replayGetsTheFirstReceipt() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.attendeeIdentity)
            let (_, token) = try await Self.addWithLink(meeting, "ann")
            let key = "0123456789abcdef"
            let first = try await meeting.submit(#"{"pace": 4}"#, key: key, respondent: token).expect(201)
            let again = try await meeting.submit(#"{"pace": 4}"#, key: key, respondent: token).expect(201)
            #expect(first.body == again.body && again["Idempotency-Replayed"] == "true")
        }
    }

    @Test func invalidTokensAreRefused() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.attendeeIdentity)
            let (id, token) = try await Self.addWithLink(meeting, "ann")
            let other = try await service.openMeeting(settings: Self.attendeeIdentity)
            let (_, foreign) = try await Self.addWithLink(other, "ann")
            let bytes = try #require(Base64URL.decode(token))
            #expect(bytes.count == 32)
            var forged = bytes.indices.map { index in
                var changed = bytes
                changed[index] ^= 1
                return Base64URL.encode(changed)
            }
            forged += [foreign, String(token.dropLast()), token + "A", String(repeating: "k", count: 43), id, "x"]
            for token in forged {
                let response = try await meeting.submit(#"{"pace": 4}"#, respondent: token)
                #expect(response.status == 401 && response.problem == "respondent-required", "\(token)")
            }
            #expect(try await meeting.submit(#"{"pace": 4}"#).problem == "respondent-required")
            #expect(try await meeting.send("nonsense", respondent: "x").status == 401)
            #expect(try await meeting.submit(#"{"pace": 4}"#, respondent: token).status == 201)
        }
    }

    @Test func peopleRemovedFromTheListAreRefused() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.attendeeIdentity)
            let (id, token) = try await Self.addWithLink(meeting, "ann")
            _ = try await Self.addWithLink(meeting, "bea")
            try await service.host.delete("\(meeting.attendeesPath)/\(id)").expect(204)
            #expect(try await meeting.submit(#"{"pace": 4}"#, respondent: token).status == 401)
            #expect(try await Self.link(meeting, id).status == 404)
            // The same address is the same person with the same link.
            let (sameID, sameToken) = try await Self.addWithLink(meeting, "ann")
            #expect(sameID == id && sameToken == token)
            try await meeting.submit(#"{"pace": 4}"#, respondent: token).expect(201)
        }
    }

    @Test func onlyFormsForAttendeesHaveLinks() async throws {
        try await TestService.run { service in
            for settings in [nil, #""identity": "device""#] {
                let meeting = try await service.openMeeting(settings: settings)
                let id = try await meeting.add("Ann").expect(201).string("id")
                #expect(try await Self.link(meeting, id).status == 422)
            }
            let meeting = try await service.openMeeting(settings: Self.attendeeIdentity)
            let other = try await service.openMeeting(settings: Self.attendeeIdentity)
            let (id, _) = try await Self.addWithLink(other, "ann")
            #expect(try await Self.link(meeting, id).status == 404)
        }
    }

    @Test func anonymousFormAcceptsOneAnswerPerPersonWithoutStoringWhoAnswered() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.attendeeIdentity + #", "anonymous": true"#)
            let (_, token) = try await Self.addWithLink(meeting, "ann")
            try await meeting.submit(#"{"pace": 4}"#, respondent: token).expect(201)
            #expect(try await meeting.submit(#"{"pace": 4}"#, respondent: token).problem == "already-submitted")
            let rows = try await service.fixture.store.pool.query(
                "SELECT count(*), count(attendee_id), count(submitted_at) FROM submission")
            let (stored, named, timed) = try #require(rows.first).decode(Int.self, Int.self, Int.self)
            #expect(stored == 1 && named == 0 && timed == 0)
        }
    }

    /// An editor can get anybody's link, so a request that stores no answer must not reveal whether that person has
    /// answered.
    @Test func refusedAnswersDoNotRevealWhoAnsweredAnAnonymousForm() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.attendeeIdentity + #", "anonymous": true"#)
            let (_, ann) = try await Self.addWithLink(meeting, "ann")
            let (_, bea) = try await Self.addWithLink(meeting, "bea")
            let key = "0123456789abcdef"
            let first = try await meeting.submit(#"{"pace": 4}"#, key: key, respondent: ann).expect(201)
            for other in [nil, "fedcba9876543210"] {
                for respondent in [ann, bea] {
                    let invalid = try await meeting.submit(#"{"pace": 9}"#, key: other, respondent: respondent)
                    #expect(invalid.status == 422, "\(invalid.text)")
                }
            }
            // A client that also has the idempotency key is the author, so a repeated request is recognized even if its
            // body is invalid.
            let changed = try await meeting.submit(#"{"pace": 9}"#, key: key, respondent: ann)
            #expect(changed.status == 409 && changed.problem == "idempotency-conflict", "\(changed.text)")
            try await meeting.perform("close").expect(200)
            for respondent in [ann, bea] {
                let late = try await meeting.submit(#"{"pace": 4}"#, respondent: respondent)
                #expect(late.status == 409 && late.problem == "form-closed", "\(late.text)")
            }
            let again = try await meeting.submit(#"{"pace": 4}"#, key: key, respondent: ann).expect(201)
            #expect(again.body == first.body)
        }
    }

    @Test func outdatedVersionsDoNotRevealWhoAnsweredAnAnonymousForm() async throws {
        try await TestService.run { service in
            let settings = Self.attendeeIdentity + #", "anonymous": true"#
            let meeting = try await service.openMeeting(settings: settings)
            let questions = TestStore.questions.replacing(#""multiple": true, "maxSelections": 2,"#, with: "")
            try await meeting.define("{\(settings), \"questions\": \(questions)}").expect(200)
            let (_, ann) = try await Self.addWithLink(meeting, "ann")
            let (_, bea) = try await Self.addWithLink(meeting, "bea")
            try await meeting.submit(#"{"topics": "demo"}"#, respondent: ann).expect(201)
            for isOpen in [true, false] {
                if !isOpen { try await meeting.perform("close").expect(200) }
                let body = #"{"version": 1, "answers": {"topics": ["demo"]}}"#
                let ofAnn = try await meeting.send(body, respondent: ann)
                let ofBea = try await meeting.send(body, respondent: bea)
                #expect(ofAnn.status == ofBea.status && ofAnn.problem == ofBea.problem, "\(ofAnn.text) \(ofBea.text)")
                #expect(ofAnn.status >= 400 && ofAnn.problem != "already-submitted")
            }
        }
    }

    @Test func formThatIsNotAnonymousReportsAnExistingAnswer() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.attendeeIdentity)
            let (_, token) = try await Self.addWithLink(meeting, "ann")
            try await meeting.submit(#"{"pace": 4}"#, respondent: token).expect(201)
            #expect(try await meeting.submit(#"{"pace": 9}"#, respondent: token).problem == "already-submitted")
        }
    }
}
