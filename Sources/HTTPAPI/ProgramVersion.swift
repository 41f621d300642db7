/// The version of this program, as in the changelog.
public enum ProgramVersion {
    public static let current = "0.1.0"
}
