import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// What a meeting is called, when and where it is, and its picture; from here it goes to the trash.
struct MeetingDetailPages: Sendable {
    /// The largest picture that is taken, and the fields around it.
    private static let mostBytes = 2 * 1024 * 1024 + 64 * 1024

    let kit: PageKit

    var routes: [PageRoute] {
        let path = "/meetings/{id}"
        return [
            PageRoute(path + "/edit", get: show, post: act),
            PageRoute(path + "/image", get: image, post: changeImage, mostBytes: Self.mostBytes, takesFiles: true),
        ]
    }

    private func show(_ page: PageRequest) async throws -> PageAnswer {
        let visit = try HostSession(page)
        let (meeting, tag) = try await read(visit)
        try await visit.requireEditor(of: meeting)
        return view(visit, MeetingSheet(meeting), meeting, tag: tag)
    }

    private func read(_ visit: HostSession) async throws -> (Meeting, tag: String) {
        let answer = try await visit.page.ask(.get, MeetingPages.source(visit.page), as: visit.authorization)
        try visit.check(answer)
        return (try answer.decoded(), answer.headers[.eTag] ?? "")
    }

    private func view(
        _ visit: HostSession, _ sheet: MeetingSheet, _ meeting: Meeting, tag: String,
        faults: [ProblemBody.FaultBody] = [], imageFaults: [String] = [], alert: String? = nil,
        status: HTTPResponse.Status = .ok
    ) -> PageAnswer {
        let page = visit.page
        let path = "/meetings/\(page.parameter("id"))"
        var picture = PageField(
            name: "image", label: page.texts("details.image-file"), hint: page.texts("details.image-hint"),
            faults: imageFaults)
        picture.type = "file"
        return page.page(
            "host-details",
            [
                "title": page.texts("details.title"), "isHost": true, "path": path, "tag": tag,
                "heading": meeting.title, "series": "\(meeting.seriesId)",
                "hasAlert": alert != nil, "alert": alert ?? "",
                "fields": sheet.fields(page, faults).map(\.values.templateContext),
                "image": picture.values.templateContext,
                "hasImage": meeting.image != nil, "script": kit.files.address("image.js"),
                "others": faults.filter { !MeetingSheet.names.contains(String($0.pointer.dropFirst())) }
                    .map { ["detail": page.say($0)] },
            ], status: status)
    }

    private func act(_ page: PageRequest) async throws -> PageAnswer {
        let visit = try HostSession(page)
        let (meeting, _) = try await read(visit)
        let (sheet, tag) = (MeetingSheet(page.fields), page.fields["tag"] ?? "")
        guard CSRFGuard.admits(page) else {
            return view(
                visit, sheet, meeting, tag: tag, alert: page.texts("form.open-too-long"), status: .forbidden)
        }
        if page.fields["act"] == "trash" {
            try visit.check(await page.ask(.delete, MeetingPages.source(page), as: visit.authorization))
            return page.done("trashed", at: "/trash")
        }
        let answer = try await page.ask(
            .patch, MeetingPages.source(page), as: visit.authorization, json: sheet.edit, headers: [.ifMatch: tag])
        switch answer.status {
        case .ok: return page.done("saved", at: "/meetings/\(page.parameter("id"))")
        case .badRequest, .unprocessableContent, .preconditionFailed, .conflict:
            let faults = answer.problem?.errors ?? []
            let alert =
                answer.status == .conflict
                ? overlap(answer, page)
                : faults.isEmpty ? page.sentence(PageError(answer)) : page.texts("builder.look-again")
            return view(visit, sheet, meeting, tag: tag, faults: faults, alert: alert, status: answer.status)
        default:
            try visit.check(answer)
            throw PageError(answer)
        }
    }

    /// What takes the time, as far as the host may know.
    private func overlap(_ answer: InnerAPI.Answer, _ page: PageRequest) -> String {
        struct Conflicts: Decodable { var conflicts: [MeetingConflict]? }
        let found: Conflicts? = try? answer.decoded()
        let meetings = (found?.conflicts ?? []).map { conflict in
            (conflict.title ?? page.texts("details.another")) + " (" + page.time(conflict.startsAt) + ")"
        }
        return page.texts("details.overlap", ["meetings": meetings.joined(separator: ", ")])
    }

    // MARK: The picture

    private func image(_ page: PageRequest) async throws -> PageAnswer {
        let visit = try HostSession(page)
        return try await page.relay(MeetingPages.source(page) + "/image", as: visit.authorization)
    }

    private func changeImage(_ page: PageRequest) async throws -> PageAnswer {
        let visit = try HostSession(page)
        let (meeting, tag) = try await read(visit)
        func refuse(_ text: String, _ status: HTTPResponse.Status) -> PageAnswer {
            view(visit, MeetingSheet(meeting), meeting, tag: tag, imageFaults: [text], status: status)
        }
        if page.isTooLarge { return refuse(page.texts("details.image-too-large"), .contentTooLarge) }
        guard CSRFGuard.admits(page) else { return refuse(page.texts("form.open-too-long"), .forbidden) }
        let path = MeetingPages.source(page) + "/image"
        let answer: InnerAPI.Answer
        if page.fields["act"] == "remove" {
            answer = try await page.ask(.delete, path, as: visit.authorization)
        } else {
            guard let file = page.files["image"] else {
                return refuse(page.texts("details.image-none"), .unprocessableContent)
            }
            // Its content decides what it is; the type only has to be one of those that are taken.
            answer = try await page.ask(
                .put, path, as: visit.authorization, headers: [.contentType: "image/png"], file: file)
        }
        switch answer.status {
        case .unprocessableContent, .contentTooLarge:
            let fault = answer.problem?.errors?.first.map(page.say)
            return refuse(fault ?? page.texts("details.image-too-large"), answer.status)
        default:
            try visit.check(answer)
            return page.done(
                page.fields["act"] == "remove" ? "picture-removed" : "picture-saved",
                at: "/meetings/\(page.parameter("id"))/edit")
        }
    }
}
