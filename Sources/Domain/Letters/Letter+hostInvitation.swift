extension Letter {
    /// To a person whom an admin invites to create an account; without the admin's note, which is for admins.
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
