/// A meeting is there whose form asks something else than the file answers.
public struct ImportMismatch: Error, Sendable, Equatable, CustomStringConvertible {
    public var series: String
    public var meeting: String
    /// The keys of the questions that differ.
    public var keys: [String]

    public var description: String {
        "The meeting “\(meeting)” of the series “\(series)” is there already, and its form asks otherwise than the map "
            + "(\(keys.joined(separator: ", "))): import with the map it was made by, or give the map's series another title "
            + "or column."
    }
}
