import Domain
import TestSupport
import Testing

@Suite struct LettersInEveryLanguage {
    private static let service = "https://feedback.example.org"
    private static let link = "https://feedback.example.org/f/c?t=T"

    /// One letter of each kind, with the parts that it has in every language.
    private static func letters(in texts: LetterTexts) -> [(letter: Letter, parts: [String])] {
        [
            (
                .verification(token: "TOKEN", service: service, in: texts),
                ["\(service)/verify?token=TOKEN\n", "\nTOKEN\n"]
            ),
            (
                .passwordReset(token: "TOKEN", service: service, in: texts),
                ["\(service)/reset?token=TOKEN\n", "\nTOKEN\n"]
            ),
            (.addressTaken(service: service, in: texts), ["\(service)\n"]),
            (.passwordChanged(service: service, in: texts), ["\(service)\n"]),
            (.invitation(meeting: "Retro\nof May", link: link, in: texts), ["Retro of May\n", "\n\(link)\n"]),
            (.invitation(meeting: "Retro", link: link, isAnonymous: true, in: texts), ["\n\(link)\n"]),
            (.rosterEntry(series: "Retro\nof May", link: link, in: texts), ["Retro of May\n", "\n\(link)\n"]),
            (
                .hostInvitation(code: "CODE", email: nil, service: service, in: texts),
                ["\(service)/sign-up?invitation=CODE\n", "\nCODE\n"]
            ),
            (
                .closedResults(
                    subject: "Results", summary: "Pace: 4", report: nil, link: link, service: service, in: texts),
                ["Pace: 4\n", "\n\(link)\n", "\n\(service)/account\n"]
            ),
            (
                .weeklyDigest(
                    closed: ["Pace: 4"], open: ["– Retro: 3"], hasMore: true, service: service, in: texts),
                ["Pace: 4\n", "\n– Retro: 3\n", "\n\(service)/account\n"]
            ),
        ]
    }

    @Test func lettersHaveTheSameLinksInEveryLanguage() throws {
        let catalogues = try LetterCatalogues.ofCheckout()
        #expect(Set(catalogues.languages).isSuperset(of: ["en", "ko", "de"]))
        let inEnglish = Self.letters(in: catalogues.texts(locale: "en")).map(\.letter)
        for language in catalogues.languages {
            for ((letter, parts), english) in zip(Self.letters(in: catalogues.texts(locale: language)), inEnglish) {
                for part in parts { #expect(letter.body.contains(part), "\(letter.kind) \(language)") }
                #expect(letter.body.hasSuffix("\n") && !letter.body.hasSuffix("\n\n") && !letter.subject.isEmpty)
                #expect(!letter.subject.hasPrefix(letter.kind) && !letter.body.hasPrefix(letter.kind), "no text")
                #expect(!letter.subject.contains("{") && !letter.body.contains("{"), "\(letter.kind) \(language)")
                #expect(
                    (letter.kind, letter.isBulk) == (english.kind, english.isBulk)
                        && letter.lifetime == english.lifetime)
                #expect((letter.body == english.body) == (language == "en"), "\(letter.kind) \(language)")
            }
        }
    }

    @Test func titlesAreNotExpanded() throws {
        let texts = try LetterCatalogues.ofCheckout().texts(locale: "en")
        let letter = Letter.invitation(meeting: "{link} {title}", link: Self.link, in: texts)
        #expect(letter.subject == "Your feedback: {link} {title}" && letter.body.hasPrefix("{link} {title}\n"))
    }

    @Test func regionOfALanguageTagIsIgnored() throws {
        let catalogues = try LetterCatalogues.ofCheckout()
        func subject(_ locale: String?, _ catalogues: LetterCatalogues) -> String {
            Letter.invitation(meeting: "T", link: Self.link, in: catalogues.texts(locale: locale)).subject
        }
        let (english, korean, german) = ("Your feedback: T", "의견을 들려주세요: T", "Ihr Feedback: T")
        #expect(subject("ko-KR", catalogues) == korean && subject("KO", catalogues) == korean)
        #expect(subject("en-GB", catalogues) == english && subject("de-AT", catalogues) == german)
        for other in ["kok", "fr", "", nil] {
            #expect(subject(other, catalogues) == english)
            #expect(subject(other, catalogues.preferring("de")) == german)
            for language in ["fr", nil] { #expect(subject(other, catalogues.preferring(language)) == english) }
        }
    }
}
