extension Letter {
    private static let personalLink = "form-link"

    /// Whom it was written to must not outlast it: a reminder goes to those who have not answered.
    public var leavesNoTrace: Bool { kind == Self.personalLink }

    /// To somebody on a meeting's list, with the link that answers its form once. Nothing of other people stands in it,
    /// and nothing in it or its kind says whether it invites or reminds.
    public static func invitation(meeting: String, link: String) -> Letter {
        let title = meeting.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return Letter(
            kind: personalLink, subject: "Your feedback: \(title)",
            body: """
                \(title)

                Say how it was, it takes two minutes. This is your own link:

                \(link)

                It is good for one answer. Do not pass it on: whoever has it answers in your place.

                """, isBulk: true)
    }
}
