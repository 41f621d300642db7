/// An installed PostgreSQL: the folder of its programs and its major version.
struct PostgresBinaries: Equatable, Sendable {
    static let oldestMajor = 15

    let folder: String
    let major: Int

    func path(_ program: String) -> String { folder + "/" + program }
}
