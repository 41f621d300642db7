import Contract
import HTTPTypes
import StrictJSON

/// Lets people add themselves to the roster of a series. The join code in the address gives access.
struct JoinPages: Sendable {
    var routes: [PageRoute] { [PageRoute("/j/{code}", get: { view($0) }, post: join)] }

    private func view(
        _ page: PageRequest, faults: [ProblemBody.FaultBody] = [], alert: String? = nil,
        status: HTTPResponse.Status = .ok
    ) -> PageResponse {
        func fault(_ field: String) -> String? { faults.first { $0.pointer == "/\(field)" }.map(page.texts.fault) }
        let model = JoinPage(
            title: page.texts("join.title"), path: page.path, alert: alert, name: page.fields["name"] ?? "",
            nameFault: fault("name"), email: page.fields["email"] ?? "", emailFault: fault("email"))
        return page.page(model, status: status)
    }

    private func join(_ page: PageRequest) async throws -> PageResponse {
        guard CSRFGuard.admits(page) else {
            return view(page, alert: page.texts("form.open-too-long"), status: .forbidden)
        }
        let body = JSONValue.object(["name", "email"].map { .init($0, .string(page.fields[$0] ?? "")) })
        let response = try await page.send(.post, "/v1/join/\(page.safeParameter("code"))", json: body)
        switch response.status {
        case .ok, .created:
            let joining: Joining = try response.decoded()
            return page.page(
                JoinedPage(
                    title: page.texts("join.done"), series: joining.series,
                    personLink: joining.code.map { "\(page.kit.options.publicURL)/p/\($0)" },
                    isMailed: joining.mailed == true))
        case .unprocessableContent:
            return view(
                page, faults: response.problem?.errors ?? [], alert: page.texts("refused.look-again"),
                status: response.status)
        default: throw PageError(response)
        }
    }
}

/// The form with which a person joins a roster.
struct JoinPage: PageModel {
    static let template = "join"
    var title: String
    var path: String
    var alert: String?
    var name: String
    var nameFault: String?
    var email: String
    var emailFault: String?
}

/// The page after a person has joined a roster.
struct JoinedPage: PageModel {
    static let template = "joined"
    var title: String
    var series: String
    /// The link to the person's own attendance.
    var personLink: String?
    /// Whether that link was mailed.
    var isMailed: Bool
}
