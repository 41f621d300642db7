/// The lists of preferences in `Accept`, `Accept-Encoding` and `Accept-Language`.
public enum PreferenceList {
    /// The length in bytes of the longest list that is read. Browsers send less than half of it.
    public static let longest = 500

    /// The list, or nil if there is none or if it is too long. A list of kilobytes has thousands of elements, which
    /// would take milliseconds to read.
    public static func read(_ field: String?) -> String? {
        guard let field, field.utf8.count <= longest else { return nil }
        return field
    }
}
