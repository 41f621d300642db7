/// The version of this program, as the change log counts.
enum ProgramVersion {
    static let current = "0.1.0"
}
