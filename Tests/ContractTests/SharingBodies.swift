import Contract
import Foundation
import Testing

/// Bodies about shares, and about released and hidden texts.
@Suite struct SharingBodies {
    private static func roundTrip<T: Codable & Equatable>(_ text: String, as type: T.Type) throws -> T {
        let value = try ContractCoding.decoder().decode(T.self, from: Data(text.utf8))
        #expect(try ContractCoding.decoder().decode(T.self, from: Data(ContractCoding.encode(value))) == value)
        return value
    }

    @Test func shareIsDecodedWithAndWithoutItsToken() throws {
        let created = try Self.roundTrip(
            #"""
            {"id": "01020304-0506-0708-090a-0b0c0d0e0fab", "name": null, "createdAt": "2026-11-21T09:30:00Z",
             "expiresAt": "2026-12-21T09:30:00Z", "token": "t", "url": "https://example.org/r/t",
             "createdBy": {"id": "01020304-0506-0708-090a-0b0c0d0e0fac", "name": "Hanna"}}
            """#, as: Share.self)
        #expect(created.token == "t" && created.name == nil && created.createdBy.name == "Hanna")
        let listed = try Self.roundTrip(
            #"""
            {"items": [{"id": "01020304-0506-0708-090a-0b0c0d0e0fab", "name": "board",
             "createdAt": "2026-11-21T09:30:00Z", "expiresAt": "2026-12-21T09:30:00Z",
             "createdBy": {"id": "01020304-0506-0708-090a-0b0c0d0e0fac", "name": "Hanna"}}], "next": null}
            """#, as: Page<Share>.self)
        #expect(listed.items[0].token == nil && listed.items[0].url == nil)
        let text = String(decoding: try ContractCoding.encode(ShareRequest()), as: UTF8.self)
        #expect(text == "{}")
    }

    @Test func sharedMeetingIsDecoded() throws {
        let meeting = try Self.roundTrip(
            #"""
            {"title": "Retro", "series": "Retros", "round": 3, "startsAt": null, "timeZone": "UTC",
             "expiresAt": "2026-12-21T09:30:00Z"}
            """#, as: SharedMeeting.self)
        #expect(meeting.round == 3 && meeting.startsAt == nil)
    }

    @Test func releasedAndHiddenTextsAreDecoded() throws {
        let released = try Self.roundTrip(#"{"items": [{"text": "x"}], "next": "n"}"#, as: ReleasedTexts.self)
        #expect(released == Page(items: [ReleasedText(text: "x")], next: "n"))
        let question = try Self.roundTrip(
            #"{"key": "t", "kind": "text", "title": "T", "answered": 1, "skipped": 0, "released": true}"#,
            as: QuestionResults.self)
        #expect(question.released == true)
        let hidden = try Self.roundTrip(
            #"""
            {"items": [{"id": "01020304-0506-0708-090a-0b0c0d0e0fab", "text": "x", "submittedAt": null,
             "hidden": true}], "next": null}
            """#, as: TextAnswers.self)
        #expect(hidden.items[0].hidden)
    }
}
