import Contract
import Foundation

/// The page of the host's own account.
struct OwnAccountPage: PageModel {
    struct Choice: TemplateValues {
        var value: String
        var label: String
        var chosen: Bool
    }

    struct SignedInSession: TemplateValues {
        var id: String
        var text: String
        var isCurrent: Bool
    }

    struct Token: TemplateValues {
        var id: String
        var name: String
        var ends: String
        var scopes: String
    }

    static let template = "own-account"
    var title: String
    /// The account's address.
    var address: String
    var alert: String?
    /// The token that was just created.
    var made: OneTimeSecret?
    var script: String
    var zoneScript: String

    // Profile and password.
    /// The ETag of the profile.
    var tag: String
    var name: String
    var nameFault: String?
    var locales: [Choice]
    var localeFault: String?
    var timeZone: String
    var timeZoneFault: String?
    var savedZone: String
    var zoneSaved: String
    var zones: [String]
    var oldPasswordFault: String?
    var passwordFault: String?

    // Sessions and tokens.
    var sessions: [SignedInSession]
    var tokens: [Token]
    /// The idempotency key of a new token.
    var key: String
    var tokenName: String
    var tokenNameFault: String?
    var scopeChoices: [Choice]
    var scopesFault: String?
    var periods: [ValidFor]

    // Deletion of the account.
    var isLeaving: Bool
    var heir: String
    var heirFault: String?
    var confirmText: String
    var confirmFault: String?

    init(
        _ page: PageRequest, _ profile: Profile, tag: String, sessions: [SessionSummary], tokens: [APIToken],
        _ error: FormError?, made: APIToken?
    ) {
        let (texts, clock, action) = (page.texts, LocalTime(profile.timeZone), page.fields["act"])
        func time(_ date: Date) -> String { clock.text(date, in: page.language) }
        let faults = error?.faults ?? [:]
        title = texts("own.title")
        address = profile.email
        alert = error?.alert
        self.made = made?.token.map { OneTimeSecret(text: texts("own.token-made"), url: $0) }
        script = page.kit.files.address("once.js")
        zoneScript = page.kit.files.address("zone.js")

        self.tag = tag
        name = page.fields["name"] ?? profile.name
        // The field `name` of the API is also the name of a token.
        nameFault = action == "token" ? nil : faults["name"]
        locales = Self.locales(page.fields["locale"] ?? profile.locale ?? "", texts)
        localeFault = faults["locale"]
        timeZone = page.fields["timeZone"] ?? profile.timeZone ?? ""
        timeZoneFault = faults["timeZone"]
        savedZone = profile.timeZone ?? ""
        zoneSaved = profile.timeZone.map { texts("own.zone-saved", ["zone": $0]) } ?? texts("own.zone-none")
        zones = TimeZone.knownTimeZoneIdentifiers
        (oldPasswordFault, passwordFault) = (faults["oldPassword"], faults["password"])

        self.sessions = sessions.map { session in
            let times = ["time": time(session.createdAt), "until": time(session.expiresAt)]
            return SignedInSession(
                id: "\(session.id)", text: texts("own.session", times), isCurrent: session.current)
        }
        self.tokens = tokens.map { token in
            Token(
                id: "\(token.id)", name: token.name, ends: texts("own.token-ends", ["time": time(token.expiresAt)]),
                scopes: token.scopes.joined(separator: ", "))
        }
        key = SubmitToken.make()
        tokenName = error == nil ? "" : page.fields["token-name"] ?? ""
        tokenNameFault = action == "token" ? faults["name"] : nil
        scopeChoices = OwnAccountPages.scopes.filter { $0 != "admin" || profile.role == "admin" }.map { scope in
            Choice(
                value: scope, label: texts("own.scope-\(scope.replacing(":", with: "-"))"),
                chosen: page.fields.values("scope").contains(scope))
        }
        scopesFault = faults["scopes"]
        periods = ValidFor.choices([7, 30, 90, 365], proposed: 90, page)

        isLeaving = action == "leave"
        (heir, heirFault) = (page.fields["heir"] ?? "", faults["heir"])
        (confirmText, confirmFault) = (texts("own.confirm", ["email": profile.email]), faults["confirm"])
    }

    /// Includes a stored language that the pages don't have.
    private static func locales(_ locale: String, _ texts: PageTexts) -> [Choice] {
        let known = [("", texts("own.language-none"))] + Language.allCases.map { ($0.rawValue, $0.name) }
        let others = known.contains { $0.0 == locale } ? [] : [(locale, locale)]
        return (known + others).map { Choice(value: $0.0, label: $0.1, chosen: $0.0 == locale) }
    }
}
