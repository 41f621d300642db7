import Foundation
import Postgres
import Store
import TestSupport
import Testing

@testable import WebPages

/// Pages show hosts and participants when answers and the trash are deleted.
@Suite(.timeLimit(.minutes(5))) struct RetentionOnPages {
    private static func host(_ service: TestService) async throws -> PageBrowser {
        var browser = PageBrowser(service.anyone)
        browser.cookies["afterword-session"] = try await TestService.token(
            of: service.fixture.host, in: service.fixture.store)
        return browser
    }

    @Test func ownerChoosesTheRetentionAndParticipantsSeeIt() async throws {
        try await TestService.withPages { service in
            let meeting = try await service.openMeeting()
            var host = try await Self.host(service)
            let path = "/series/\(meeting.seriesID)/settings"
            let before = try await host.get(path).expect(200)
            #expect(before.text.contains("Delete answers after the form closes"))
            #expect(!before.text.contains("Answers are deleted"))
            let tag = (before.field("tag") ?? "").replacing("&quot;", with: "\"")
            try await host.post(path, ["act": "retention", "tag": tag, "retentionDays": "90"]).expect(303)
            let sentence = "Answers are deleted 90 days after the form closes. The counts stay."
            #expect(try await host.get(path).text.contains(sentence))
            #expect(try await host.get("/meetings/\(meeting.id)").text.contains(sentence))
            var guest = PageBrowser(service.anyone)
            let form = try await guest.get("/f/\(meeting.code)").expect(200)
            #expect(
                form.count("Your answers are deleted 90 days after the form closes, and only the counts stay.") == 1)
            let korean = try await guest.get("/f/\(meeting.code)", language: "ko").expect(200)
            #expect(korean.count("답은 설문이 마감되고 90일 뒤에 삭제되며, 집계된 숫자만 남습니다.") == 1)
            let current = (try await host.get(path).field("tag") ?? "").replacing("&quot;", with: "\"")
            try await host.post(path, ["act": "retention", "tag": current, "retentionDays": ""]).expect(303)
            #expect(try await !host.get(path).text.contains("Answers are deleted"))
            // The form has accepted answers under the shorter retention, so it keeps that retention.
            #expect(try await guest.get("/f/\(meeting.code)").text.contains("Your answers are deleted 90 days"))
        }
    }

    @Test func editorsSeeTheRetentionButCannotChooseIt() async throws {
        try await TestService.withPages { service in
            let meeting = try await service.meeting()
            let path = "/series/\(meeting.seriesID)"
            let store = service.fixture.store
            let account = try await TestStore.account("ed@example.org", "Ed Editor", .host, in: store)
            try await service.host.post("/v1\(path)/hosts", json: #"{"email": "ed@example.org", "role": "editor"}"#)
                .expect(201)
            try await service.patch("/v1\(path)", #"{"retentionDays": 30}"#, match: "*").expect(200)
            var editor = PageBrowser(service.anyone)
            editor.cookies["afterword-session"] = try await TestService.token(of: account, in: store)
            let page = try await editor.get(path + "/settings").expect(200)
            #expect(page.text.contains("Answers are deleted 30 days after the form closes."))
            #expect(!page.text.contains("value=\"retention\""))
        }
    }

    @Test func pagesOfDeletedAnswersShowTheCounts() async throws {
        try await TestService.withPages { service in
            let meeting = try await service.openMeeting()
            for pace in 3...5 { try await meeting.submit("{\"pace\": \(pace), \"better\": \"shorter\"}").expect(201) }
            try await meeting.perform("close").expect(200)
            var host = try await Self.host(service)
            let path = "/meetings/\(meeting.id)"
            #expect(try await host.get(path + "/results").text.contains("shorter"))
            try await service.patch("/v1/series/\(meeting.seriesID)", #"{"retentionDays": 30}"#, match: "*").expect(200)
            #expect(try await host.get(path).text.contains("The answers are deleted on "))
            try await service.sql(
                "UPDATE series SET retention_since = \(fragment: .earlier("retention_since", by: "interval '30 days'"))"
            )
            try await service.sql(
                "UPDATE form_state SET closed_at = \(fragment: .earlier("closed_at", by: "interval '31 days'"))")
            try await service.fixture.store.sweep()
            let results = try await host.get(path + "/results").expect(200)
            #expect(results.text.contains("The answers were deleted on ") && !results.text.contains("shorter"))
            #expect(results.text.contains("3 answers") && !results.text.contains("/crosstab"))
            #expect(!results.text.contains("export/answers") && results.text.contains("export/summary"))
            for subpage in ["/results/better", "/report"] { try await host.get(path + subpage).expect(200) }
            #expect(try await host.get(path + "/results/better").text.contains("The answers were deleted on "))
            #expect(try await host.get(path + "/results?where=pace:4").status == 410)
            #expect(try await host.get(path + "/crosstab?rows=pace&columns=topics").status == 410)
            var guest = PageBrowser(service.anyone)
            #expect(try await guest.get("/f/\(meeting.code)").text.contains("The answers were deleted on "))
        }
    }

    @Test func documentationQuotesTheRetentionSentence() throws {
        let texts = try PageTexts(.english, from: Repository.url("Sources/WebPages/Resources"))
        let page = try String(contentsOf: Repository.url("docs/privacy.md"), encoding: .utf8)
        #expect(page.contains("> " + texts("retention.participant-days", ["count": "365"])))
    }

    @Test func trashShowsWhenItsContentsAreDeleted() async throws {
        try await TestService.withPages { service in
            try await service.fixture.store.apply(RetentionSettings(trashDays: 5))
            let (meeting, series) = (try await service.meeting(), try await service.meeting())
            try await service.host.delete(meeting.path).expect(204)
            try await service.host.delete("/v1/series/\(series.seriesID)").expect(204)
            try await service.sql("UPDATE meeting SET purges_at = '2031-05-06T12:00:00Z' WHERE purges_at IS NOT NULL")
            try await service.sql("UPDATE series SET purges_at = '2031-05-06T12:00:00Z' WHERE purges_at IS NOT NULL")
            var host = try await Self.host(service)
            for path in ["/trash", "/series?state=trash"] {
                let page = try await host.get(path).expect(200)
                #expect(page.text.contains("deleted permanently on 6 May 2031"), "\(page.text)")
                #expect(try await host.get(path, language: "ko").text.contains("완전히 삭제되는 때: 2031년 5월 6일"))
            }
        }
    }
}
