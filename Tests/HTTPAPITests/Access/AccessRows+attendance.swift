import Foundation
import Postgres
import TestSupport

extension AccessMatrix {
    /// Check-in, attendees, people.
    static let attendanceRows: [String: AccessRow] = [
        "GET /v1/check-ins/{code}": AccessRow.all(200).preparing(checkInCode),
        "POST /v1/check-ins/{code}": AccessRow.all(201)
            .sending(#"{"name": "A", "email": "a@example.org"}"#).preparing(checkInCode),
        "GET /v1/meetings/{id}/attendees": .editors(200),
        "POST /v1/meetings/{id}/attendees": .editors(201).sending(#"{"name": "A"}"#),
        "PATCH /v1/meetings/{id}/attendees/{attendeeId}": AccessRow.editors(200)
            .sending(#"{"name": "B"}"#).preparing(attendee),
        "DELETE /v1/meetings/{id}/attendees/{attendeeId}": AccessRow.editors(204).preparing(attendee),
        "POST /v1/meetings/{id}/attendees/{attendeeId}/link": AccessRow.editors(200).preparing(personalForm),
        "GET /v1/meetings/{id}/walk-ins": .editors(200),
        "DELETE /v1/meetings/{id}/walk-ins": AccessRow.editors(200)
            .with(query: "from=2026-11-21T09:00:00Z&to=2026-11-21T10:00:00Z"),
        "POST /v1/meetings/{id}/form/invitations": AccessRow.editors(202).preparing(personalForm),
        "GET /v1/series/{id}/attendees": AccessRow.editors(200).with(query: "email=person@example.org").preparing(
            person),
        "GET /v1/people/{code}": AccessRow.all(200).preparing(person),
    ]

    private static let checkInCode: AccessRow.Preparation = { stage in
        ["/v1/check-ins/{code}": try await stage.meeting.checkInPath()]
    }

    private static let attendee: AccessRow.Preparation = { stage in
        ["{attendeeId}": try await stage.meeting.add("Somebody").expect(201).string("id")]
    }

    private static let person: AccessRow.Preparation = { stage in
        try await stage.service.sql(
            """
            INSERT INTO person (series_id, email, code)
            VALUES (\(UUID(uuidString: stage.meeting.seriesID)), 'person@example.org', 'abcdefghjkmnp') ON CONFLICT DO NOTHING
            """)
        return ["{code}": "abcdefghjkmnp"]
    }

    /// Another round of the stage's series, with a form for its attendees.
    private static let personalForm: AccessRow.Preparation = { stage in
        let meeting = try await stage.service.openMeeting(settings: #""identity": "attendee""#)
        try await stage.service.sql(
            """
            UPDATE meeting SET series_id = \(UUID(uuidString: stage.meeting.seriesID)), round =
                (SELECT 1 + max(m.round) FROM meeting m WHERE m.series_id = \(UUID(uuidString: stage.meeting.seriesID)))
            WHERE id = \(UUID(uuidString: meeting.id))
            """)
        return [
            "/meetings/{id}": "/meetings/\(meeting.id)",
            "{attendeeId}": try await meeting.add("Ann", "ann@example.org").expect(201).string("id"),
        ]
    }
}
