import Domain
import Foundation
import Store
import StrictJSON
import TestSupport
import Testing

/// The name, logo and colour that all pages show.
@Suite(.timeLimit(.minutes(3))) struct StoredOrganisation {
    private static let logo = Organisation.Logo(bytes: [1, 2, 3], mediaType: "image/png", width: 20, height: 10)

    @Test func changesAreStoredAndAudited() async throws {
        try await TestStore.run { fixture in
            let organisations = fixture.store.organisations
            #expect(try await organisations.current() == Organisation(revision: 1))
            let green = AccentColor("#0b6e4f")
            let saved = try await organisations.save(
                name: "Verein", accent: green, logo: .set(Self.logo), by: fixture.admin)
            #expect(saved == Organisation(name: "Verein", accent: green, logo: Self.logo, revision: 2))
            #expect(try await organisations.current() == saved)
            #expect(try await organisations.read() == saved)
            let kept = try await organisations.save(name: nil, accent: green, logo: .keep, by: fixture.admin)
            #expect(kept == Organisation(accent: green, logo: Self.logo, revision: 3))
            let removed = try await organisations.save(name: nil, accent: nil, logo: .remove, by: fixture.admin)
            #expect(removed == Organisation(revision: 4))
            var query = AuditQuery()
            query.action = "organisation.edit"
            let entries = try await fixture.store.auditTrail.list(query)
            #expect(entries.allSatisfy { $0.accountID == fixture.admin.account.id })
            #expect(
                entries.map { $0.detail?.text } == [
                    #"{"logo":"removed","accent":null}"#, #"{"name":null}"#,
                    ##"{"logo":"new","name":"Verein","accent":"#0b6e4f"}"##,
                ])
        }
    }

    @Test func savingTheSameValuesChangesNothing() async throws {
        try await TestStore.run { fixture in
            let organisations = fixture.store.organisations
            for _ in 0..<2 {
                let saved = try await organisations.save(
                    name: "V", accent: nil, logo: .set(Self.logo), by: fixture.admin)
                #expect(saved.revision == 2)
            }
            var query = AuditQuery()
            query.action = "organisation.edit"
            #expect(try await fixture.store.auditTrail.list(query).count == 1)
        }
    }

    @Test func hostsCannotChangeIt() async throws {
        try await TestStore.run { fixture in
            let refusal = try await problem {
                _ = try await fixture.store.organisations.save(name: "V", accent: nil, logo: .keep, by: fixture.host)
            }
            #expect(refusal?.code == .forbidden)
            #expect(try await fixture.store.organisations.read().name == nil)
        }
    }

    /// The statement that looks for due work once a second also reads the revision.
    @Test func otherInstancesNoticeAChange() async throws {
        try await TestStore.run { fixture in
            let other = try await fixture.secondStore()
            #expect(try await other.organisations.current().name == nil)
            _ = try await fixture.store.organisations.save(name: "V", accent: nil, logo: .keep, by: fixture.admin)
            #expect(try await other.organisations.current().name == nil, "no statement is sent for a page")
            _ = await other.dueWork.isDue(.mail, age: .zero)
            #expect(try await other.organisations.current().name == "V")
            await other.close()
        }
    }

    @Test func concurrentChangesKeepTheLast() async throws {
        try await TestStore.run { fixture in
            let organisations = fixture.store.organisations
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...8 {
                    group.addTask {
                        _ = try await organisations.save(
                            name: "V \(number)", accent: nil, logo: .keep, by: fixture.admin)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await organisations.current() == organisations.read())
            #expect(try await organisations.current().revision == 9)
        }
    }
}
