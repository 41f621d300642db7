import Foundation
import TestSupport
import Testing

@testable import Store

/// How old a backup may be, and how little space may be free.
@Suite(.timeLimit(.minutes(2))) struct BackupsAndDisks {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private static func state(daysAgo days: Double) -> BackupState {
        BackupState(LastBackup(finishedAt: now - days * 86400, bytes: 5), now: now)
    }

    @Test func backupIsNeededIfThereIsNoneOrAfterSevenDays() {
        #expect(BackupState(nil, now: Self.now) == .missing && BackupState.missing.needsBackup)
        #expect(!Self.state(daysAgo: 0).needsBackup && !Self.state(daysAgo: 6.999).needsBackup)
        #expect(Self.state(daysAgo: 7).needsBackup && Self.state(daysAgo: 400).needsBackup)
        #expect(Self.state(daysAgo: 7).last?.bytes == 5)
    }

    @Test func backupOfAClockThatIsAheadIsRecent() {
        #expect(Self.state(daysAgo: -1).age == 0 && !Self.state(daysAgo: -1).needsBackup)
    }

    @Test(arguments: [
        (0, MonitoredDisk.Level.short), (MonitoredDisk.shortBytes - 1, .short), (MonitoredDisk.shortBytes, .low),
        (MonitoredDisk.lowBytes - 1, .low), (MonitoredDisk.lowBytes, .enough), (Int.max, .enough),
    ])
    func levelFollowsTheFreeSpace(bytes: Int, level: MonitoredDisk.Level) {
        #expect(MonitoredDisk(contents: [.data], folder: "/", freeBytes: bytes).level == level)
    }

    @Test func foldersOnOneDiskAreOneDisk() async throws {
        let folder = try TemporaryFolder()
        let disks = await MonitoredDisk.read(data: folder.path, postgres: folder.path)
        #expect(disks.count == 1 && disks.first?.contents == [.data, .postgres])
        #expect((disks.first?.freeBytes ?? 0) > 0)
    }

    @Test func missingDataFolderCountsForTheDiskOnWhichItWillBe() async throws {
        let folder = try TemporaryFolder()
        let disks = await MonitoredDisk.read(data: folder / "a/b/c", postgres: nil)
        #expect(disks.first?.folder == folder.path && disks.first?.contents == [.data])
    }

    @Test func unreadableFolderOfPostgresIsLeftOut() async throws {
        #expect(await MonitoredDisk.read(data: nil, postgres: "/nowhere/15/main").isEmpty)
        #expect(await MonitoredDisk.read(data: nil, postgres: nil).isEmpty)
    }

    @Test(.disabled(if: TestCluster.usesCitus, "its servers may be on other machines"))
    func folderOfALocalServerIsKnownToTheStore() async throws {
        try await TestStore.run { fixture in
            let folder = try #require(fixture.store.postgresFolder)
            #expect(FileManager.default.fileExists(atPath: folder))
            let facts = try await DatabaseFacts.read(url: fixture.database.url)
            #expect(facts.folder == folder)
        }
    }
}
