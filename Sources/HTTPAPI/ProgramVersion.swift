/// The version of this program, as the change log counts.
public enum ProgramVersion {
    public static let current = "0.1.0"
}
