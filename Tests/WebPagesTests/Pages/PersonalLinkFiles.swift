import StrictJSON
import TestSupport
import Testing

/// The file of all personal links, which editors open in a spreadsheet. Visitors at the door choose their names.
@Suite(.timeLimit(.minutes(5))) struct PersonalLinkFiles {
    @Test(arguments: [
        "=1+1", "\u{FF1D}HYPERLINK(A1)", "\u{2060}=HYPERLINK(A1)", "\u{AD}@SUM(1)", "\u{2066}-1+1", "'=1+1",
    ])
    func namesAreNoFormulas(_ name: String) async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host, settings: #""identity": "attendee""#)
            let person = JSONValue.object([.init("name", .string(name)), .init("email", .string("a@example.org"))])
            try await meeting.host.post("\(meeting.path)/attendees", json: person.text).expect(201)
            let path = "/meetings/\(meeting.id)/people"
            try await host.get(path).expect(200)
            let file = try await host.post(path, ["act": "links-csv"]).expect(200)
            #expect(file.text.contains("\"'\(name)\""))
        }
    }

    @Test func otherNamesAreUnchanged() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host, settings: #""identity": "attendee""#)
            let person = #"{"name": "Anna \"Ann\" O'Neil-=", "email": "a@example.org"}"#
            try await meeting.host.post("\(meeting.path)/attendees", json: person).expect(201)
            let path = "/meetings/\(meeting.id)/people"
            try await host.get(path).expect(200)
            let file = try await host.post(path, ["act": "links-csv"]).expect(200)
            #expect(file.text.contains("\"Anna \"\"Ann\"\" O'Neil-=\",\"a@example.org\""))
        }
    }
}
