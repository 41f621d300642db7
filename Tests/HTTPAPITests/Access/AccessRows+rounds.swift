import Foundation
import Postgres
import TestSupport

extension AccessMatrix {
    /// Rounds, times, images, calendar.
    static let roundsRows: [String: AccessRow] = [
        "POST /v1/series/{id}/meetings": .editors(201).sending(#"{"title": "Next"}"#),
        "PATCH /v1/meetings/{id}": .editors(200).sending(#"{"title": "Renamed"}"#, headers: ["If-Match": "*"]),
        // A meeting that is already in the trash; a viewer sees it but may not restore it.
        "POST /v1/meetings/{id}/restore": .editors(200).preparing { stage in
            let created = try await stage.service.host.post("/v1/series/\(stage.meeting.seriesID)/meetings").expect(201)
            let path = "/meetings/\(try created.string("id"))"
            try await stage.service.host.delete("/v1\(path)").expect(204)
            return ["/meetings/{id}": path]
        },
        "GET /v1/meetings/{id}/image": .viewers(200).preparing(image),
        // A caller with write access gets the validation error of an invalid image.
        "PUT /v1/meetings/{id}/image": .editors(422).sending("no image", headers: ["Content-Type": "image/png"]),
        "PATCH /v1/meetings/{id}/image": .editors(204).sending(#"{"alt": "Cups"}"#).preparing(image),
        "DELETE /v1/meetings/{id}/image": .editors(204).turn(1).preparing(image),
        // There is no current meeting; the response of this route never depends on others' meetings.
        "GET /v1/meetings/current": .signedIn(404),
        "GET /v1/meetings/availability": .signedIn(200)
            .with(query: "startsAt=2027-03-01T09:00:00Z&endsAt=2027-03-01T10:00:00Z"),
        "GET /v1/calendar": .signedIn(200).with(query: "from=2027-03-01&to=2027-04-01"),
    ]

    private static let image: AccessRow.Preparation = { stage in
        guard let id = UUID(uuidString: stage.meeting.id) else { throw TestStore.Missing("an id") }
        try await stage.service.addImage(to: id)
        return [:]
    }
}
