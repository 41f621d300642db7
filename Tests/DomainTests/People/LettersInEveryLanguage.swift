import Domain
import Testing

@Suite struct LettersInEveryLanguage {
    @Test(arguments: LetterLanguage.allCases)
    func lettersHaveTheSameLinksInEveryLanguage(language: LetterLanguage) {
        let (token, service, link) = ("TOKEN", "https://feedback.example.org", "https://feedback.example.org/f/c?t=T")
        let pairs = [
            (
                Letter.verification(token: token, service: service, in: language),
                Letter.verification(token: token, service: service), ["\(service)/verify?token=TOKEN\n", "\nTOKEN\n"]
            ),
            (
                .passwordReset(token: token, service: service, in: language),
                .passwordReset(token: token, service: service), ["\(service)/reset?token=TOKEN\n", "\nTOKEN\n"]
            ),
            (.addressTaken(service: service, in: language), .addressTaken(service: service), ["\(service)\n"]),
            (.passwordChanged(service: service, in: language), .passwordChanged(service: service), ["\(service)\n"]),
            (
                .invitation(meeting: "Retro\nof May", link: link, in: language),
                .invitation(meeting: "Retro\nof May", link: link), ["Retro of May\n", "\n\(link)\n"]
            ),
            (
                .invitation(meeting: "Retro", link: link, isAnonymous: true, in: language),
                .invitation(meeting: "Retro", link: link, isAnonymous: true), ["\n\(link)\n"]
            ),
            (
                .hostInvitation(code: "CODE", email: nil, service: service, in: language),
                .hostInvitation(code: "CODE", email: nil, service: service),
                ["\(service)/sign-up?invitation=CODE\n", "\nCODE\n"]
            ),
        ]
        for (letter, english, parts) in pairs {
            for part in parts { #expect(letter.body.contains(part), "\(letter.kind)") }
            #expect(letter.body.hasSuffix("\n") && !letter.subject.isEmpty)
            #expect(
                (letter.kind, letter.isBulk) == (english.kind, english.isBulk) && letter.lifetime == english.lifetime)
            #expect((letter.body == english.body) == (language == .english), "\(letter.kind)")
        }
    }

    @Test func regionOfALanguageTagIsIgnored() {
        #expect(LetterLanguage(locale: "ko-KR") == .korean && LetterLanguage(locale: "KO") == .korean)
        #expect(LetterLanguage(locale: "en-GB") == .english)
        for other in ["kok", "de", "", nil] { #expect(LetterLanguage(locale: other) == nil) }
    }
}
