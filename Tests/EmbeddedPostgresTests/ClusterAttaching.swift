import Foundation
import Testing

@testable import EmbeddedPostgres

@Suite struct ClusterAttaching {
    @Test func attachingReturnsTheURLOfARunningCluster() async throws {
        let cluster = try TestCluster()
        try await cluster.withService { _, url in
            #expect(await EmbeddedPostgres.attach(folder: cluster.folder) == url)
        }
        #expect(await EmbeddedPostgres.attach(folder: cluster.folder) == nil)
    }

    @Test func attachingWaitsForAStartingCluster() async throws {
        let cluster = try TestCluster()
        let service = cluster.service()
        let start = Task { try await service.start() }
        try await cluster.eventually { ClusterFolder(existing: cluster.folder).map(FolderLock.isHeld) ?? false }
        let attached = await EmbeddedPostgres.attach(folder: cluster.folder)
        #expect(try await start.value == attached)
        await service.stop()
    }

    @Test func orphanAndMissingFolderAreNotAttached() async throws {
        let cluster = try TestCluster()
        #expect(await EmbeddedPostgres.attach(folder: cluster.folder) == nil)
        _ = try await cluster.abandon()
        #expect(await EmbeddedPostgres.attach(folder: cluster.folder) == nil)
        try await cluster.withService { _, _ in }
    }
}
