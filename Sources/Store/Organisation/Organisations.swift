import Cryptography
import Domain
import Foundation
import Postgres
import StrictJSON
import Synchronization

/// The name, logo and accent colour that all pages show.
public struct Organisation: Sendable, Equatable {
    public struct Logo: Sendable, Equatable {
        public var bytes: [UInt8]
        /// `image/png` or `image/jpeg`.
        public var mediaType: String
        /// SHA-256 of the bytes.
        public var digest: [UInt8]
        public var width: Int
        public var height: Int

        public init(bytes: [UInt8], mediaType: String, width: Int, height: Int) {
            (self.bytes, self.mediaType, self.width, self.height) = (bytes, mediaType, width, height)
            digest = SHA256.hash(bytes)
        }
    }

    /// A replacement of the logo.
    public enum LogoChange: Sendable {
        case keep
        case remove
        case set(Logo)
    }

    /// As before the first change by an admin.
    public static let none = Organisation(revision: 0)

    public var name: String?
    public var accent: AccentColor?
    public var logo: Logo?
    /// Grows with each change.
    public var revision: Int

    public init(name: String? = nil, accent: AccentColor? = nil, logo: Logo? = nil, revision: Int) {
        (self.name, self.accent, self.logo, self.revision) = (name, accent, logo, revision)
    }
}

/// The stored organisation, with a cache in this process.
///
/// The cache is read without a statement. Each instance compares the revision once a second (`DueWork`), and reads the
/// organisation again when it has changed.
public final class Organisations: Sendable {
    private struct State {
        var current: Organisation?
        /// The highest revision that this instance knows of.
        var knownRevision = 0
    }

    /// The subject of all entries in the audit trail, so that they can be listed together.
    public static let auditSubject = UUID(uuid: (0x6f, 0x72, 0x67, 0, 0, 0, 0x80, 0, 0x80, 0, 0, 0, 0, 0, 0, 1))

    private let pool: Pool
    private let state = Mutex(State())
    private let loads = SingleFlight<Bool, Organisation>()

    init(pool: Pool) { self.pool = pool }

    /// Returns the organisation. Reads it only if this instance has not read it yet, or knows of a later revision.
    public func current() async throws -> Organisation {
        let cached = state.withLock { state in
            state.current.flatMap { $0.revision >= state.knownRevision ? $0 : nil }
        }
        if let cached { return cached }
        return try await read()
    }

    /// Reads the organisation. Concurrent callers share one statement.
    public func read() async throws -> Organisation {
        try await loads.value(
            for: true, storing: { self.keep($0) },
            load: { [pool] in try Self.decode(await pool.query(Self.select).single()) }
        ).outcome.get()
    }

    /// Records that another instance may have stored this revision.
    func note(revision: Int) {
        state.withLock { $0.knownRevision = max($0.knownRevision, revision) }
    }

    private func keep(_ organisation: Organisation) {
        state.withLock { state in
            guard organisation.revision >= state.current?.revision ?? 0 else { return }
            state.current = organisation
            state.knownRevision = max(state.knownRevision, organisation.revision)
        }
    }

    /// Changes the organisation. Throws 403 unless the caller is an admin. Without a change, nothing is stored.
    public func save(
        name: String?, accent: AccentColor?, logo: Organisation.LogoChange, by principal: Principal
    ) async throws -> Organisation {
        let saved = try await pool.transaction { connection in
            try await principal.confirm(asAdmin: true, on: connection)
            let before = try Self.decode(
                await connection.query(Self.select + "\nFOR NO KEY UPDATE").single())
            var after = before
            (after.name, after.accent) = (name, accent)
            switch logo {
            case .keep: break
            case .remove: after.logo = nil
            case .set(let new): after.logo = new
            }
            guard after != before else { return before }
            after.revision += 1
            try await Self.write(after, on: connection)
            try await Audit.record(
                "organisation.edit", of: Self.auditSubject, by: principal.account.id,
                detail: Self.detail(of: after, before: before), on: connection)
            return after
        }
        keep(saved)
        return saved
    }

    private static func write(_ organisation: Organisation, on connection: Connection) async throws {
        let logo = organisation.logo
        try await connection.execute(
            """
            UPDATE organisation SET name = \(organisation.name), accent = \(organisation.accent?.hex),
                logo = \(logo?.bytes), logo_type = \(logo?.mediaType), logo_digest = \(logo?.digest),
                logo_width = \(logo.map { Int32($0.width) }), logo_height = \(logo.map { Int32($0.height) }),
                revision = \(organisation.revision)
            """)
    }

    /// What was changed, for the audit trail. The logo's bytes are left out.
    private static func detail(of after: Organisation, before: Organisation) -> JSONValue {
        var members: [JSONValue.Member] = []
        if after.name != before.name { members.append(.init("name", after.name.map(JSONValue.string) ?? .null)) }
        if after.accent != before.accent {
            members.append(.init("accent", after.accent.map { .string($0.hex) } ?? .null))
        }
        if after.logo != before.logo { members.append(.init("logo", .string(after.logo == nil ? "removed" : "new"))) }
        return .object(members)
    }

    private static let select: Statement =
        "SELECT name, accent, revision, logo, logo_type, logo_width, logo_height FROM organisation"

    private static func decode(_ row: Row) throws -> Organisation {
        var columns = Columns(row)
        var organisation = Organisation(
            name: try columns.next(), accent: try columns.next(String?.self).flatMap { AccentColor($0) },
            revision: try columns.next())
        let (bytes, type): ([UInt8]?, String?) = (try columns.next(), try columns.next())
        let (width, height): (Int?, Int?) = (try columns.next(), try columns.next())
        if let bytes, let type, let width, let height {
            organisation.logo = .init(bytes: bytes, mediaType: type, width: width, height: height)
        }
        return organisation
    }
}
