import Testing
import Words

@Suite struct WordBoundaries {
    @Test func theLibraryIsThere() { #expect(Words.version.isEmpty == false) }
}
