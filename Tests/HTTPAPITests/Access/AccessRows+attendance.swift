import TestSupport

extension AccessMatrix {
    /// Check-in, attendees, people.
    static let attendanceRows: [String: AccessRow] = [
        "GET /v1/check-ins/{code}": AccessRow.all(200).preparing(checkInCode),
        "POST /v1/check-ins/{code}": AccessRow.all(201)
            .sending(#"{"name": "A", "email": "a@example.org"}"#).preparing(checkInCode),
        "GET /v1/meetings/{id}/attendees": .work(200),
        "POST /v1/meetings/{id}/attendees": .work(201).sending(#"{"name": "A"}"#),
        "PATCH /v1/meetings/{id}/attendees/{attendeeId}": AccessRow.work(200)
            .sending(#"{"name": "B"}"#).preparing(attendee),
        "DELETE /v1/meetings/{id}/attendees/{attendeeId}": AccessRow.work(204).preparing(attendee),
    ]

    private static let checkInCode: AccessRow.Preparation = { stage in
        ["/v1/check-ins/{code}": try await stage.meeting.checkInPath()]
    }

    private static let attendee: AccessRow.Preparation = { stage in
        ["{attendeeId}": try await stage.meeting.add("Somebody").expect(201).string("id")]
    }
}
