import Foundation
import TestSupport
import Testing

@testable import WebPages

/// The page of thanks says what happens next.
@Suite(.timeLimit(.minutes(5))) struct PagesAfterSubmissions {
    private static let question = #"[{"key": "a", "kind": "text", "title": "First"}]"#

    /// The page after a submission to a new form with these settings.
    private func sent(
        _ settings: String, _ service: TestService, _ guest: inout PageBrowser
    ) async throws -> (page: String, meeting: TestMeeting) {
        let meeting = try await service.openMeeting(Self.question, settings: settings)
        let path = "/f/\(meeting.code)"
        let form = try await guest.get(path).expect(200)
        try await guest.post(path, ["version": "1", "key": form.field("key") ?? "", "t.a": "one"]).expect(303)
        return (try await guest.open(path).text, meeting)
    }

    @Test(arguments: [
        ("never", "The hosts see the results and may show them in the room.", false),
        ("afterSubmission", "You can now see the results in numbers", true),
        ("afterClose", "Once the form is closed, everyone with this link", false),
        ("always", "Everyone with this link can now see the results", true),
    ])
    func itSaysWhoSeesTheResultsAndWhen(setting: String, sentence: String, hasLink: Bool) async throws {
        try await TestService.withPages { service in
            var guest = PageBrowser(service.anyone)
            let (page, meeting) = try await sent(
                #""identity": "device", "showResults": "\#(setting)""#, service, &guest)
            #expect(page.contains("<h1>Thank you</h1>") && page.contains(sentence), "\(page)")
            #expect(page.contains("/results\"") == hasLink)
            try await meeting.perform("close").expect(200)
            let closed = try await guest.open("/f/\(meeting.code)").text
            let shown = setting == "afterClose" ? "Everyone with this link can now see the results" : sentence
            #expect(closed.contains(shown) && !closed.contains("This device keeps a receipt"))
        }
    }

    @Test func itSaysUntilWhenAnswersCanBeChanged() async throws {
        try await TestService.withPages { service in
            var guest = PageBrowser(service.anyone)
            let (page, meeting) = try await sent(
                #""identity": "device", "closes": "2099-03-01T09:00:00Z""#, service, &guest)
            #expect(page.contains("The form closes at the latest on") && page.contains("2099"))
            #expect(page.contains("This device keeps a receipt"))
            try await meeting.perform("close").expect(200)
            #expect(try await !guest.open("/f/\(meeting.code)").text.contains("The form closes at the latest"))
        }
    }

    @Test func pageAfterACorrectionSaysSo() async throws {
        try await TestService.withPages { service in
            var guest = PageBrowser(service.anyone)
            let (_, meeting) = try await sent(#""identity": "device""#, service, &guest)
            let path = "/f/\(meeting.code)"
            try await guest.get(path + "/edit").expect(200)
            let corrected = try await guest.post(path + "/edit", ["version": "1", "t.a": "two"]).expect(303)
            let page = try await guest.open(corrected["Location"] ?? "").text
            #expect(page.contains("<h1>Your changes are saved</h1>") && !page.contains("<h1>Thank you</h1>"))
            #expect(page.contains("as you have just sent them"))
        }
    }

    /// Nothing may promise results to participants of an anonymous form before its minimum group has answered.
    @Test func anonymousFormsNameTheirMinimumGroup() async throws {
        try await TestService.withPages { service in
            var guest = PageBrowser(service.anyone)
            let settings = #""identity": "device", "anonymous": true, "minimumGroup": 4, "showResults": "always""#
            let (page, _) = try await sent(settings, service, &guest)
            #expect(page.contains("Answers appear in groups of 4"))
            var second = PageBrowser(service.anyone)
            let (other, _) = try await sent(#""identity": "device", "showResults": "always""#, service, &second)
            #expect(!other.contains("Answers appear in groups"))
        }
    }

    @Test func browserWithoutCookiesIsThankedToo() async throws {
        try await TestService.withPages { service in
            var guest = PageBrowser(service.anyone)
            guest.keepsCookies = false
            let meeting = try await service.openMeeting(
                Self.question, settings: #""identity": "open", "showResults": "afterSubmission""#)
            let page = try await guest.get("/f/\(meeting.code)/sent?stored").expect(200).text
            #expect(page.contains("<h1>Thank you</h1>") && page.contains("in the browser that keeps their receipt"))
            #expect(!page.contains("This device keeps a receipt") && !page.contains("/results\""))
        }
    }
}
