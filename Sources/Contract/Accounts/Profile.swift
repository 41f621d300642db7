import Foundation
import StrictJSON

/// The caller's own account.
public struct Profile: Codable, Sendable, Equatable, Identifiable {
    public var id: ResourceID
    public var email: String
    public var name: String
    /// `host` or `admin`.
    public var role: String
    @ExplicitNull public var locale: String?
    /// An IANA identifier.
    @ExplicitNull public var timeZone: String?
    /// The path of the picture, if any.
    @ExplicitNull public var picture: String?
    public var createdAt: Date
    /// Whether the results are mailed when a form of the account's meetings closes. Nil from a service that has no such
    /// mails.
    public var mailsAtClose: Bool?
    /// Whether the account gets a mail about its meetings once a week. Nil from a service that has no such mails.
    public var weeklyDigest: Bool?

    public init(
        id: ResourceID, email: String, name: String, role: String, locale: String? = nil, timeZone: String? = nil,
        picture: String? = nil, createdAt: Date, mailsAtClose: Bool? = nil, weeklyDigest: Bool? = nil
    ) {
        self.id = id
        self.email = email
        self.name = name
        self.role = role
        self.locale = locale
        self.timeZone = timeZone
        self.picture = picture
        self.createdAt = createdAt
        self.mailsAtClose = mailsAtClose
        self.weeklyDigest = weeklyDigest
    }
}

/// Changes to the caller's own account. Nil leaves a field unchanged.
public struct ProfileEdit: Codable, Sendable, Equatable {
    public var name: String?
    public var locale: Edit<String>
    public var timeZone: Edit<String>
    /// `.remove` deletes the picture. A separate request uploads one.
    public var picture: Edit<String>
    /// Whether the results are mailed when a form of the account's meetings closes.
    public var mailsAtClose: Bool?
    /// Whether the account gets a mail about its meetings once a week.
    public var weeklyDigest: Bool?
    /// Requires `oldPassword`. Changing the password ends all other sessions and revokes all API tokens.
    public var password: String?
    public var oldPassword: String?

    public init(
        name: String? = nil, locale: Edit<String> = .unchanged, timeZone: Edit<String> = .unchanged,
        picture: Edit<String> = .unchanged, mailsAtClose: Bool? = nil, weeklyDigest: Bool? = nil,
        password: String? = nil, oldPassword: String? = nil
    ) {
        self.name = name
        self.locale = locale
        self.timeZone = timeZone
        self.picture = picture
        self.mailsAtClose = mailsAtClose
        self.weeklyDigest = weeklyDigest
        self.password = password
        self.oldPassword = oldPassword
    }
}

/// All data stored about the person behind an account. Each list contains rows of the database.
public struct PersonalData: Codable, Sendable, Equatable {
    public var account: JSONValue
    public var sessions: [JSONValue]
    public var tokens: [JSONValue]
    public var webhooks: [JSONValue]
    public var series: [JSONValue]
    public var meetings: [JSONValue]
    public var memberships: [JSONValue]
    public var attendances: [JSONValue]
    /// The personal codes, one for each series.
    public var persons: [JSONValue]
    /// Submissions through a personal link.
    public var submissions: [JSONValue]
    /// Invitations that the account created.
    public var invitations: [JSONValue]
    /// Forms that the account saved as templates.
    public var templates: [JSONValue]
    /// Links to results that the account created, without their tokens.
    public var shares: [JSONValue]
    /// Invitations that the person received or used.
    public var invited: [JSONValue]
    public var mails: [JSONValue]
    /// Actions of other accounts on this account.
    public var actsByOthers: [JSONValue]
    /// Actions of this account.
    public var acts: [JSONValue]
    /// The lists that contain only their newest rows.
    public var truncated: [String]

    public init(
        account: JSONValue, sessions: [JSONValue], tokens: [JSONValue], webhooks: [JSONValue], series: [JSONValue],
        meetings: [JSONValue], memberships: [JSONValue], attendances: [JSONValue], persons: [JSONValue],
        submissions: [JSONValue], invitations: [JSONValue], templates: [JSONValue], shares: [JSONValue],
        invited: [JSONValue], mails: [JSONValue], actsByOthers: [JSONValue], acts: [JSONValue], truncated: [String]
    ) {
        self.account = account
        self.sessions = sessions
        self.tokens = tokens
        self.webhooks = webhooks
        self.series = series
        self.meetings = meetings
        self.memberships = memberships
        self.attendances = attendances
        self.persons = persons
        self.submissions = submissions
        self.invitations = invitations
        self.templates = templates
        self.shares = shares
        self.invited = invited
        self.mails = mails
        self.actsByOthers = actsByOthers
        self.acts = acts
        self.truncated = truncated
    }
}
