import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// The check-in at a meeting. People enter their name and address, and get a link to the form.
struct CheckInPages: Sendable {
    var routes: [PageRoute] { [PageRoute("/c/{code}", get: show, post: enter)] }

    private func show(_ page: PageRequest) async throws -> PageResponse {
        let meeting = try await meeting(page)
        if page.query["another"] == nil, let checkIn = Remembered(page) {
            return page.page(CheckedInPage(meeting, page, checkIn, canAddAnother: true))
        }
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
        func fault(_ field: String, _ value: String) -> String? {
            guard let fault = faults.first(where: { $0.pointer == "/\(field)" }) else { return nil }
            let isEmpty = value.allSatisfy(\.isWhitespace)
            return isEmpty ? page.texts("refused.required") : fault.participantText(page.texts)
        }
        return page.page(
            CheckInPage(
                title: meeting.title, series: meeting.series == meeting.title ? nil : meeting.series,
                place: meeting.place,
                starts: meeting.startsAt.map(page.pageTime), alert: alert, path: page.path,
                isOpen: meeting.state == "open", isEarly: meeting.state == "early", name: name,
                nameFault: fault("name", name), email: email, emailFault: fault("email", email),
                isRemembered: isRemembered,
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
            let result = Remembered(name: name, isLate: checkIn.status == "late", at: checkIn.checkedInAt)
            page.newCookies.append(result.cookie(path: page.path, isRemembered: isRemembered))
            return page.page(CheckedInPage(checkIn.meeting, page, result, canAddAnother: isRemembered))
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
    /// Nil if it has the meeting's title.
    var series: String?
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

/// A check-in as the browser of the person remembers it, if they wish.
struct Remembered {
    /// Longer than any meeting's check-in is usually open.
    private static let lifetime = 43_200

    var name: String
    var isLate: Bool
    var at: Date

    init(name: String, isLate: Bool, at: Date) { (self.name, self.isLate, self.at) = (name, isLate, at) }

    /// Nil if the browser remembers no check-in at this address.
    init?(_ page: PageRequest) {
        let parts = (page.cookies[.checkedIn] ?? "").split(separator: ".", maxSplits: 2)
        guard parts.count == 3, let seconds = TimeInterval(parts[1]), let name = parts[2].removingPercentEncoding
        else { return nil }
        self.init(name: name, isLate: parts[0] == "late", at: Date(timeIntervalSince1970: seconds))
    }

    /// A cookie with this check-in. It is deleted unless the person wants to be remembered, because the next person may
    /// check in on the same device.
    func cookie(path: String, isRemembered: Bool) -> Cookie {
        let encoded = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let value = "\(isLate ? "late" : "present").\(Int(at.timeIntervalSince1970)).\(encoded)"
        return Cookie(
            name: .checkedIn, value: isRemembered ? value : "", path: path, maxAge: isRemembered ? Self.lifetime : 0)
    }
}

/// The page after a check-in.
struct CheckedInPage: PageModel {
    static let template = "checked-in"
    var title: String
    /// Who has checked in, and when.
    var heading: String
    /// The meeting's title and that of its series.
    var meeting: String
    /// Whether the feedback form is open.
    var isFormOpen: Bool
    /// Whether the feedback form is closed.
    var isFormOver: Bool
    /// The path of the feedback form.
    var form: String
    /// The path of the form for another person; nil if the browser has not remembered this one.
    var another: String?

    init(_ meeting: CheckInMeeting, _ page: PageRequest, _ checkIn: Remembered, canAddAnother: Bool) {
        title = meeting.title
        let name = checkIn.name.trimmingCharacters(in: .whitespacesAndNewlines)
        let time = LocalTime(meeting.timeZone).timeText(checkIn.at, in: page.language)
        heading = page.texts(checkIn.isLate ? "check-in.done-late" : "check-in.done", ["name": name, "time": time])
        self.meeting = meeting.series == meeting.title ? meeting.title : "\(meeting.title) · \(meeting.series)"
        isFormOpen = meeting.form.state == "open"
        isFormOver = ["closed", "final"].contains(meeting.form.state)
        form = "/f/\(meeting.form.code)"
        another = canAddAnother ? page.path + "?another" : nil
    }
}
