extension Letter {
    /// To somebody on a meeting's list, with the link that answers its form once. Nothing of other people stands in it.
    public static func invitation(meeting: String, link: String, isReminder: Bool) -> Letter {
        let title = meeting.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let opening =
            isReminder
            ? "There is still time to say how it was. This is your own link:"
            : "Say how it was, it takes two minutes. This is your own link:"
        return Letter(
            kind: isReminder ? "form-reminder" : "form-invitation",
            subject: isReminder ? "A reminder: \(title)" : "Your feedback: \(title)",
            body: """
                \(title)

                \(opening)

                \(link)

                It is good for one answer. Do not pass it on: whoever has it answers in your place.

                """, isBulk: true)
    }
}
