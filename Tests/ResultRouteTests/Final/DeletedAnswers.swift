import Contract
import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// What the API returns about answers that were deleted at the end of their retention.
@Suite(.timeLimit(.minutes(15))) struct DeletedAnswers {
    /// A meeting whose answers were deleted, and its results before the deletion.
    private static func meeting(
        settings: String? = nil, _ service: TestService
    ) async throws -> (meeting: TestMeeting, before: JSONValue?) {
        let meeting = try await service.openMeeting(settings: settings)
        for pace in 3...5 {
            try await meeting.submit("{\"pace\": \(pace), \"topics\": [\"demo\"], \"better\": \"shorter talks\"}")
                .expect(201)
        }
        try await service.patch("/v1/series/\(meeting.seriesID)", #"{"retentionDays": 30}"#, match: "*").expect(200)
        if settings?.contains("anonymous") == true {
            try await meeting.finish()
        } else {
            try await meeting.perform("close").expect(200)
        }
        let before = try await meeting.results().expect(200).json
        try await service.sql(
            "UPDATE series SET retention_since = \(fragment: .earlier("retention_since", by: "interval '30 days'"))")
        try await service.sql(
            "UPDATE form_state SET closed_at = \(fragment: .earlier("closed_at", by: "interval '31 days'"))")
        try await service.fixture.store.sweep()
        return (meeting, before)
    }

    @Test(arguments: [nil, #""anonymous": true"#]) func resultsStayAndAnswersAreGone(settings: String?) async throws {
        try await TestService.run { service in
            let (meeting, before) = try await Self.meeting(settings: settings, service)
            let after = try await meeting.results().expect(200).json
            for member in ["submissions", "questions", "updatedAt"] { #expect(after?[member] == before?[member]) }
            let texts = "\(meeting.path)/results/better"
            for path in [
                "\(texts)/answers", "\(texts)/answers?q=talk", "\(texts)/answers?hidden=true", "\(texts)/terms",
                "\(meeting.path)/results?where=pace:4", "\(meeting.path)/results/crosstab?rows=pace&columns=topics",
                "\(meeting.path)/export/answers.csv", "\(meeting.path)/export/answers.xlsx",
            ] {
                let response = try await service.host.get(path)
                #expect(response.status == 410 && response.problem == "answers-deleted", "\(path) \(response.text)")
            }
            for kind in ["summary", "questions"] {
                let table = try await service.host.get("\(meeting.path)/export/\(kind).csv").expect(200)
                #expect(table.text.contains("3"), "\(table.text)")
            }
            #expect(try await service.host.post("\(texts)/release").status == 410)
            // An export of several meetings omits deleted answers, like all answers that cannot be read.
            let kept = try await service.openMeeting()
            try await kept.submit(#"{"pace": 1}"#).expect(201)
            let all = try await service.admin.get("/v1/admin/export/answers.csv").expect(200)
            #expect(all.text.contains(kept.id) && !all.text.contains(meeting.id))
        }
    }

    @Test func exportOfASeriesOmitsDeletedSubmissions() async throws {
        try await TestService.run { service in
            let (meeting, _) = try await Self.meeting(service)
            let alone = try await service.host.get("\(meeting.path)/export/submissions.csv")
            #expect(alone.status == 410 && alone.problem == "answers-deleted")
            let series = try await service.host.get("/v1/series/\(meeting.seriesID)/export/submissions.csv").expect(200)
            #expect(series.text.split(separator: "\n").count == 1, "only the header: \(series.text)")
        }
    }

    @Test func receiptsAndKeysOfDeletedAnswersAreRefused() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(
                settings: #""identity": "device", "showResults": "afterSubmission""#)
            let device = String(repeating: "d", count: 43)
            let answers = #"{"pace": 3, "better": "x"}"#
            let sent = try await meeting.submit(answers, key: "0123456789abcdef", respondent: device).expect(201)
            let (id, receipt) = (try sent.string("id"), try sent.string("receipt"))
            try await meeting.perform("close").expect(200)
            try await service.patch("/v1/series/\(meeting.seriesID)", #"{"retentionDays": 7}"#, match: "*").expect(200)
            try await service.sql(
                "UPDATE series SET retention_since = \(fragment: .earlier("retention_since", by: "interval '30 days'"))"
            )
            try await service.sql(
                "UPDATE form_state SET closed_at = \(fragment: .earlier("closed_at", by: "interval '31 days'"))")
            try await service.fixture.store.sweep()
            let authorization = ["Authorization": "Receipt \(receipt)"]
            let response = try await service.anyone.get("\(meeting.submissionsPath)/\(id)", headers: authorization)
            #expect(response.status == 409 && response.problem == "form-final")
            let results = try await service.anyone.get("\(meeting.formPath)/results", headers: authorization)
            #expect(results.status == 410 && results.problem == "answers-deleted")
            for key in ["0123456789abcdef", "fedcba9876543210"] {
                let again = try await meeting.submit(answers, key: key, respondent: device)
                #expect(again.status == 409 && again.problem == "form-final")
            }
            let reopened = try await meeting.perform("reopen")
            #expect(reopened.status == 409 && reopened.problem == "form-final")
            let form = try await service.anyone.get(meeting.formPath).expect(200).decoded(as: Contract.PublicForm.self)
            #expect(form.answersDeletedAt != nil && form.answersDeleteAt == nil && form.retentionDays == 7)
        }
    }
}
