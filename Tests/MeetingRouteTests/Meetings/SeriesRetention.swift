import Contract
import Foundation
import Store
import StrictJSON
import TestSupport
import Testing

/// The retention of a series, and the dates that hosts and participants see.
@Suite(.timeLimit(.minutes(15))) struct SeriesRetention {
    @Test func ownerSetsAndRemovesTheRetention() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let path = "/v1/series/\(meeting.seriesID)"
            func series() async throws -> Contract.Series { try await service.host.get(path).expect(200).decoded() }
            let first = try await series()
            #expect(first.retentionDays == nil && first.effectiveRetentionDays == nil)
            let tag = try #require(try await service.host.get(path)["ETag"])
            let set = try await service.patch(path, #"{"retentionDays": 365}"#, match: tag).expect(200)
            #expect(try set.decoded(as: Contract.Series.self).retentionDays == 365 && set["ETag"] != tag)
            #expect(try await service.patch(path, #"{"retentionDays": 90}"#, match: tag).status == 412)
            try await service.patch(path, #"{"title": "B"}"#, match: "*").expect(200)
            #expect(try await series().retentionDays == 365, "a missing member changes nothing")
            try await service.fixture.store.apply(RetentionSettings(limitDays: 200))
            let limited = try await series()
            #expect(limited.effectiveRetentionDays == 200 && limited.retentionLimitDays == 200)
            try await service.patch(path, #"{"retentionDays": null}"#, match: "*").expect(200)
            let removed = try await series()
            #expect(removed.retentionDays == nil && removed.effectiveRetentionDays == 200)
        }
    }

    @Test(arguments: [
        ("6", 422, "out-of-range"), ("3651", 422, "out-of-range"), ("\"30\"", 400, "wrong-type"),
        ("30.5", 422, "not-an-integer"),
    ])
    func invalidRetentionIsRefused(value: String, status: Int, code: String) async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let response = try await service.patch(
                "/v1/series/\(meeting.seriesID)", "{\"retentionDays\": \(value)}", match: "*")
            #expect(response.status == status && response.faults == ["/retentionDays \(code)"], "\(response.text)")
        }
    }

    @Test func editorsMayNotChangeTheRetention() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let path = "/v1/series/\(meeting.seriesID)"
            try await service.host.post("\(path)/hosts", json: #"{"email": "other@example.org", "role": "editor"}"#)
                .expect(201)
            let refused = try await service.patch(path, #"{"retentionDays": 30}"#, match: "*", by: service.other)
            #expect(refused.status == 403)
            try await service.patch(path, #"{"title": "B"}"#, match: "*", by: service.other).expect(200)
            try await service.patch(path, #"{"retentionDays": 30}"#, match: "*", by: service.admin).expect(200)
        }
    }

    @Test func formsShowWhenTheirAnswersAreDeleted() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            func forms() async throws -> (host: Contract.Form, participant: Contract.PublicForm) {
                (
                    try await meeting.form().expect(200).decoded(),
                    try await service.anyone.get(meeting.formPath).expect(200).decoded()
                )
            }
            let none = try await forms()
            #expect(none.host.retentionDays == nil && none.participant.retentionDays == nil)
            let tag = try await meeting.form()["ETag"]
            try await service.patch("/v1/series/\(meeting.seriesID)", #"{"retentionDays": 30}"#, match: "*").expect(200)
            let open = try await forms()
            #expect(open.host.retentionDays == 30 && open.host.answersDeleteAt == nil)
            #expect(open.participant.retentionDays == 30 && open.participant.answersDeleteAt == nil)
            #expect(try await meeting.form()["ETag"] != tag, "a cached copy does not show the retention")
            let closes = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + 86_400).rounded())
            try await meeting.define(
                """
                {"closes": "\(RFC3339.format(closes))", "graceMinutes": 10, "questions": \(TestStore.questions)}
                """
            ).expect(200)
            let planned = try await forms()
            let deletion = closes.addingTimeInterval(600 + 30 * 86_400)
            #expect(planned.host.answersDeleteAt == deletion && planned.participant.answersDeleteAt == deletion)
        }
    }
}
