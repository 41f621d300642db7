/// A Korean particle, written at the end of a noun without a space: 회의**가**, 회의**는**, 회의**에서**.
struct KoreanParticle {
    /// The syllables after which the particle occurs. Many particles have two forms, after vowels and after consonants.
    private enum Context { case anywhere, afterVowel, afterConsonant, afterVowelOrRieul, afterOtherConsonant }

    private let context: Context

    /// All particles, by text.
    private static let all: [String: KoreanParticle] = {
        let forms: [(Context, String)] = [
            (
                .anywhere,
                """
                의 에 에서 에게 에게서 에는 에도 에만 에서는 에서도 에서의 에서만 에게는 께 께서 도 만 만은 까지 까지도 까지는 부터
                처럼 보다 마다 조차 마저 만큼 대로 뿐 입니다
                """
            ),
            (.afterVowel, "가 는 를 와 나 랑 라도 와는 와도 와의 예요 였습니다"),
            (.afterConsonant, "이 은 을 과 이나 이랑 이라도 과는 과도 과의 이에요 이었습니다"),
            (.afterVowelOrRieul, "로 로는 로도 로서 로써 로부터 로의"),
            (.afterOtherConsonant, "으로 으로는 으로도 으로서 으로써 으로부터 으로의"),
        ]
        var all: [String: KoreanParticle] = [:]
        for (context, particles) in forms {
            for particle in particles.split(whereSeparator: \.isWhitespace) {
                all[String(particle)] = KoreanParticle(context: context)
            }
        }
        return all
    }()

    private static let maximumLength = 5

    /// The possible stems of a word, longest particle first: for 회의에서는, first 회의, then 회의에서.
    ///
    /// A stem has at least two characters. With one it is ambiguous: 나이 (age) could also be 나 with 이.
    static func stems(of word: String) -> [String] {
        let scalars = Array(word.unicodeScalars)
        guard let last = scalars.last, Script(last) == .hangul, scalars.count > 2 else { return [] }
        return (1...min(maximumLength, scalars.count - 2)).reversed().compactMap { length in
            let stemLength = scalars.count - length
            guard let particle = all[text(scalars[stemLength...])], particle.fits(scalars[stemLength - 1]) else {
                return nil
            }
            return text(scalars[..<stemLength])
        }
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }

    /// Whether the particle can follow the syllable.
    private func fits(_ scalar: Unicode.Scalar) -> Bool {
        guard Script(scalar) == .hangul else { return false }
        let final = (scalar.value - 0xAC00) % 28
        return switch context {
        case .anywhere: true
        case .afterVowel: final == 0
        case .afterConsonant: final != 0
        case .afterVowelOrRieul: final == 0 || final == Self.rieul
        case .afterOtherConsonant: final != 0 && final != Self.rieul
        }
    }

    /// The index of ㄹ among the final consonants of a syllable.
    private static let rieul: UInt32 = 8
}
