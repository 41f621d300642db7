/// The subject, the plain text and the attachment of a mail, without its recipient.
public struct Letter: Sendable, Equatable {
    /// A file that is sent with the text.
    public struct Attachment: Sendable, Equatable {
        /// A name in ASCII, such as `report.pdf`.
        public var name: String
        /// Such as `application/pdf`.
        public var mediaType: String
        public var bytes: [UInt8]

        public init(name: String, mediaType: String, bytes: [UInt8]) {
            (self.name, self.mediaType, self.bytes) = (name, mediaType, bytes)
        }
    }

    /// The purpose of the mail, such as `verification`. It is stored longer than the text.
    public var kind: String
    public var subject: String
    public var body: String
    /// Whether the mail is one of many. Bulk mails are sent after mails about accounts.
    public var isBulk: Bool
    /// The number of seconds after which the link has expired and the mail need not be sent. Nil if the link does not
    /// expire.
    public var lifetime: Int?
    /// Not stored in the outbox.
    public var attachment: Attachment?

    public init(kind: String, subject: String, body: String, isBulk: Bool = false, lifetime: Int? = nil) {
        self.kind = kind
        self.subject = subject
        self.body = body
        self.isBulk = isBulk
        self.lifetime = lifetime
    }

    /// A letter from the texts `<kind>-subject` and `<kind>-body`.
    private init(
        _ kind: String, _ texts: LetterTexts, _ values: [String: String], isBulk: Bool = false, lifetime: Int? = nil
    ) {
        self.init(
            kind: kind, subject: texts("\(kind)-subject", values), body: texts("\(kind)-body", values) + "\n",
            isBulk: isBulk, lifetime: lifetime)
    }
}

/// Mails about the recipient's account. They go to addresses that anyone may have entered, so they contain no text by
/// strangers.
extension Letter {
    /// A mail to the address of a new account.
    ///
    /// - Parameter service: The base URL of links.
    public static func verification(token: String, service: String, in texts: LetterTexts) -> Letter {
        Letter("verification", texts, ["token": token, "service": service], lifetime: 86_400)
    }

    /// A mail to an address that already has an account.
    public static func addressTaken(service: String, in texts: LetterTexts) -> Letter {
        Letter("address-taken", texts, ["service": service])
    }

    /// A mail to an account's address, after a request for a new password.
    public static func passwordReset(token: String, service: String, in texts: LetterTexts) -> Letter {
        Letter("password-reset", texts, ["token": token, "service": service], lifetime: 3600)
    }

    /// A mail to an account's address, after the password was changed with a mailed link.
    public static func passwordChanged(service: String, in texts: LetterTexts) -> Letter {
        Letter("password-changed", texts, ["service": service])
    }

    /// A mail to a person whom an admin invites to create an account. The note of the admin is not included.
    public static func hostInvitation(
        code: String, email: EmailAddress?, service: String, in texts: LetterTexts
    ) -> Letter {
        let link = InvitationLink.make(code: code, email: email?.text, service: service)
        return Letter("host-invitation", texts, ["code": code, "link": link, "service": service])
    }
}

extension Letter {
    private static let personalLink = "form-link"

    /// Whether the recipient is deleted after sending. Otherwise, the recipients of a reminder would reveal who has not
    /// answered, unless the form is anonymous.
    public var leavesNoTrace: Bool { kind == Self.personalLink }

    /// A mail to an attendee, with the personal link to the form. It contains nothing about other people. Neither its
    /// text nor its kind reveals whether it is an invitation or a reminder.
    ///
    /// - Parameter isAnonymous: Whether the form is anonymous. Its reminders also go to people who have answered.
    public static func invitation(
        meeting: String, link: String, isAnonymous: Bool = false, in texts: LetterTexts
    ) -> Letter {
        let title = meeting.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        var letter = Letter(personalLink, texts, ["title": title, "link": link], isBulk: true)
        if isAnonymous { letter.body += "\n" + texts("\(personalLink)-answered") + "\n" }
        return letter
    }

    /// A mail to a person who was entered on the roster of a series with a join code, with the link to the person's own
    /// page.
    ///
    /// - Parameter series: The title of the series.
    public static func rosterEntry(series: String, link: String, in texts: LetterTexts) -> Letter {
        let title = series.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return Letter("roster-entry", texts, ["title": title, "link": link], isBulk: true)
    }
}

extension Letter {
    /// A mail to a host, with the results of a meeting whose form has closed. It contains what the host may see.
    ///
    /// - Parameters:
    ///   - summary: One line for each question.
    ///   - report: The report. Nil if it cannot be attached.
    ///   - link: The address of the page with the results.
    ///   - service: The base URL of links.
    public static func closedResults(
        subject: String, summary: String, report: Attachment?, link: String, service: String, in texts: LetterTexts
    ) -> Letter {
        let values = [
            "summary": summary, "link": link, "service": service,
            "report": texts(report == nil ? "results-closed-unattached" : "results-closed-attached"),
        ]
        var letter = Letter(
            kind: "results-closed", subject: subject, body: texts("results-closed-body", values) + "\n", isBulk: true)
        letter.attachment = report
        return letter
    }
}

extension Letter {
    /// A mail to a host about the week of their meetings. It contains what the host may see.
    ///
    /// - Parameters:
    ///   - closed: The results of each form that closed, with a link.
    ///   - open: A line for each open form.
    ///   - hasMore: Whether forms are left out.
    ///   - service: The base URL of links.
    public static func weeklyDigest(
        closed: [String], open: [String], hasMore: Bool, service: String, in texts: LetterTexts
    ) -> Letter {
        var parts = closed
        if !open.isEmpty { parts.append(texts("weekly-digest-open") + "\n\n" + open.joined(separator: "\n")) }
        if hasMore { parts.append(texts("weekly-digest-more")) }
        let values = ["parts": parts.joined(separator: "\n\n\n"), "service": service]
        return Letter(
            kind: "weekly-digest", subject: texts("weekly-digest-subject"),
            body: texts("weekly-digest-body", values) + "\n", isBulk: true)
    }
}
