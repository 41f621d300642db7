import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// The check-in at a meeting. People enter their name and address, and get a link to the form.
struct CheckInPages: Sendable {
    var routes: [PageRoute] { [PageRoute("/c/{code}", get: show, post: enter)] }

    private func show(_ page: PageRequest) async throws -> PageResponse {
        let meeting = try await meeting(page)
        let guest = (page.cookies[.guest] ?? "").split(separator: "&", maxSplits: 2, omittingEmptySubsequences: false)
        let (name, email) = (
            guest.first?.removingPercentEncoding ?? "", guest.dropFirst().first?.removingPercentEncoding ?? ""
        )
        return view(meeting, page, name: name, email: email, isRemembered: !email.isEmpty)
    }

    private func meeting(_ page: PageRequest) async throws -> CheckInMeeting {
        try await page.get("/v1\(path(page))")
    }

    private func path(_ page: PageRequest) -> String {
        "/check-ins/" + page.parameter("code").filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    private func view(
        _ meeting: CheckInMeeting, _ page: PageRequest, name: String, email: String, isRemembered: Bool,
        faults: [ProblemBody.FaultBody] = [], alert: String? = nil, status: HTTPResponse.Status = .ok
    ) -> PageResponse {
        func fault(_ field: String) -> String? {
            faults.first { $0.pointer == "/\(field)" }?.participantText(page.texts)
        }
        return page.page(
            CheckInPage(
                title: meeting.title, series: meeting.series, place: meeting.place,
                starts: meeting.startsAt.map(page.pageTime), alert: alert, path: page.path,
                isOpen: meeting.state == "open", isEarly: meeting.state == "early", name: name,
                nameFault: fault("name"), email: email, emailFault: fault("email"), isRemembered: isRemembered,
                isFormOpen: meeting.form.state == "open", form: "/f/\(meeting.form.code)"), status: status)
    }

    private func enter(_ page: PageRequest) async throws -> PageResponse {
        let (name, email) = (page.fields["name"] ?? "", page.fields["email"] ?? "")
        let isRemembered = page.fields["remember"] != nil
        let meeting = try await meeting(page)
        func refuse(
            _ alert: String, _ status: HTTPResponse.Status, faults: [ProblemBody.FaultBody] = []
        ) -> PageResponse {
            view(
                meeting, page, name: name, email: email, isRemembered: isRemembered, faults: faults, alert: alert,
                status: status)
        }
        guard CSRFGuard.admits(page) else { return refuse(page.texts("form.open-too-long"), .forbidden) }
        let request = CheckInRequest(name: name, email: email)
        let response = try await page.send(.post, "/v1\(path(page))", json: JSONValue(encoding: request))
        switch response.status {
        case .ok, .created:
            let checkIn: CheckIn = try response.decoded()
            remember(isRemembered ? (name, email) : nil, page)
            return page.page(
                CheckedInPage(
                    title: checkIn.meeting.title, series: checkIn.meeting.series,
                    status: page.texts("check-in.\(checkIn.status)"), isFormOpen: checkIn.meeting.form.state == "open",
                    form: "/f/\(checkIn.meeting.form.code)"))
        case .unprocessableContent:
            return refuse(page.texts("form.look-again"), response.status, faults: response.problem?.errors ?? [])
        default: return refuse(page.sentence(PageError(response)), response.status)
        }
    }

    /// Stores name and address in a cookie for the next check-in; nil deletes the cookie.
    private func remember(_ guest: (name: String, email: String)?, _ page: PageRequest) {
        // `&` separates the two values, so it must be encoded in them.
        let unencoded = CharacterSet.alphanumerics
        let value = guest.map { guest in
            [guest.name, guest.email].map { $0.addingPercentEncoding(withAllowedCharacters: unencoded) ?? "" }
                .joined(separator: "&")
        }
        page.newCookies.append(
            Cookie(name: .guest, value: value ?? "", path: "/c", maxAge: value == nil ? 0 : Cookie.year))
    }
}

/// The form for a check-in, or the reason why the check-in is not open.
struct CheckInPage: PageModel {
    static let template = "check-in"
    var title: String
    var series: String
    var place: String?
    var starts: PageTime?
    var alert: String?
    var path: String
    var isOpen: Bool
    /// Whether the check-in opens later.
    var isEarly: Bool
    var name: String
    var nameFault: String?
    var email: String
    var emailFault: String?
    /// Whether the browser stores name and address.
    var isRemembered: Bool
    /// Whether the feedback form is open.
    var isFormOpen: Bool
    /// The path of the feedback form.
    var form: String
}

/// The page after a check-in.
struct CheckedInPage: PageModel {
    static let template = "checked-in"
    var title: String
    var series: String
    /// Whether the person is on time or late, in words.
    var status: String
    /// Whether the feedback form is open.
    var isFormOpen: Bool
    /// The path of the feedback form.
    var form: String
}
