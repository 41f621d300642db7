import Testing
import Words

@Suite struct CountedTerms {
    private static func terms(_ answers: [String], keepingStopWords: Bool = false, limit: Int = 50) -> [String] {
        var count = TermCount(keepingStopWords: keepingStopWords)
        count.add(answers)
        return count.terms(limit: limit).map { "\($0.text) \($0.count)/\($0.answers)" }
    }

    @Test func mostFrequentTermsComeFirstThenByCodePoints() {
        let answers = ["More demos, demos, demos!", "More time for demos", "time flies", "Zebra apple"]
        #expect(Self.terms(answers) == ["demos 4/2", "time 2/2", "Zebra 1/1", "apple 1/1", "flies 1/1"])
        #expect(Self.terms(answers, limit: 2) == ["demos 4/2", "time 2/2"])
        #expect(Self.terms(answers.reversed()) == Self.terms(answers))
    }

    @Test func termHasItsMostFrequentSpelling() {
        #expect(Self.terms(["API", "api", "API"]) == ["API 3/3"])
        #expect(Self.terms(["Pace", "pace"]) == ["pace 2/2"])
        #expect(Self.terms(["ＱＲ QR qr QR"]) == ["QR 4/1"])
        #expect(Self.terms(["Straße STRASSE Straße"]) == ["Straße 3/1"])
        #expect(Self.terms(["cafe\u{301} café"]) == ["café 2/1"])
    }

    @Test func stopWordsAreOmittedUnlessRequested() {
        let answers = ["I don’t like the pace", "이 회의는 정말 좋았다", "我们的酒店很好"]
        #expect(Self.terms(answers) == ["like 1/1", "pace 1/1", "很好 1/1", "酒店 1/1", "좋았다 1/1", "회의는 1/1"])
        let all = Self.terms(answers, keepingStopWords: true)
        for word in ["the 1/1", "don’t 1/1", "정말 1/1", "我们 1/1", "的 1/1", "이 1/1"] { #expect(all.contains(word)) }
        #expect(!all.contains("I 1/1"), "a single Latin letter is not a word")
    }

    @Test func singleCharactersAreWordsInChineseAndKoreanOnly() {
        #expect(Self.terms(["好 x 앱 я 5 を"]) == ["好 1/1", "앱 1/1"])
    }

    @Test func koreanParticlesAreRemoved() {
        #expect(
            Self.terms(["회의가 길어요", "회의는 짧아요", "회의를 또", "다음 회의에서는"]) == [
                "회의 4/4", "길어요 1/1", "다음 1/1", "짧아요 1/1",
            ])
        #expect(Self.terms(["자료 자료도 자료가"]) == ["자료 3/1"], "one answer is counted once")
        #expect(Self.terms(["토론이 토론을 토론으로"]) == ["토론 3/1"])
        #expect(Self.terms(["QR코드가 qr코드를 QR코드"]) == ["QR 3/1", "코드 3/1"])
        #expect(Self.terms(["서울로 서울은"]) == ["서울 2/1"], "after ㄹ the particle is 로")
    }

    @Test func wordThatMerelyEndsLikeAParticleIsUnchanged() {
        // Neither 고양 nor another form of it occurs, and 나이 without 이 would leave one syllable.
        #expect(Self.terms(["고양이 나이 나는"]) == ["고양이 1/1", "나이 1/1"])
        #expect(Self.terms(["회의이 회의을"]) == ["회의을 1/1", "회의이 1/1"], "회의 takes 가 and 를")
        #expect(Self.terms(["토론가 토론를"]) == ["토론가 1/1", "토론를 1/1"])
        #expect(Self.terms(["서울으로 서울가"]) == ["서울가 1/1", "서울으로 1/1"])
        #expect(Self.terms(["회의가"]) == ["회의가 1/1"], "a single form is no evidence of a particle")
    }

    @Test func answersWithoutWordsHaveNoTerms() {
        #expect(Self.terms([]).isEmpty)
        #expect(Self.terms(["", "  ", "!!!", "12 345"]).isEmpty)
    }
}
