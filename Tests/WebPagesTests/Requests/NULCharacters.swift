import TestSupport
import Testing

@testable import WebPages

/// The character NUL, which PostgreSQL does not store, in every place in which clients send text.
@Suite(.timeLimit(.minutes(5))) struct NULCharacters {
    /// The percent-encoded character, and texts that contain it after a part was removed.
    private static let encoded = ["%00", "a%00b", "%0%000", "%00%0%000"]

    @Test func queriesAndPathsOfPagesAreNeverAServerError() async throws {
        try await TestSite.run { site in
            let meeting = try await site.openForm(by: site.signedIn(), settings: #""showResults": "always""#)
            let (path, series) = ("/meetings/\(meeting.id)", "/series/\(meeting.seriesID)")
            var admin = try await site.signedIn("admin@example.org")
            for text in Self.encoded {
                let paths = [
                    "/series?q=\(text)", "/series?state=trash&cursor=\(text)", "/series?\(text)=1",
                    "\(path)/results?where=\(text)", "\(path)/crosstab?rows=\(text)&columns=\(text)",
                    "\(path)/results/better?q=\(text)&cursor=\(text)", "\(path)/results/better?tag=\(text)",
                    "\(path)/people?status=\(text)",
                    "\(series)/people?q=\(text)", "\(series)/person?email=\(text)", "/admin/accounts?q=\(text)",
                    "/admin/audit?account=\(text)", "/admin/audit?subject=\(text)&from=\(text)", "/?code=\(text)",
                    "/f/\(meeting.code)?t=\(text)", "/sign-in?next=\(text)", "/meetings/\(text)", "/series/\(text)",
                    "\(path)/results/\(text)", "\(path)/pictures/\(text)", "\(series)/trends/\(text).svg",
                    "/f/\(text)", "/c/\(text)", "/j/\(text)", "/p/\(text)", "/r/\(text)", "/s/\(text)",
                ]
                for path in paths {
                    let page = try await admin.get(path)
                    #expect(page.status < 500, "\(path): \(page.status)")
                }
            }
        }
    }

    @Test func fieldsOfPagesAreRefused() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host, settings: #""identity": "open""#)
            let forms: [(path: String, fields: [String: String])] = [
                ("/home", ["title": "a\0b"]), ("/home", ["title": "M", "zone": "\0"]),
                ("/series/\(meeting.seriesID)", ["act": "host", "email": "a\0@example.org", "role": "viewer"]),
                ("/series/\(meeting.seriesID)/people", ["act": "add", "lines": "A\0 <a@example.org>"]),
                ("/series/\(meeting.seriesID)/people", ["act": "code", "capacity": "1\0"]),
                ("/meetings/\(meeting.id)/people", ["act": "add", "name": "a\0b"]),
                ("/meetings/\(meeting.id)/shares", ["act": "make", "name": "a\0b"]),
                ("/f/\(meeting.code)", ["version": "1", "t.better": "a\0b"]),
                ("/f/\(meeting.code)", ["version": "1", "a.topics": "\0"]),
                ("/sign-in", ["email": "a\0@example.org", "password": "\0"]),
            ]
            for (path, fields) in forms {
                try await host.get(path)
                let page = try await host.post(path, fields)
                #expect((400..<500).contains(page.status), "\(path) \(fields): \(page.status)")
            }
        }
    }

    @Test func requestsOfTheAPIAreRefused() async throws {
        try await TestSite.run { site in
            let browser = try await site.signedIn()
            let host = site.client.bearing(try browser.session)
            let admin = site.client.bearing(try await site.signedIn("admin@example.org").session)
            let meeting = try await site.openForm(by: browser)
            let (path, series) = (meeting.path, "/v1/series/\(meeting.seriesID)")
            for text in Self.encoded {
                for query in [
                    "/v1/series?q=\(text)", "/v1/meetings?q=\(text)", "/v1/meetings?cursor=\(text)",
                    "/v1/admin/accounts?q=\(text)", "/v1/admin/audit?account=\(text)", "/v1/admin/audit?act=\(text)",
                    "\(series)/members?cursor=\(text)", "\(path)/results?where=\(text)",
                    "\(path)/attendees?cursor=\(text)", "\(series)/attendees?email=\(text)",
                ] {
                    let response = try await admin.get(query)
                    #expect(response.status == 422, "\(query): \(response.text)")
                }
                for path in ["/v1/series", "/v1/meetings", "/v1/forms", "/v1/check-ins", "/v1/people", "/v1/shares"] {
                    let response = try await admin.get("\(path)/\(text)")
                    #expect(response.status == 404, "\(path)/\(text): \(response.text)")
                }
            }
            for (path, json) in [
                ("/v1/meetings", #"{"title": "a\u0000b"}"#), ("/v1/meetings", #"{"title": "M", "place": "\u0000"}"#),
                ("/v1/meetings", #"{"title": "M", "timeZone": "\u0000"}"#),
                ("\(series)/members", #"{"name": "A\u0000", "email": "a@example.org"}"#),
                ("\(series)/members", #"{"name": "A", "email": "a\u0000@example.org"}"#),
                ("\(path)/attendees", #"{"name": "\u0000"}"#), ("\(path)/shares", #"{"name": "\u0000"}"#),
            ] {
                let response = try await host.post(path, json: json)
                #expect(response.status == 422, "\(path) \(json): \(response.text)")
            }
        }
    }
}
