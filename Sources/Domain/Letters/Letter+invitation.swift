extension Letter {
    private static let personalLink = "form-link"

    /// The recipient must not be stored any longer: reminders go to people who have not answered.
    public var leavesNoTrace: Bool { kind == Self.personalLink }

    /// To a person on a meeting's list, with the link that answers its form once. It contains nothing about other
    /// people, and neither the text nor its kind reveals whether it is an invitation or a reminder.
    public static func invitation(meeting: String, link: String, in language: LetterLanguage = .english) -> Letter {
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

                    """, isBulk: true)
        case .korean:
            return Letter(
                kind: personalLink, subject: "의견을 들려주세요: \(title)",
                body: """
                    \(title)

                    어땠는지 들려주세요. 2분이면 됩니다. 아래는 본인만 쓰는 링크입니다.

                    \(link)

                    한 번만 답할 수 있습니다. 이 링크가 있으면 누구나 대신 답할 수 있으니 다른 사람에게 전달하지 말아 주세요.

                    """, isBulk: true)
        }
    }
}
