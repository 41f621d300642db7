import TestSupport

extension AccessMatrix {
    /// Series, co-hosts, roster.
    static let seriesRows: [String: AccessRow] = [
        "GET /v1/series": .signedIn(200),
        "GET /v1/series/{id}": .sight(200),
        "PATCH /v1/series/{id}": .work(200).sending(#"{"title": "A series"}"#, headers: ["If-Match": "*"]),
        "GET /v1/series/{id}/meetings": .sight(200),
        // At the very end: nothing of the series is there in between.
        "DELETE /v1/series/{id}": .own(204).turn(8),
        "POST /v1/series/{id}/restore": .own(200).turn(9),
    ]
}
