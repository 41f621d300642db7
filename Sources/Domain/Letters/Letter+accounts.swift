/// Mails about the recipient's account. They go to addresses that anyone may have entered, so they contain no text by
/// strangers.
extension Letter {
    /// A mail to the address of a new account.
    public static func verification(
        token: String, service: String, in language: LetterLanguage = .english
    ) -> Letter {
        switch language {
        case .english:
            Letter(
                kind: "verification", subject: "Confirm your address for Afterword",
                body: """
                    Somebody wants to create an account with this address at
                    \(service)
                    We do not know whether that was you.

                    Only if it was you, open this link within a day to confirm it and to choose a password:

                    \(service)/verify?token=\(token)

                    Or enter this code where it is asked for:

                    \(token)

                    If it was not you, do nothing: without the link or the code there will be no account.

                    """, lifetime: 86_400)
        case .korean:
            Letter(
                kind: "verification", subject: "Afterword 이메일 주소를 확인해 주세요",
                body: """
                    누군가 이 주소로 아래 서비스의 계정을 신청했습니다.
                    \(service)
                    본인이 신청했는지는 저희가 알 수 없습니다.

                    본인이 신청한 경우에만 하루 안에 아래 링크를 열어 확인하고 비밀번호를 정해 주세요.

                    \(service)/verify?token=\(token)

                    또는 코드를 묻는 곳에 아래 코드를 입력해 주세요.

                    \(token)

                    신청하지 않았다면 아무것도 하지 않으셔도 됩니다. 링크나 코드 없이는 계정이 만들어지지 않습니다.

                    """, lifetime: 86_400)
        }
    }

    /// A mail to an address that already has an account.
    public static func addressTaken(service: String, in language: LetterLanguage = .english) -> Letter {
        switch language {
        case .english:
            Letter(
                kind: "address-taken", subject: "Your address at Afterword",
                body: """
                    Somebody, perhaps you, tried to create an account with this address at
                    \(service)

                    You already have an account there, and nothing has changed. Sign in as usual. If you do not
                    remember the password, ask for a new one there.

                    If it was not you, do nothing.

                    """)
        case .korean:
            Letter(
                kind: "address-taken", subject: "Afterword 계정 안내",
                body: """
                    누군가(본인일 수도 있습니다) 이 주소로 아래 서비스에 계정을 만들려고 했습니다.
                    \(service)

                    이 주소의 계정은 이미 있으며, 바뀐 것은 없습니다. 평소처럼 로그인해 주세요. 비밀번호가 기억나지
                    않으면 그곳에서 새 비밀번호를 신청해 주세요.

                    본인이 아니라면 아무것도 하지 않으셔도 됩니다.

                    """)
        }
    }

    /// A mail to an account's address, after a request for a new password.
    public static func passwordReset(
        token: String, service: String, in language: LetterLanguage = .english
    ) -> Letter {
        switch language {
        case .english:
            Letter(
                kind: "password-reset", subject: "A new password for Afterword",
                body: """
                    Somebody, hopefully you, asked for a new password for your account at
                    \(service)

                    Open this link within an hour to choose one:

                    \(service)/reset?token=\(token)

                    Or enter this code where it is asked for:

                    \(token)

                    If it was not you, do nothing: your password stays as it is.

                    """, lifetime: 3600)
        case .korean:
            Letter(
                kind: "password-reset", subject: "Afterword 새 비밀번호",
                body: """
                    아래 서비스에서 이 주소의 계정에 새 비밀번호를 신청했습니다.
                    \(service)

                    한 시간 안에 아래 링크를 열어 새 비밀번호를 정해 주세요.

                    \(service)/reset?token=\(token)

                    또는 코드를 묻는 곳에 아래 코드를 입력해 주세요.

                    \(token)

                    신청하지 않았다면 아무것도 하지 않으셔도 됩니다. 비밀번호는 그대로입니다.

                    """, lifetime: 3600)
        }
    }

    /// A mail to an account's address, after the password was changed with a mailed link.
    public static func passwordChanged(service: String, in language: LetterLanguage = .english) -> Letter {
        switch language {
        case .english:
            Letter(
                kind: "password-changed", subject: "Your password for Afterword was changed",
                body: """
                    The password of your account at
                    \(service)
                    was changed by a link that was sent to this address. Everyone who was signed in with your account
                    has been signed out.

                    If it was not you, ask for a new password there at once, and see who else reads your mail.

                    """)
        case .korean:
            Letter(
                kind: "password-changed", subject: "Afterword 비밀번호가 바뀌었습니다",
                body: """
                    이 주소로 보낸 링크를 통해 아래 서비스의 계정 비밀번호가 바뀌었습니다.
                    \(service)
                    이 계정으로 로그인한 곳은 모두 로그아웃되었습니다.

                    본인이 바꾸지 않았다면 바로 새 비밀번호를 신청하고, 메일을 다른 사람이 읽고 있지 않은지 확인해 주세요.

                    """)
        }
    }
}
