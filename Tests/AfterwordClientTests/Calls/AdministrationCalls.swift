import AfterwordClient
import Foundation
import HTTPAPI
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct AdministrationCalls {
    @Test func invitationIsCreatedListedAndRevoked() async throws {
        try await TestService.run { service in
            let admin = try service.adminClient
            let key = IdempotencyKey()
            let request = InvitationRequest(note: "For Nora", expiresAt: Date(timeIntervalSinceNow: 86_400))
            let created = try await admin.createInvitation(request, key: key)
            #expect(
                created.state == "open" && created.email == nil && created.note == "For Nora" && created.spentAt == nil)
            try await service.afterword.signUp(
                SignUpRequest(email: "nora@example.org", name: "Nora", invitation: created.code))
            #expect(try await admin.createInvitation(request, key: key).code == nil)
            let plain = try await admin.createInvitation()
            #expect(try await admin.invitations().pageSize(1).first(5).map(\.id) == [plain.id, created.id])
            try await admin.revokeInvitation(plain.id)
            #expect(try await admin.invitations().first(5).map(\.id) == [created.id])
            #expect(try await refusal { _ = try await service.hostClient.createInvitation() }?.code == .forbidden)
        }
    }

    @Test func accountsAreListedEditedAndDisabled() async throws {
        try await TestService.run { service in
            let admin = try service.adminClient
            let other = try #require(try await admin.accounts(query: "otto").first(2).first)
            #expect(other.email == "other@example.org" && other.disabledAt == nil)
            let account = try await admin.account(other.id)
            let promoted = try await admin.edit(account, AdminAccountEdit(role: "admin"))
            #expect(promoted.role == "admin")
            let stale = try await refusal { try await admin.edit(account, AdminAccountEdit(disabled: true)) }
            #expect(stale?.code == .preconditionFailed)
            let disabled = try await admin.editAccount(
                other.id, AdminAccountEdit(role: "host", disabled: true), matching: promoted.tag)
            #expect(disabled.disabledAt != nil && disabled.role == "host")
            #expect(try await admin.accounts(state: .disabled).first(5).map(\.id) == [other.id])
            #expect(try await admin.accounts(state: .active).pageSize(1).first(5).count == 2)
            #expect(try await admin.accounts(state: .deleted).first(5).isEmpty)
            #expect(try await refusal { _ = try await service.otherClient.me() }?.code == .unauthorized)
        }
    }

    @Test func auditTrailNamesAccountsAndActions() async throws {
        try await TestService.run { service in
            let (admin, host) = (try service.adminClient, try service.hostClient)
            let start = Date(timeIntervalSinceNow: -60)
            let meeting = try await host.createMeeting(MeetingRequest(title: "Retro"))
            let me = try await host.me().id
            let entries = try await admin.audit(account: me, from: start).first(5)
            #expect(entries.map(\.act) == ["meeting.create"] && entries.first?.subjectId == meeting.id)
            #expect(entries.first?.about == AuditSubject(kind: "meeting", id: meeting.id, name: "Retro", round: 1))
            try await admin.editAccount(me, AdminAccountEdit(role: "admin"), matching: .any)
            let changes = try await admin.audit(subject: me).first(5)
            #expect(changes.map(\.act) == ["account.role"] && changes.first?.detail?["to"]?.string == "admin")
            #expect(try await admin.audit(action: "meeting.create").first(5).map(\.subjectId) == [meeting.id])
            #expect(try await admin.audit(to: start).first(5).isEmpty)
        }
    }

    @Test func storageReportsSizesAndCounts() async throws {
        try await TestService.run { service in
            let admin = try service.adminClient
            _ = try await service.hostClient.createMeeting(MeetingRequest(title: "Retro"))
            let storage = try await admin.storage()
            #expect(storage.program == ProgramVersion.current && storage.postgres.contains("."))
            #expect(storage.tables.contains { $0.name == "meeting" && $0.bytes > 0 })
            #expect(storage.databaseBytes ?? 0 > storage.tables[0].bytes && storage.tables[0].bytes > 0)
            #expect(storage.meetings == 1 && storage.submissions == Storage.Submissions(count: 0, exact: true))
            #expect(storage.outbox == Storage.Queue(waiting: 0) && storage.deliveries.oldest == nil)
            #expect(try await refusal { _ = try await service.hostClient.storage() }?.code == .forbidden)
        }
    }

    @Test func personIsErased() async throws {
        try await TestService.run { service in
            let (admin, host) = (try service.adminClient, try service.hostClient)
            let meeting = try await host.createMeeting(MeetingRequest(title: "Retro"))
            try await host.addAttendee(AttendeeRequest(name: "Mia", email: "mia@example.org"), to: meeting.id)
            let erasure = try await admin.erase(ErasureRequest(email: "mia@example.org"))
            #expect(erasure.erased["attendees"] == 1 && erasure.erased["accounts"] == 0)
            #expect(try await host.attendees(of: meeting.id).first(5).allSatisfy { $0.email == nil })
            let invalid = try await refusal { _ = try await admin.erase(ErasureRequest(email: "no address")) }
            #expect(invalid?.faults(at: "/email").isEmpty == false)
        }
    }
}
