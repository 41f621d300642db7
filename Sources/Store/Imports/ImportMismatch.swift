/// An existing meeting whose form has other questions than the file's map.
public struct ImportMismatch: Error, Sendable, Equatable, CustomStringConvertible {
    public var series: String
    public var meeting: String
    /// The keys of the questions that differ.
    public var keys: [String]

    public var description: String {
        "The meeting “\(meeting)” of the series “\(series)” already exists, and its questions differ from the map's "
            + "(\(keys.joined(separator: ", "))): import with the map that created it, or give the map's series another "
            + "title or column."
    }
}
