extension String {
    /// The beginning of a text in one line, with "…" if something is left out. A text may have megabytes, and a
    /// character thousands of combining marks.
    ///
    /// - Parameter limit: The largest number of characters. Four times as many Unicode scalars are read.
    func shortened(to limit: Int) -> String {
        let beginning = String(UnicodeScalarView(unicodeScalars.prefix(4 * limit)))
        let line = beginning.split(whereSeparator: \.isNewline).joined(separator: " ")
        let isCut = line.count > limit || beginning.utf8.count < utf8.count
        return isCut ? "\(line.prefix(limit))…" : line
    }
}
