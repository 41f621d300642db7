import Testing

@testable import Words

@Suite struct SubstringSearch {
    /// Texts of only two letters contain many repetitions.
    @Test func randomNeedlesAreFoundIfTheyOccur() throws {
        for _ in 1...3_000 {
            let needle = (0..<Int.random(in: 1...8)).map { _ in UInt16.random(in: 0...1) }
            let text = (0..<Int.random(in: 0...40)).map { _ in UInt16.random(in: 0...1) }
            let occurs = text.indices.contains { text[$0...].starts(with: needle) }
            try #require(Needle(needle).occurs(in: text) == occurs, "\(needle) in \(text)")
        }
    }

    @Test func needleIsFoundAtBothEndsAndAfterPartialMatches() {
        let needle = Needle(Array("abab".utf8))
        for (text, occurs) in [
            ("abab", true), ("ababx", true), ("xabab", true), ("aabab", true), ("abaabab", true), ("abaab", false),
            ("aba", false), ("", false),
        ] { #expect(needle.occurs(in: Array(text.utf8)) == occurs, "\(text)") }
    }
}
