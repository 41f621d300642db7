import Cryptography
import Domain
import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

@testable import Store

/// A rotation adds a key to the secret file, while instances are running and others are starting.
@Suite struct KeyRotations {
    private let folder: TemporaryFolder
    private var path: String { folder / "secret" }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func write(_ keys: [(Int, [UInt8])]) throws {
        let lines = keys.map { "\($0.0) \(Base64URL.encode($0.1))\n" }
        _ = try folder.write(lines.joined(), to: "secret")
    }

    private func addKey(_ number: Int) throws -> KeyRing {
        let text = folder.read("secret")
        _ = try folder.write(text + "\(number) \(Base64URL.encode(RandomBytes.make(32)))\n", to: "secret")
        return try KeyRing.load(path: path)
    }

    private func rotate(_ database: TestDatabase, isDryRun: Bool = false) async throws -> KeyRotation {
        try await KeyRotation.run(
            url: database.url, isDryRun: isDryRun, keys: { try KeyRing.load(path: path) }, add: { try addKey($0) })
    }

    private func keyNumbers(_ database: TestDatabase) async throws -> [Int] {
        try await KeyUse.read(url: database.url).map(\.number)
    }

    private func open(_ fixture: TestStore) async throws -> Store {
        try await Store.open(
            Store.Configuration(url: fixture.database.url), keys: KeyRing.load(path: path),
            logger: TestStore.silentLogger)
    }

    /// Creates a meeting with an open form through `store`.
    private func openMeeting(_ fixture: TestStore, through store: Store) async throws -> Meeting {
        let body = #"{"title": "After the rotation", "questions": \#(TestStore.questions)}"#
        let draft = try MeetingDraft.read(JSONValue.parse(Array(body.utf8)))
        let made = try await store.meetings.create(draft, by: fixture.host, once: nil) { meeting in
            Array(meeting.id.uuidString.utf8)
        }
        let id = try #require(UUID(uuidString: String(decoding: made.body, as: UTF8.self)))
        _ = try await store.forms.publish(meetingID: id, by: fixture.host.account.id)
        return try await store.meetings.require(id, by: fixture.host)
    }

    @Test func runningInstanceServesFormsUnderAKeyThatWasAddedLater() async throws {
        try await TestStore.run { fixture in
            try write([(1, fixture.secret)])
            let running = try await open(fixture)
            let rotation = try await rotate(fixture.database)
            #expect(rotation.key == 2 && rotation.addsKey)
            let restarted = try await open(fixture)
            let meeting = try await openMeeting(fixture, through: restarted)
            let key = "a-key-of-one-client"
            let first = try await fixture.submit(#"{"pace": 4}"#, to: meeting, key: key, through: running)
            let again = try await fixture.submit(#"{"pace": 4}"#, to: meeting, key: key, through: restarted)
            #expect(again.receipt == first.receipt && again.id == first.id)
            // Until it is restarted, the running instance creates forms under the key that was the newest at its start.
            _ = try await openMeeting(fixture, through: running)
            let uses = try await KeyUse.read(url: fixture.database.url)
            #expect(uses.map(\.forms) == [1, 1])
            await running.close()
            await restarted.close()
        }
    }

    @Test func keysOfAnotherDatabaseAreNotAdopted() throws {
        try write([(1, RandomBytes.make(32))])
        let ring = try KeyRing.load(path: path)
        try write([(1, RandomBytes.make(32)), (2, RandomBytes.make(32))])
        #expect(throws: KeyRing.Failure.self) { try ring.key(2) }
        #expect(ring.numbers == [1])
    }

    @Test func interruptedRotationIsCompletedByTheNextOne() async throws {
        try await TestStore.run { fixture in
            try write([(1, fixture.secret)])
            _ = try addKey(2)
            let planned = try await rotate(fixture.database, isDryRun: true)
            #expect(planned.key == 2 && !planned.addsKey)
            let completed = try await rotate(fixture.database)
            #expect(completed.key == 2 && !completed.addsKey)
            #expect(try await keyNumbers(fixture.database) == [1, 2])
            #expect(try KeyRing.load(path: path).numbers == [1, 2])
            #expect(try await rotate(fixture.database).key == 3)
        }
    }

    @Test func rotationsAtTheSameTimeAddDifferentKeys() async throws {
        try await TestStore.run { fixture in
            try write([(1, fixture.secret)])
            let added = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 1...4 { group.addTask { try await rotate(fixture.database).key } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(added == [2, 3, 4, 5])
            #expect(try KeyRing.load(path: path).numbers == [1, 2, 3, 4, 5])
            #expect(try await keyNumbers(fixture.database) == [1, 2, 3, 4, 5])
        }
    }

    @Test func dryRunAndFailedAdditionChangeNothing() async throws {
        try await TestStore.run { fixture in
            try write([(1, fixture.secret)])
            let text = folder.read("secret")
            let planned = try await rotate(fixture.database, isDryRun: true)
            #expect(planned.key == 2 && planned.addsKey && folder.read("secret") == text)
            await #expect(throws: TestStore.Missing.self) {
                try await KeyRotation.run(
                    url: fixture.database.url, isDryRun: false, keys: { try KeyRing.load(path: path) },
                    add: { _ in throw TestStore.Missing("space on the disk") })
            }
            #expect(try await keyNumbers(fixture.database) == [1])
        }
    }

    /// Another machine may already have rotated its own copy of the file.
    @Test func fileWithoutANewerKeyIsRefused() async throws {
        try await TestStore.run { fixture in
            try write([(1, fixture.secret)])
            _ = try await rotate(fixture.database)
            try write([(1, fixture.secret)])
            await #expect(throws: KeyRing.Failure.self) { try await rotate(fixture.database) }
            #expect(try KeyRing.load(path: path).numbers == [1])
        }
    }

    @Test func unusedDatabaseIsRefused() async throws {
        let database = try await TestStore.database()
        try write([(1, RandomBytes.make(32))])
        let failure = await #expect(throws: KeyRing.Failure.self) { try await rotate(database) }
        #expect(failure?.description.contains("start `afterword serve` first") == true)
        #expect(try KeyRing.load(path: path).numbers == [1])
        try await database.drop()
    }
}
