/// The letters about one's own account. They go to addresses that anyone may have typed, so that nothing a stranger
/// wrote stands in them.
extension Letter {
    /// To an address that may become an account's.
    public static func verification(token: String, service: String) -> Letter {
        Letter(
            kind: "verification", subject: "Confirm your address for Afterword",
            body: """
                Somebody wants to make an account with this address at
                \(service)
                and has chosen its password already. We do not know whether that was you.

                Only if it was you, open this link within a day to confirm it:

                \(service)/verify?token=\(token)

                Or enter this token where it is asked for:

                \(token)

                If it was not you, do nothing: without the link or the token there will be no account.
                If there is one already and somebody else chose its password, ask for a new password there with this
                address: the old one ends, and everyone who is signed in with it is signed out.

                """, life: 86_400)
    }

    /// To an address that has an account already.
    public static func addressTaken(service: String) -> Letter {
        Letter(
            kind: "address-taken", subject: "Your address at Afterword",
            body: """
                Somebody, perhaps you, tried to make an account with this address at
                \(service)

                You have an account there already, and nothing has changed. Sign in as always. If you do not remember
                the password, ask for a new one there.

                If it was not you, do nothing.

                """)
    }

    /// To an account's address, when somebody says to have forgotten the password.
    public static func passwordReset(token: String, service: String) -> Letter {
        Letter(
            kind: "password-reset", subject: "A new password for Afterword",
            body: """
                Somebody, hopefully you, asked for a new password for your account at
                \(service)

                Open this link within an hour to choose one:

                \(service)/reset?token=\(token)

                Or enter this token where it is asked for:

                \(token)

                If it was not you, do nothing: your password stays as it is.

                """, life: 3600)
    }

    /// To an account's address, after its password was changed by mail.
    public static func passwordChanged(service: String) -> Letter {
        Letter(
            kind: "password-changed", subject: "Your password for Afterword was changed",
            body: """
                The password of your account at
                \(service)
                was changed by a link that was sent to this address. Everyone who was signed in with your account has
                been signed out.

                If it was not you, ask for a new password there at once, and see who else reads your mail.

                """)
    }
}
