import Foundation
import Logging

/// The move of a private cluster to a newer major version of PostgreSQL: a second cluster is filled beside it, and then
/// takes its place.
///
/// This value holds the lock of the data folder, so other commands cannot use the cluster. The old cluster runs
/// with read-only transactions and is not changed.
public struct ClusterUpgrade: Sendable {
    /// An installed PostgreSQL.
    public struct Version: Sendable, Equatable {
        public let major: Int
        /// The folder of its programs.
        public let programs: String
    }

    private let folder: ClusterFolder
    private let user: ClusterUser
    private let oldBinaries: PostgresBinaries
    private let newBinaries: PostgresBinaries
    private let lock: FolderLock
    private let logger: Logger

    public var old: Version { Version(major: oldBinaries.major, programs: oldBinaries.folder) }
    public var new: Version { Version(major: newBinaries.major, programs: newBinaries.folder) }
    /// The folder in which the dump of the old cluster can be stored.
    public var dumpFolder: String { folder.path + "/postgres.upgrade-dump" }

    public enum Plan: Sendable {
        case needed(ClusterUpgrade)
        /// No newer version than that of the cluster is installed.
        case newestAlready(major: Int)
    }

    /// Takes the lock of the data folder, completes or undoes an interrupted upgrade, deletes its remains, and finds
    /// both versions.
    public static func plan(folder path: String, logger: Logger) async throws(EmbeddedPostgresError) -> Plan {
        try await plan(folder: path, logger: logger, search: PostgresSearch())
    }

    static func plan(
        folder path: String, logger: Logger, search: PostgresSearch
    ) async throws(EmbeddedPostgresError) -> Plan {
        try ClusterFolder.require(path)
        guard let folder = ClusterFolder(existing: path) else { throw .unusable(path) }
        let lock = try await FolderLock.take(folder, isForUpgrade: true)
        try ClusterSwap(folder: folder).recover()
        guard let major = try folder.major() else { throw .clusterMissing(path: folder.path) }
        let user = try ClusterUser.choose(for: folder)
        try await user.requireAccess(to: folder)
        let newest = await search.newest(after: major)
        let old = try await search.require(major, for: folder)
        let upgrade = ClusterUpgrade(
            folder: folder, user: user, oldBinaries: old, newBinaries: newest ?? old, lock: lock, logger: logger)
        try await upgrade.discard()
        return newest == nil ? .newestAlready(major: major) : .needed(upgrade)
    }

    /// Runs `body` with the URL of the old cluster.
    public func withOld<Value: Sendable>(_ body: (String) async throws -> Value) async throws -> Value {
        try await with(folder, oldBinaries, isReadOnly: true, body)
    }

    /// Runs `body` with the URL of the new cluster, whose database is empty at first.
    public func withNew<Value: Sendable>(_ body: (String) async throws -> Value) async throws -> Value {
        try await with(folder.upgrading, newBinaries, isReadOnly: false, body)
    }

    /// Replaces the old cluster with the new one. Returns the new path of the old cluster.
    public func replaceOld() throws(EmbeddedPostgresError) -> String {
        try ClusterSwap(folder: folder).run()
    }

    /// Deletes the new cluster, complete or not, and the dump, if they exist.
    public func discard() async throws(EmbeddedPostgresError) {
        if FileStatus(folder.upgrading.data) != nil {
            _ = try await LeftoverPostmaster(folder: folder.upgrading, logger: logger).clear()
        }
        try await ClusterCreation.discardRemains(in: folder)
        for path in [folder.upgrading.data, dumpFolder] where FileStatus(path) != nil {
            do {
                try FileManager.default.removeItem(atPath: path)
            } catch {
                throw .folderUnusable(path: folder.path, reason: "\(path) cannot be deleted")
            }
        }
    }

    private func with<Value: Sendable>(
        _ folder: ClusterFolder, _ binaries: PostgresBinaries, isReadOnly: Bool,
        _ body: (String) async throws -> Value
    ) async throws -> Value {
        let cluster = try await StartedCluster.start(
            folder, user: user, binaries: binaries, isReadOnly: isReadOnly, logger: logger)
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body(cluster.url)) } catch { outcome = .failure(error) }
        // An unstructured task, because a cancelled task would not wait for the stop.
        await Task { await cluster.stop() }.value
        return try outcome.get()
    }
}
