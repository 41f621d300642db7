import StrictJSON
import TestSupport
import Testing

/// The pages that participants see after they have withdrawn their answers.
@Suite(.timeLimit(.minutes(5))) struct WithdrawnAnswers {
    private static let questions = #"[{"key": "a", "kind": "text", "title": "First"}]"#
    private static let onceOnlyNotice = "This form can be answered only once"

    private static func send(
        _ text: String, _ form: HTTPTestClient.Response, _ path: String, _ browser: inout PageBrowser
    ) async throws -> HTTPTestClient.Response {
        let key = form.field("key") ?? ""
        return try await browser.post(path, ["version": "1", "key": key, "t.a": text])
    }

    private static func submissions(_ meeting: TestMeeting) async throws -> Int? {
        try await meeting.results().json?["submissions"]?.int
    }

    /// The page says that the form can be answered only once, and contains no form to fill in.
    private static func expectNotOffered(_ page: HTTPTestClient.Response, _ status: Int = 200) {
        #expect(page.status == status)
        #expect(page.text.contains(onceOnlyNotice) && page.field("key") == nil, "\(page.text)")
    }

    /// A new browser and the address of the form. For a form with personal links, that is the link of a new attendee.
    private static func browser(
        _ identity: String, _ meeting: TestMeeting, _ service: TestService, name: String = "Mina"
    ) async throws -> (PageBrowser, link: String) {
        let path = "/f/\(meeting.code)"
        guard identity == "attendee" else { return (PageBrowser(service.anyone), path) }
        let person = try await service.host.post(
            "\(meeting.path)/attendees", json: #"{"name": "\#(name)", "email": "\#(name)@example.org"}"#
        ).expect(201).string("id")
        let url = try await service.host.post("\(meeting.path)/attendees/\(person)/link").string("url")
        guard let start = url.firstRange(of: path)?.lowerBound else { throw TestStore.Missing("a link") }
        return (PageBrowser(service.anyone), String(url[start...]))
    }

    @Test(arguments: ["device", "attendee"])
    func onceOnlyFormIsNotOfferedAgain(identity: String) async throws {
        try await TestService.withPages { service in
            let meeting = try await service.openMeeting(Self.questions, settings: "\"identity\": \"\(identity)\"")
            let path = "/f/\(meeting.code)"
            var (browser, link) = try await Self.browser(identity, meeting, service)
            let form = try await browser.open(link).expect(200)
            try await Self.send("one", form, path, &browser).expect(303)
            let withdrawn = try await browser.post(path + "/withdraw")
            Self.expectNotOffered(try await browser.open(withdrawn["Location"] ?? path))
            // The page of the form again, the personal link, and every other address of the form.
            for address in [path, link, path + "/sent", path + "/edit", path + "/withdrawn"] {
                Self.expectNotOffered(try await browser.open(address))
            }
            // A copy of the form from before the withdrawal.
            let refused = try await Self.send("two", form, path, &browser)
            Self.expectNotOffered(refused, 410)
            #expect(refused.text.contains("<dd>two</dd>"), "the typed answer is lost")
            #expect(try await Self.submissions(meeting) == 0)
            if identity == "attendee" {
                let (_, another) = try await Self.browser(identity, meeting, service, name: "Jun")
                let offered = try await browser.open(another).expect(200)
                try await Self.send("three", offered, path, &browser).expect(303)
                #expect(try await Self.submissions(meeting) == 1)
            }
        }
    }

    /// An API client withdraws the answers with the receipt from the browser's cookie.
    @Test func browserLearnsOfAWithdrawalByAnotherClient() async throws {
        try await TestService.withPages { service in
            let meeting = try await service.openMeeting(Self.questions, settings: #""identity": "device""#)
            let path = "/f/\(meeting.code)"
            var browser = PageBrowser(service.anyone)
            let form = try await browser.open(path).expect(200)
            try await Self.send("one", form, path, &browser).expect(303)
            let receipt = (browser.cookies["afterword-receipt"] ?? "").split(separator: ".").map(String.init)
            try await service.anyone.delete(
                "\(meeting.submissionsPath)/\(receipt[0])", headers: ["Authorization": "Receipt \(receipt[1])"]
            ).expect(204)
            for _ in 0..<2 { Self.expectNotOffered(try await browser.open(path)) }
        }
    }

    /// A second browser of the same attendee has no receipt. It learns of the withdrawal from the first refusal.
    @Test func refusedBrowserIsNotOfferedTheFormAgain() async throws {
        try await TestService.withPages { service in
            let meeting = try await service.openMeeting(Self.questions, settings: #""identity": "attendee""#)
            let path = "/f/\(meeting.code)"
            var (phone, link) = try await Self.browser("attendee", meeting, service)
            try await Self.send("one", try await phone.open(link).expect(200), path, &phone).expect(303)
            _ = try await phone.post(path + "/withdraw")
            var desk = PageBrowser(service.anyone)
            let form = try await desk.open(link).expect(200)
            let refused = try await Self.send("two", form, path, &desk)
            Self.expectNotOffered(refused, 410)
            #expect(refused.text.contains("<dd>two</dd>"))
            Self.expectNotOffered(try await desk.open(path))
        }
    }

    @Test func openFormAcceptsNewAnswersUnderANewKey() async throws {
        try await TestService.withPages { service in
            let meeting = try await service.openMeeting(Self.questions, settings: #""identity": "open""#)
            let path = "/f/\(meeting.code)"
            var browser = PageBrowser(service.anyone)
            let form = try await browser.open(path).expect(200)
            try await Self.send("one", form, path, &browser).expect(303)
            let withdrawn = try await browser.post(path + "/withdraw")
            let page = try await browser.open(withdrawn["Location"] ?? path + "/withdrawn")
            #expect(page.text.contains("href=\"\(path)\""), "the page has no link to the form")
            #expect(!page.text.contains(Self.onceOnlyNotice))
            // An old copy of the form does not restore the answers. The response shows the form with a new key, with
            // which it can be sent.
            let old = try await Self.send("two", form, path, &browser).expect(410)
            #expect(old.text.contains(">two</textarea>") && old.field("key") != form.field("key"), "\(old.text)")
            #expect(try await Self.submissions(meeting) == 0)
            try await Self.send("two", old, path, &browser).expect(303)
            #expect(try await Self.submissions(meeting) == 1)
            _ = try await browser.post(path + "/withdraw")
            let again = try await browser.open(path).expect(200)
            try await Self.send("three", again, path, &browser).expect(303)
            #expect(try await Self.submissions(meeting) == 1)
            #expect(try await browser.open(path + "/withdrawn").text.contains("Your answers have been saved"))
        }
    }
}
