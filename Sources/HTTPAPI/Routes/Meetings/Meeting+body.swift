import Domain
import Foundation
import Store
import StrictJSON

extension Meeting {
    var body: JSONValue {
        .object([
            .init("id", .string(id.lowercased)),
            .init("seriesId", .string(seriesID.lowercased)),
            .init("series", .string(series)),
            .init("round", JSONValue(round)),
            .init("title", .string(title)),
            .init("startsAt", JSONValue(startsAt)),
            .init("endsAt", JSONValue(endsAt)),
            .init("timeZone", .string(timeZone)),
            .init("place", JSONValue(place)),
            .init("headcount", JSONValue(headcount)),
            .init("lateAfterMinutes", JSONValue(lateAfterMinutes)),
            .init("allowOverlap", .bool(allowOverlap)),
            .init("state", JSONValue(phase)),
            .init("checkInCode", .string(checkInCode)),
            .init("image", JSONValue(hasImage ? "/v1/meetings/\(id.lowercased)/image" : nil)),
            .init("deletedAt", JSONValue(deletedAt)),
            .init("attended", JSONValue(attended)),
            .init("submissions", JSONValue(form.submissions)),
            .init(
                "form",
                .object([
                    .init("id", .string(form.id.lowercased)),
                    .init("code", .string(form.code)),
                    .init("state", .string(form.state(at: now).rawValue)),
                    .init("version", JSONValue(form.version)),
                ])),
        ])
    }
}

extension Meeting {
    /// Edits match the revision. The digest also changes with attendance and submissions, which do not change the
    /// revision.
    var tag: ETag { ETag(revision: revision, digestOf: body) }
}

extension JSONValue {
    init(_ date: Date?) {
        self = date.map { .string(RFC3339.format($0)) } ?? .null
    }
}
