import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// At the door: who comes types name and address, and is led to the form when it opens.
struct CheckInPages: Sendable {
    let kit: PageKit

    var routes: [PageRoute] { [PageRoute("/c/{code}", get: show, post: enter)] }

    private func show(_ page: PageRequest) async throws -> PageAnswer {
        let place = try await place(page)
        let known = (page.cookies[.guest] ?? "").split(separator: "&", omittingEmptySubsequences: false)
        let (name, email) = (
            known.first?.removingPercentEncoding ?? "", known.dropFirst().first?.removingPercentEncoding ?? ""
        )
        return view(place, page, name: name, email: email, isRemembered: !email.isEmpty)
    }

    private func place(_ page: PageRequest) async throws -> CheckInPlace {
        let answer = try await page.ask(.get, "/v1\(path(page))")
        guard answer.status == .ok else { throw PageError(answer) }
        return try answer.decoded()
    }

    private func path(_ page: PageRequest) -> String {
        "/check-ins/" + page.parameter("code").filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    private func view(
        _ place: CheckInPlace, _ page: PageRequest, name: String, email: String, isRemembered: Bool,
        faults: [ProblemBody.FaultBody] = [], alert: String? = nil, status: HTTPResponse.Status = .ok
    ) -> PageAnswer {
        var values = Self.head(place, page)
        values["name"] = name
        values["email"] = email
        values["isRemembered"] = isRemembered
        values["isOpen"] = place.state == "open"
        values["isEarly"] = place.state == "early"
        values["alert"] = alert
        for field in ["name", "email"] {
            let own = faults.filter { $0.pointer == "/\(field)" }
            if !own.isEmpty { values["\(field)Fault"] = page.texts.find("fault.\(own[0].code)") ?? own[0].detail }
        }
        return page.page("check-in", values, status: status)
    }

    private static func head(_ place: CheckInPlace, _ page: PageRequest) -> [String: Any] {
        var values: [String: Any] = [
            "title": place.title, "series": place.series, "path": page.path,
            "hasForm": place.form.state == "open", "form": "/f/\(place.form.code)",
        ]
        values["place"] = place.place
        values["starts"] = place.startsAt.map { ["iso": $0.formatted(.iso8601), "text": page.time($0)] }
        return values
    }

    private func enter(_ page: PageRequest) async throws -> PageAnswer {
        let (name, email) = (page.fields["name"] ?? "", page.fields["email"] ?? "")
        let isRemembered = page.fields["remember"] != nil
        let place = try await place(page)
        guard CSRFGuard.admits(page) else {
            return view(
                place, page, name: name, email: email, isRemembered: isRemembered,
                alert: page.texts("form.open-too-long"), status: .forbidden)
        }
        let body = JSONValue.object([.init("name", .string(name)), .init("email", .string(email))])
        let answer = try await page.ask(.post, "/v1\(path(page))", json: body)
        switch answer.status {
        case .ok, .created:
            let checkIn: CheckIn = try answer.decoded()
            remember(isRemembered ? (name, email) : nil, page)
            var values = Self.head(checkIn.place, page)
            values["status"] = page.texts("check-in.\(checkIn.status)")
            return page.page("checked-in", values)
        case .unprocessableContent:
            return view(
                place, page, name: name, email: email, isRemembered: isRemembered,
                faults: answer.problem?.errors ?? [], alert: page.texts("form.look-again"),
                status: .unprocessableContent)
        default:
            let trouble = PageError(answer)
            return view(
                place, page, name: name, email: email, isRemembered: isRemembered, alert: page.sentence(trouble),
                status: trouble.status)
        }
    }

    /// For the next meeting, on this browser alone.
    private func remember(_ guest: (name: String, email: String)?, _ page: PageRequest) {
        let plain = CharacterSet.alphanumerics
        let value = guest.map { guest in
            [guest.name, guest.email].map { $0.addingPercentEncoding(withAllowedCharacters: plain) ?? "" }
                .joined(separator: "&")
        }
        page.newCookies.append(
            Cookie(name: .guest, value: value ?? "", path: "/c", life: value == nil ? 0 : Cookie.year))
    }
}
