import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// Links to a meeting's results: made with an end, shown once, ended.
struct MeetingSharePages: Sendable {
    let kit: PageKit

    var routes: [PageRoute] {
        [PageRoute("/meetings/{id}/shares", get: { try await view(HostSession($0)) }, post: act)]
    }

    private func view(_ visit: HostSession, _ refusal: FormError? = nil, made: Share? = nil) async throws -> PageAnswer
    {
        let page = visit.page
        let (source, texts) = ("/v1/meetings/\(page.word("id"))", page.texts)
        let meeting: Meeting = try await visit.get(source)
        let shares: Page<Share> = try await visit.get(source + "/shares?limit=100")
        let place = LocalTime(meeting.timeZone)
        var values: [String: Any] = [
            "title": texts("shares.title"), "meeting": meeting.title, "home": "/meetings/\(meeting.id)",
            "path": page.path, "key": SubmitToken.make(), "script": kit.files.address("once.js"),
            "name": refusal == nil ? "" : page.fields["name"] ?? "",
            "periods": ValidFor.choices([1, 7, 30, 90, 365], proposed: 30, page),
            "shares": shares.items.map { share in
                [
                    "id": "\(share.id)", "name": share.name ?? texts("shares.unnamed"),
                    "ends": texts(
                        "shares.ends",
                        ["time": place.text(share.expiresAt, in: page.language), "name": share.createdBy.name]),
                ]
            },
        ]
        values["unreachable"] = kit.unreachable(texts)
        values["made"] = made?.url.map { ["url": $0, "text": texts("shares.made")] }
        refusal?.add(to: &values)
        return page.page("shares", values, status: refusal?.status ?? .ok)
    }

    private func act(_ page: PageRequest) async throws -> PageAnswer {
        let visit = try HostSession(page)
        let all = "/v1/meetings/\(page.word("id"))/shares"
        let words = (page.fields["act"] ?? "make").split(separator: ":").map { PageRequest.word(String($0)) }
        do {
            try visit.checkOrigin()
            switch (words.first, words.count) {
            case ("make", 1):
                let name = (page.fields["name"] ?? "").trimmingCharacters(in: .whitespaces)
                let body = ShareRequest(name: name.isEmpty ? nil : name, expiresAt: ValidFor.end(page))
                let answer = try await visit.send(
                    .post, all, JSONValue(encoding: body), headers: [.idempotencyKey: SubmitToken.given(page)])
                // A press that is sent again is told of no link: it was shown.
                return try await view(visit, made: answer.decoded())
            case ("end", 2):
                try await visit.send(.delete, "\(all)/\(words[1])")
                return page.done("link-ended", at: page.path)
            default: throw PageError(.badRequest)
            }
        } catch let refusal as FormError {
            return try await view(visit, refusal)
        }
    }
}

/// How long something that ends is good, in days.
enum ValidFor {
    static func choices(_ days: [Int], proposed: Int, _ page: PageRequest) -> [[String: Any]] {
        let chosen = page.fields["days"].flatMap { Int($0) } ?? proposed
        return days.map {
            [
                "days": $0, "chosen": $0 == chosen,
                "label": page.texts($0 == 1 ? "shares.day" : "shares.days", ["count": "\($0)"]),
            ]
        }
    }

    /// As the form says; nil leaves it to the API. A minute less, so that a clock that is ahead asks for no more than
    /// there is.
    static func end(_ page: PageRequest) -> Date? {
        guard let days = page.fields["days"].flatMap({ Int($0) }), 1...1826 ~= days else { return nil }
        return Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + Double(days) * 86_400 - 60).rounded())
    }
}
