import Foundation
import Postgres
import Store
import TestSupport

extension AccessMatrix {
    /// QR codes and posters.
    static let codesRows: [String: AccessRow] = [
        "GET /v1/meetings/{id}/form.qr.svg": .viewers(200),
        "GET /v1/meetings/{id}/form.qr.png": .viewers(200).with(query: "scale=3"),
        "GET /v1/meetings/{id}/check-in.qr.svg": .viewers(200),
        "GET /v1/meetings/{id}/check-in.qr.png": .viewers(200),
        "GET /v1/series/{id}/qr.svg": .viewers(200),
        "GET /v1/series/{id}/qr.png": .viewers(200),
        // A bearer token is ignored: everybody who scans the poster is redirected.
        "GET /s/{code}": .all(303).preparing { stage in
            let pool = stage.service.fixture.store.pool
            let id = stage.meeting.seriesID
            let rows = try await pool.query("SELECT code FROM series WHERE id = \(UUID(uuidString: id))")
            return ["/s/{code}": "/s/\(try rows.first?.decode(String.self) ?? "")"]
        },
    ]
}
