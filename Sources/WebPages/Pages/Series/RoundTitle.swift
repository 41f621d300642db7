import Contract
import Foundation

/// What the next round is called where the last one's title holds its number, as in "Lecture 14".
enum RoundTitle {
    /// Nil where the title says nothing of the number: then it stays as it is.
    ///
    /// A number counts only as a word of its own that stands there once: neither part of a date or a version, nor
    /// beside another of the same value.
    static func next(after rounds: [Meeting]) -> String? {
        guard let last = rounds.max(by: { $0.round < $1.round }) else { return nil }
        let title = last.title
        let places = title.ranges(of: /[0-9]+(?:[.:\/\-–][0-9]+)*/).filter { title[$0] == "\(last.round)" }
        guard let place = places.first, places.count == 1 else { return nil }
        return title.replacingCharacters(in: place, with: "\(last.round + 1)")
    }
}
