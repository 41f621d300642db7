import Foundation

/// The subject and the plain text of a mail, without its recipient.
public struct Letter: Sendable, Equatable {
    /// The purpose of the mail, such as `verification`. It is stored longer than the text.
    public var kind: String
    public var subject: String
    public var body: String
    /// Whether the mail is one of many. Bulk mails are sent after mails about accounts.
    public var isBulk: Bool
    /// The number of seconds after which the link has expired and the mail need not be sent. Nil if the link does not
    /// expire.
    public var lifetime: Int?

    public init(kind: String, subject: String, body: String, isBulk: Bool = false, lifetime: Int? = nil) {
        self.kind = kind
        self.subject = subject
        self.body = body
        self.isBulk = isBulk
        self.lifetime = lifetime
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
        meeting: String, link: String, isAnonymous: Bool = false, in language: LetterLanguage = .english
    ) -> Letter {
        let title = meeting.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        switch language {
        case .english:
            return Letter(
                kind: personalLink, subject: "Your feedback: \(title)",
                body: """
                    \(title)

                    How was it? It takes two minutes to say. This is your own link:

                    \(link)

                    It works for one answer. Please do not pass it on: whoever has it answers in your place.
                    \(isAnonymous ? "\n" + answeredAnonymously(in: language) + "\n" : "")
                    """, isBulk: true)
        case .korean:
            return Letter(
                kind: personalLink, subject: "의견을 들려주세요: \(title)",
                body: """
                    \(title)

                    어땠는지 들려주세요. 2분이면 됩니다. 아래는 본인만 쓰는 링크입니다.

                    \(link)

                    한 번만 답할 수 있습니다. 이 링크가 있으면 누구나 대신 답할 수 있으니 다른 사람에게 전달하지 말아 주세요.
                    \(isAnonymous ? "\n" + answeredAnonymously(in: language) + "\n" : "")
                    """, isBulk: true)
        }
    }

    private static func answeredAnonymously(in language: LetterLanguage) -> String {
        switch language {
        case .english:
            "If you have already answered, you need not do anything: the sender cannot see whether you have."
        case .korean: "이미 답하셨다면 아무것도 하지 않으셔도 됩니다. 답했는지 여부는 보낸 사람에게 보이지 않습니다."
        }
    }
}

extension Letter {
    /// A mail to a person whom an admin invites to create an account. The note of the admin is not included.
    public static func hostInvitation(
        code: String, email: EmailAddress?, service: String, in language: LetterLanguage = .english
    ) -> Letter {
        let (kind, link) = ("host-invitation", InvitationLink.make(code: code, email: email?.text, service: service))
        switch language {
        case .english:
            return Letter(
                kind: kind, subject: "You are invited to Afterword",
                body: """
                    You are invited to create an account at
                    \(service)

                    Open this link to choose a password:

                    \(link)

                    Or sign up there with this address and this code:

                    \(code)

                    It works once. If you do not know why you got this, do nothing.

                    """)
        case .korean:
            return Letter(
                kind: kind, subject: "Afterword에 초대합니다",
                body: """
                    아래 서비스에 계정을 만들 수 있도록 초대합니다.
                    \(service)

                    아래 링크를 열어 비밀번호를 정해 주세요.

                    \(link)

                    또는 위 서비스에서 이 주소와 아래 코드로 가입해 주세요.

                    \(code)

                    한 번만 쓸 수 있습니다. 초대받은 이유를 모르겠다면 아무것도 하지 않으셔도 됩니다.

                    """)
        }
    }
}

/// The languages of mails.
public enum LetterLanguage: String, Sendable, CaseIterable {
    case english = "en"
    case korean = "ko"

    /// Parses a language tag such as `ko-KR`. Returns nil for a language without translations.
    public init?(locale: String?) {
        guard let language = locale?.split(separator: "-").first else { return nil }
        self.init(rawValue: language.lowercased())
    }
}

/// The link with which an invited person creates an account.
public enum InvitationLink {
    private static let unreserved = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")

    /// - Parameters:
    ///   - email: The only address that may use the code. The sign-up page fills it in.
    ///   - service: The base URL of links.
    public static func make(code: String, email: String?, service: String) -> String {
        let encoded = email?.addingPercentEncoding(withAllowedCharacters: unreserved)
        return "\(service)/sign-up?invitation=\(code)" + (encoded.map { "&email=\($0)" } ?? "")
    }
}
