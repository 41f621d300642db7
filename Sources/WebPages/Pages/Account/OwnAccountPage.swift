import Contract
import Foundation

/// The page on which hosts manage their own account.
struct OwnAccountPage: PageModel {
    struct SignedInSession: TemplateValues {
        var id: String
        /// The device, when the session began, and when it ends.
        var text: String
        /// Whether the page was requested with this session.
        var isCurrent: Bool
    }

    struct Token: TemplateValues {
        var id: String
        var name: String
        /// When the token expires, in words.
        var ends: String
        var scopes: String
    }

    static let template = "own-account"
    var title: String
    /// The account's e-mail address.
    var address: String
    var alert: String?
    var createdToken: OneTimeSecret?
    var script: String
    var zoneScript: String

    // Profile and password.
    /// The ETag of the profile.
    var tag: String
    var name: String
    var nameFault: String?
    var locales: [PageField.Values.Choice]
    var localeFault: String?
    var timeZone: String
    var timeZoneFault: String?
    /// The time zone of the profile; empty if none is saved.
    var savedZone: String
    /// The time zone of the profile, as a sentence.
    var savedZoneText: String
    /// All time zones, for autocompletion.
    var zones: [String]
    /// Whether results are mailed when a form closes.
    var mailsAtClose: Bool
    /// Whether the host gets a mail about the meetings once a week.
    var weeklyDigest: Bool
    /// What the mails contain, or that the service sends none.
    var mailsHint: String
    var oldPasswordFault: String?
    var passwordFault: String?

    // Sessions and tokens.
    var sessions: [SignedInSession]
    var tokens: [Token]
    /// The idempotency key of a new token.
    var key: String
    var tokenName: String
    var tokenNameFault: String?
    var scopeChoices: [PageField.Values.Choice]
    var scopesFault: String?
    var periods: [PageField.Values.Choice]

    // Deletion of the account.
    /// Whether the form that deletes the account is unfolded.
    var isLeaving: Bool
    /// The typed address of the heir.
    var heir: String
    var heirFault: String?
    /// The label of the field that confirms the deletion.
    var confirmText: String
    var confirmFault: String?

    init(
        _ page: PageRequest, _ profile: Profile, tag: String, sessions: [SessionSummary], tokens: [APIToken],
        _ error: FormError?, created: APIToken?
    ) {
        let (texts, localTime, action) = (page.texts, LocalTime(profile.timeZone), page.fields["act"])
        func time(_ date: Date) -> String { localTime.text(date, in: page.language) }
        let faults = error?.faults ?? [:]
        title = texts("own.title")
        address = profile.email
        alert = error?.alert
        createdToken = created?.token.map { OneTimeSecret(text: texts("own.token-made"), url: $0) }
        script = page.kit.files.address("once.js")
        zoneScript = page.kit.files.address("zone.js")

        self.tag = tag
        name = page.fields["name"] ?? profile.name
        // The API reports a fault in the name of the host and in that of a token at the same pointer.
        nameFault = action == "token" ? nil : faults["name"]
        locales = Self.locales(page.fields["locale"] ?? profile.locale ?? "", texts)
        localeFault = faults["locale"]
        timeZone = page.fields["timeZone"] ?? profile.timeZone ?? ""
        timeZoneFault = faults["timeZone"]
        savedZone = profile.timeZone ?? ""
        savedZoneText = profile.timeZone.map { texts("own.zone-saved", ["zone": $0]) } ?? texts("own.zone-none")
        zones = TimeZone.knownTimeZoneIdentifiers
        (mailsAtClose, weeklyDigest) = (profile.mailsAtClose == true, profile.weeklyDigest == true)
        mailsHint = texts(page.kit.options.sendsMail ? "own.mails-hint" : "own.mails-unsent")
        (oldPasswordFault, passwordFault) = (faults["oldPassword"], faults["password"])

        self.sessions = sessions.map { session in
            let device = session.device ?? texts("own.unknown-device")
            let times = ["device": device, "time": time(session.createdAt), "until": time(session.expiresAt)]
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
            .init(
                choice: scope, words: texts("own.scope-\(scope.replacing(":", with: "-"))"),
                isChosen: page.fields.values("scope").contains(scope))
        }
        scopesFault = faults["scopes"]
        periods = ValidityPeriod.choices([7, 30, 90, 365], proposed: 90, page)

        isLeaving = action == "leave"
        (heir, heirFault) = (page.fields["heir"] ?? "", faults["heir"])
        (confirmText, confirmFault) = (texts("own.confirm", ["email": profile.email]), faults["confirm"])
    }

    /// The languages of the pages, and the language of the profile if the pages are not available in it.
    private static func locales(_ locale: String, _ texts: PageTexts) -> [PageField.Values.Choice] {
        let pageLanguages = [("", texts("own.language-none"))] + Language.allCases.map { ($0.rawValue, $0.name) }
        let others = pageLanguages.contains { $0.0 == locale } ? [] : [(locale, locale)]
        return (pageLanguages + others).map { .init(choice: $0.0, words: $0.1, isChosen: $0.0 == locale) }
    }
}
