import TestSupport

extension AccessMatrix {
    /// Rounds, times, images, calendar.
    static let roundsRows: [String: AccessRow] = [
        "POST /v1/series/{id}/meetings": .work(201).sending(#"{"title": "Next"}"#)
    ]
}
