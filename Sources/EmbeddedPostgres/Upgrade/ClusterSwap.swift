import Foundation

/// The replacement of a cluster by the one that an upgrade has made, in three renamings. Each may be the last one
/// before a kill or a power failure.
///
/// | `postgres` | `postgres.replaced` | what an interruption leaves |
/// | --- | --- | --- |
/// | old | – | the old cluster, in use |
/// | – | old | the old cluster, which gets its name back |
/// | new | old | the new cluster, in use |
struct ClusterSwap: Sendable {
    let folder: ClusterFolder

    /// Replaces the cluster, and returns the path of the former one. Neither may be running.
    func run() throws(EmbeddedPostgresError) -> String {
        try rename(folder.data, folder.replaced.data)
        do throws(EmbeddedPostgresError) {
            try rename(folder.upgrading.data, folder.data)
        } catch {
            try recover()
            throw error
        }
        return try nameReplaced()
    }

    /// Completes or undoes a replacement that was interrupted.
    func recover() throws(EmbeddedPostgresError) {
        guard FileStatus(folder.replaced.data) != nil else { return }
        if try folder.major() == nil {
            try rename(folder.replaced.data, folder.data)
        } else {
            _ = try nameReplaced()
        }
    }

    /// Names the former cluster after its version: `postgres-15.old`, with a number appended if that name is taken.
    private func nameReplaced() throws(EmbeddedPostgresError) -> String {
        let major = try folder.replaced.major().map { "-\($0)" } ?? ""
        let name = "\(folder.path)/postgres\(major).old"
        var (path, number) = (name, 1)
        while FileStatus(path) != nil {
            number += 1
            path = "\(name)-\(number)"
        }
        try rename(folder.replaced.data, path)
        return path
    }

    private func rename(_ from: String, _ to: String) throws(EmbeddedPostgresError) {
        guard Foundation.rename(from, to) == 0 else { throw .unusable(folder.path) }
        try folder.syncNames()
    }
}
