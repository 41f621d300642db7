import TestSupport

extension AccessMatrix {
    /// Event streams and their tickets.
    static let liveRows: [String: AccessRow] = [
        "GET /v1/meetings/{id}/results/live": .viewers(200),
        "POST /v1/meetings/{id}/stage": .editors(204).sending(#"{"slide": "code"}"#),
        "GET /v1/live": .signedIn(200),
        "POST /v1/live-tickets": .anyToken(201),
        // An account's token is not accepted as a receipt.
        "GET /v1/forms/{code}/live": AccessRow(200, 401, 401, 401, 401, 401, 401, 401).preparing { stage in
            let shown = try await stage.service.openMeeting(settings: #""showResults": "always""#)
            return ["/forms/{code}": "/forms/\(shown.code)"]
        },
        "GET /v1/shares/{token}/live": AccessRow.all(200).preparing { stage in
            ["{token}": try await stage.service.share(of: stage.meeting)]
        },
    ]
}
