extension Letter {
    /// To whoever an admin invites to make an account; without the admin's note, which is for admins.
    public static func hostInvitation(code: String, email: EmailAddress?, service: String) -> Letter {
        Letter(
            kind: "host-invitation", subject: "You are invited to Afterword",
            body: """
                You are invited to make an account at
                \(service)

                Open this link to choose a password:

                \(InvitationLink.make(code: code, email: email?.text, service: service))

                Or sign up there with this address and this code:

                \(code)

                It works once. If you do not know why you got this, do nothing.

                """)
    }
}
