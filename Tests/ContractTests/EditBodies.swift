import Contract
import Foundation
import StrictJSON
import Testing

@Suite(.timeLimit(.minutes(15))) struct EditBodies {
    func text(_ value: some Encodable) throws -> String {
        String(decoding: try ContractCoding.encode(value), as: UTF8.self)
    }

    func read<T: Decodable>(_ text: String, as type: T.Type = T.self) throws -> T {
        try ContractCoding.decoder().decode(type, from: Data(text.utf8))
    }

    @Test func unchangedMembersAreOmittedAndRemovedOnesAreNull() throws {
        #expect(try text(MeetingEdit()) == "{}")
        #expect(try text(MeetingEdit(place: .remove)) == #"{"place":null}"#)
        let edit = MeetingEdit(
            title: "Retro", startsAt: .set(Date(timeIntervalSince1970: 1_795_253_400)), place: "Room 4", headcount: 0)
        #expect(
            try text(edit) == #"{"title":"Retro","startsAt":"2026-11-21T09:30:00Z","place":"Room 4","headcount":0}"#)
    }

    @Test(arguments: [
        MeetingEdit(), MeetingEdit(endsAt: .remove, headcount: .remove),
        MeetingEdit(startsAt: .set(Date(timeIntervalSince1970: 1_795_253_400)), place: "", allowOverlap: false),
    ])
    func editsDecodeToEqualValues(_ edit: MeetingEdit) throws {
        #expect(try read(text(edit)) == edit)
    }

    @Test func memberOfTheWrongTypeIsAnError() {
        #expect(throws: DecodingError.self) { try read(#"{"headcount": "many"}"#, as: MeetingEdit.self) }
    }

    @Test func nilMembersAreOmittedFromRequests() throws {
        #expect(try text(RoundRequest()) == "{}")
        #expect(try text(RoundRequest(place: .remove, image: false)) == #"{"place":null,"image":false}"#)
        #expect(
            try text(MeetingRequest(title: "Run", repeat: Repetition(every: "P1D", count: 30)))
                == #"{"title":"Run","timeZone":"UTC","repeat":{"every":"P1D","count":30}}"#)
        #expect(try text(ProfileEdit(locale: .remove, picture: .remove)) == #"{"locale":null,"picture":null}"#)
        #expect(try text(AttendeeEdit(email: .remove)) == #"{"email":null}"#)
        for body in [
            try text(JoinCodeRequest()), try text(InvitationRequest()), try text(FormInvitationRequest()),
            try text(AccountDeletionRequest()), try text(AdminAccountEdit()), try text(MemberEdit()),
            try text(SeriesEdit()),
        ] { #expect(body == "{}") }
    }

    @Test func checkInAndItsMeetingAreOneObject() throws {
        let response = #"""
            {"checkedInAt":"2026-11-21T09:30:00Z","endsAt":null,"form":{"code":"c","state":"open"},"place":"Room 4",
            "series":"S","startsAt":null,"state":"open","status":"late","timeZone":"UTC","title":"T","later":[1]}
            """#
        let checkIn = try read(response, as: CheckIn.self)
        #expect(checkIn.meeting.place == "Room 4")
        #expect(try read(text(checkIn)) == checkIn)
        #expect(try JSONValue.parse(ContractCoding.encode(checkIn))["status"]?.string == "late")
    }
}
