import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// Edits a meeting's title, time, place and image, and moves the meeting to the trash.
struct MeetingDetailPages: Sendable {
    /// Room for the largest image (2 MiB) and the other parts of the form.
    private static let maxBytes = 2 * 1024 * 1024 + 64 * 1024

    var routes: [PageRoute] {
        let path = "/meetings/{id}"
        return [
            PageRoute(path + "/edit", get: show, post: apply),
            PageRoute(
                path + "/image",
                get: { try await $0.relay(MeetingPages.apiPath($0) + "/image", as: HostSession($0).authorization) },
                post: changeImage, maxBytes: Self.maxBytes, needsSession: true, acceptsFiles: true),
        ]
    }

    private func show(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        let (meeting, tag) = try await session.getTagged(MeetingPages.apiPath(page), Meeting.self)
        try await session.requireEditor(of: meeting)
        return try await view(session, MeetingSheet(meeting), meeting, tag: tag)
    }

    private func view(
        _ session: HostSession, _ sheet: MeetingSheet, _ meeting: Meeting, tag: String,
        faults: [ProblemBody.FaultBody] = [], imageFaults: [String] = [], altFaults: [String] = [],
        alert: String? = nil, status: HTTPResponse.Status = .ok
    ) async throws -> PageResponse {
        let page = session.page
        let stored = meeting.image == nil ? nil : try await page.shownImage(of: meeting.id)
        var alt = PageField(
            name: "alt", label: page.texts("details.image-description"),
            value: page.fields["alt"] ?? stored?.alt ?? "",
            hint: page.texts("details.image-description-hint"), faults: altFaults)
        alt.maxLength = 300
        let path = "/meetings/\(page.parameter("id"))"
        let image = PageField(
            name: "image", label: page.texts("details.image-file"), hint: page.texts("details.image-hint"),
            faults: imageFaults)
        let otherFaults = faults.filter { !MeetingSheet.names.contains(String($0.pointer.dropFirst())) }
        return page.page(
            MeetingDetailPage(
                title: page.texts("details.title"), path: path, heading: meeting.title,
                series: "\(meeting.seriesId)", alert: alert, otherFaults: otherFaults.map(page.message), tag: tag,
                fields: sheet.fields(page, faults).map(\.values), image: image.values,
                hasImage: meeting.image != nil, isHidden: stored?.isShown == false, alt: alt.values,
                script: page.kit.files.address("image.js")), status: status)
    }

    private func apply(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        let meeting: Meeting = try await session.get(MeetingPages.apiPath(page))
        let (sheet, tag) = (MeetingSheet(page.fields), page.fields["tag"] ?? "")
        guard CSRFGuard.admits(page) else {
            return try await view(
                session, sheet, meeting, tag: tag, alert: page.texts("form.open-too-long"), status: .forbidden)
        }
        if page.fields["act"] == "trash" {
            try session.check(await page.send(.delete, MeetingPages.apiPath(page), as: session.authorization))
            return page.done("trashed", at: "/trash")
        }
        let response = try await page.send(
            .patch, MeetingPages.apiPath(page), as: session.authorization, json: sheet.edit, headers: [.ifMatch: tag])
        switch response.status {
        case .ok: return page.done("saved", at: "/meetings/\(page.parameter("id"))")
        case .badRequest, .unprocessableContent, .preconditionFailed, .conflict:
            let faults = response.problem?.errors ?? []
            let alert =
                response.status == .conflict
                ? overlapText(response, page)
                : faults.isEmpty ? page.sentence(PageError(response)) : page.texts("builder.look-again")
            return try await view(
                session, sheet, meeting, tag: tag, faults: faults, alert: alert, status: response.status)
        default:
            try session.check(response)
            throw PageError(response)
        }
    }

    /// A sentence that lists the overlapping meetings. A meeting that the host may not see is not named.
    private func overlapText(_ response: InnerAPI.CollectedResponse, _ page: PageRequest) -> String {
        struct Conflicts: Decodable { var conflicts: [MeetingConflict]? }
        let body: Conflicts? = try? response.decoded()
        let meetings = (body?.conflicts ?? []).map { conflict in
            (conflict.title ?? page.texts("details.another")) + " (" + page.time(conflict.startsAt) + ")"
        }
        return page.texts("details.overlap", ["meetings": meetings.joined(separator: ", ")])
    }

    // MARK: The image

    private func changeImage(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        let (meeting, tag) = try await session.getTagged(MeetingPages.apiPath(page), Meeting.self)
        func refuse(_ text: String, _ status: HTTPResponse.Status) async throws -> PageResponse {
            try await view(session, MeetingSheet(meeting), meeting, tag: tag, imageFaults: [text], status: status)
        }
        if page.isTooLarge { return try await refuse(page.texts("details.image-too-large"), .contentTooLarge) }
        guard CSRFGuard.admits(page) else { return try await refuse(page.texts("form.open-too-long"), .forbidden) }
        let path = MeetingPages.apiPath(page) + "/image"
        let response: InnerAPI.CollectedResponse
        if page.fields["act"] == "remove" {
            response = try await page.send(.delete, path, as: session.authorization)
        } else if let file = page.files["image"] {
            // The API detects the format itself. It only requires that the header names an accepted type.
            response = try await page.send(
                .put, path, as: session.authorization, headers: [.contentType: "image/png"], file: file)
        } else if meeting.image == nil {
            return try await refuse(page.texts("details.image-none"), .unprocessableContent)
        } else {
            return try await describe(session, meeting, tag: tag, notice: "saved")
        }
        switch response.status {
        case .unprocessableContent, .contentTooLarge:
            let fault = response.problem?.errors?.first.map(page.message)
            return try await refuse(fault ?? page.texts("details.image-too-large"), response.status)
        default:
            try session.check(response)
            let path = "/meetings/\(page.parameter("id"))/edit"
            if page.fields["act"] == "remove" { return page.done("picture-removed", at: path) }
            // A new image has no description yet.
            guard page.fields["alt"]?.isEmpty == false else { return page.done("picture-saved", at: path) }
            return try await describe(session, meeting, tag: tag, notice: "picture-saved")
        }
    }

    /// Saves the description of the image.
    private func describe(
        _ session: HostSession, _ meeting: Meeting, tag: String, notice: String
    ) async throws -> PageResponse {
        let page = session.page
        let alt = (page.fields["alt"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        let response = try await page.send(
            .patch, MeetingPages.apiPath(page) + "/image", as: session.authorization,
            json: JSONValue(encoding: ImageDescription(alt: alt)))
        guard response.status == .unprocessableContent || response.status == .badRequest else {
            try session.check(response)
            return page.done(notice, at: "/meetings/\(page.parameter("id"))/edit")
        }
        let faults = (response.problem?.errors ?? []).map(page.message)
        return try await view(
            session, MeetingSheet(meeting), meeting, tag: tag, altFaults: faults, status: response.status)
    }
}

/// The form for a meeting's details and image.
struct MeetingDetailPage: PageModel {
    static let template = "host-details"
    var title: String
    /// The path of the meeting.
    var path: String
    /// The meeting's title.
    var heading: String
    /// The id of the series.
    var series: String
    var alert: String?
    /// Faults that belong to no field of the page.
    var otherFaults: [String]
    /// The ETag of the meeting.
    var tag: String
    var fields: [PageField.Values]
    /// The field for the file.
    var image: PageField.Values
    var hasImage: Bool
    /// Whether participants do not see the image, because it was uploaded before forms showed images.
    var isHidden: Bool
    /// The field for the image's description.
    var alt: PageField.Values
    var script: String
}
