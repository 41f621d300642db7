import TestSupport

extension AccessMatrix {
    /// The main flow: signing in, meetings, forms, submissions, results, exports.
    static let mainRows: [String: AccessRow] = [
        "POST /v1/sessions": .all(201)
            .sending("{\"email\": \"host@example.org\", \"password\": \"\(TestStore.password)\"}"),
        "GET /v1/sessions/current": .anyToken(200),
        "PUT /v1/sessions/current": .anyToken(200).sending("{\"password\": \"\(TestStore.password)\"}"),
        "DELETE /v1/sessions/current": .anyToken(204).turn(2),
        "POST /v1/meetings": .signedIn(201).sending(#"{"title": "A"}"#),
        "GET /v1/meetings": .signedIn(200),
        "GET /v1/meetings/{id}": .viewers(200),
        "DELETE /v1/meetings/{id}": .editors(204).turn(3),
        "GET /v1/meetings/{id}/form": .viewers(200),
        "PUT /v1/meetings/{id}/form": .editors(200)
            .sending("{\"questions\": \(TestStore.questions)}", headers: ["If-Match": "*"]),
        "POST /v1/meetings/{id}/form/publish": .editors(200),
        "POST /v1/meetings/{id}/form/close": .editors(200),
        "POST /v1/meetings/{id}/form/reopen": .editors(200).turn(1),
        // Uses its own round, because a final form refuses every other change.
        "POST /v1/meetings/{id}/form/finish": AccessRow.editors(200).preparing { stage in
            let next = try await stage.service.host.post("/v1/series/\(stage.meeting.seriesID)/meetings").expect(201)
            let path = "/v1/meetings/\(try next.string("id"))"
            try await stage.service.host.post(path + "/form/publish").expect(200)
            return ["/v1/meetings/{id}": path]
        },
        "GET /v1/meetings/{id}/results": .viewers(200),
        "GET /v1/meetings/{id}/results/{key}/answers": .viewers(200),
        "GET /v1/meetings/{id}/export/{file}": .viewers(200),
        "GET /v1/series/{id}/export/{file}": .viewers(200).preparing { _ in ["{file}": "summary.xlsx"] },
        "GET /v1/admin/export/{file}": .admins(200),
        "GET /v1/forms/{code}": .all(200),
        // An account's token is not accepted as a participant's key or receipt.
        "POST /v1/forms/{code}/submissions": AccessRow(201, 401, 401, 401, 401, 401, 401, 401)
            .sending(#"{"answers": {"pace": 3}}"#),
        "GET /v1/forms/{code}/submissions/{id}": .all(401),
        "PUT /v1/forms/{code}/submissions/{id}": .all(401).sending(#"{"answers": {"pace": 3}}"#),
        "DELETE /v1/forms/{code}/submissions/{id}": .all(401),
    ]
}
